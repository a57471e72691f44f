/**
 * Runs the tests of test/e2e against ministack, an emulator of AWS that runs the deployed code: a real cdk bootstrap
 * and cdk deploy. Needs Python 3.9 or later with venv; the emulator, boto3 and the AWS command line are fetched into
 * .e2e/ at the first run. Arguments are passed on to vitest.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, '.e2e');
const bin = join(home, 'venv', 'bin');
const complete = join(home, 'complete');
const logFile = join(home, 'emulator.log');
const PACKAGES = ['ministack==1.5.33', 'boto3', 'awscli'];
/** Packages that Lambda's runtime has, and a function takes from there. */
const OF_RUNTIME = ['@aws-sdk/client-eventbridge@3', '@aws-sdk/client-secrets-manager@3'];
const runtime = join(home, 'runtime');
const ACCOUNT = '000000000000';
const START_TIMEOUT_MS = 60_000;

fetchOnce();
process.exitCode = await main();

async function main() {
  const port = await freePort();
  const emulator = startEmulator(port);
  const stop = () => stopGroup(emulator, 'SIGKILL');
  process
    .once('exit', stop)
    .once('SIGINT', () => process.exit(130))
    .once('SIGTERM', () => process.exit(143));
  const endpoint = `http://127.0.0.1:${port}`;
  if (!(await answers(endpoint, emulator))) {
    process.stderr.write(`the emulator does not answer; what it said is in ${logFile}\n`);
    return 1;
  }
  const code = await runVitest(endpoint);
  if (code !== 0) process.stderr.write(`what the emulator and the functions said is in ${logFile}\n`);
  stopGroup(emulator, 'SIGTERM');
  await sleep(500);
  return code;
}

/** Once per list of packages; a fetch that was interrupted starts over. */
function fetchOnce() {
  const wanted = [...PACKAGES, ...OF_RUNTIME].join('\n');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  process.stdout.write('fetching the emulator ...\n');
  run('python3', ['-m', 'venv', join(home, 'venv')], 'Python 3 with venv is needed');
  run(
    join(bin, 'pip'),
    ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES],
    'pip could not fetch it',
  );
  mkdirSync(runtime);
  const npm = ['install', '--prefix', runtime, '--no-audit', '--no-fund', '--silent', ...OF_RUNTIME];
  run('npm', npm, 'npm could not fetch the SDK of the runtime');
  writeFileSync(complete, wanted);
}

function run(program, args, problem) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return;
  process.stderr.write(`${problem}${error ? `: ${error.message}` : '; its reason is above'}\n`);
  process.exit(1);
}

/** A process group of its own: the sandboxes that it starts end with it. */
function startEmulator(port) {
  const output = openSync(logFile, 'w');
  const emulator = spawn(join(bin, 'python'), [join(root, 'test/e2e/emulator.py')], {
    cwd: home,
    detached: true,
    env: {
      ...environment(),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      NODE_PATH: join(runtime, 'node_modules'),
      LAMBDA_EXECUTOR: 'local',
      AUTH: 'true',
    },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  return emulator;
}

async function answers(endpoint, emulator) {
  for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until && emulator.exitCode === null; ) {
    const answer = await fetch(endpoint).catch(() => undefined);
    if (answer) return true;
    await sleep(200);
  }
  return false;
}

function runVitest(endpoint) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', 'vitest.e2e.config.ts', ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...environment(),
      E2E_BIN: bin,
      E2E_ACCOUNT: ACCOUNT,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      CDK_DEFAULT_ACCOUNT: ACCOUNT,
      CDK_DEFAULT_REGION: 'us-east-1',
      CDK_HOME: join(home, 'cdk'),
      // It takes ten seconds of each deployment, and has a test of its own: test/long/own-template.test.ts.
      CDK_VALIDATION: 'false',
    },
  });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** The environment without the user's own AWS settings, which are meant for another cloud. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
}

function stopGroup({ pid, exitCode }, signal) {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
