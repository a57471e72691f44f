/**
 * DynamoDB Local, which reports the index's share of write units and hands out the item that failed a condition, as AWS
 * does. Needs Java 17 or later (a JDK), and Maven at the first run, which fetches it into .dynamodb-local/.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, '.dynamodb-local');
const lib = join(home, 'lib');
const native = join(home, 'native');
const complete = join(home, 'complete');
const pom = join(root, 'test/dynamodb-local/pom.xml');
const launcher = join(root, 'test/dynamodb-local/Loopback.java');
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** Error if Java or Maven is not installed. */
export class MissingProgramError extends Error {}

export async function startDynamoDbLocal() {
  requireProgram('java', ['-version'], 'a JDK of version 17 or later');
  fetchOnce();
  const port = await freePort();
  const { process: server, log } = startServer(port);
  await listening(port, server, log);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => stopServer(server),
    kill: () => server.kill('SIGKILL'),
  };
}

function requireProgram(program, args, what) {
  const { status, error } = spawnSync(program, args, { stdio: 'ignore' });
  if (error || status !== 0)
    throw new MissingProgramError(
      `DynamoDB Local needs ${what}: "${program}" was not found, or does not work`,
    );
}

/** Once per version of the pom; a fetch that was interrupted starts over. */
function fetchOnce() {
  const wanted = readFileSync(pom, 'utf8');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return;
  requireProgram('mvn', ['-v'], 'Maven, to be fetched');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(native, { recursive: true });
  process.stderr.write('fetching DynamoDB Local ...\n');
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  const { status } = spawnSync('mvn', [...args, `-DoutputDirectory=${lib}`], { stdio: 'inherit' });
  if (status !== 0) throw new Error('Maven could not fetch DynamoDB Local; its reason is above');
  copyNativeLibraries();
  writeFileSync(complete, wanted);
}

/** Java looks for libsqlite4java-linux-amd64.so and the like; Maven adds the version to their names. */
function copyNativeLibraries() {
  for (const file of readdirSync(lib)) {
    const [, name, extension] = /^((?:lib)?sqlite4java-.+)-[\d.]+(\.(?:so|dylib|dll))$/.exec(file) ?? [];
    if (name) copyFileSync(join(lib, file), join(native, name + extension));
  }
}

function startServer(port) {
  const java = [
    `-Dsqlite4java.library.path=${native}`,
    `-Djava.library.path=${native}`,
    '-cp',
    join(lib, '*'),
    launcher,
  ];
  const options = ['-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)];
  const server = spawn('java', [...java, ...options], { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-10_000);
    });
  }
  return { process: server, log: () => output };
}

async function listening(port, server, log) {
  for (const start = Date.now(); Date.now() - start < START_TIMEOUT_MS; await sleep(100)) {
    if (server.exitCode !== null) throw new Error(`DynamoDB Local ended at once:\n${log()}`);
    if (await answers(port)) return;
  }
  server.kill('SIGKILL');
  throw new Error(`DynamoDB Local did not start within ${START_TIMEOUT_MS / 1000} seconds:\n${log()}`);
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function stopServer(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
