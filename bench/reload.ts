import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { BacklogClient } from '../src/client/index.js';
import {
  HANDLER,
  startAttemptReceiver,
  WATCHED_APP,
  writeWatchedApp,
} from '../test/local/reload/watched-app.js';
import { median, quantile } from './median.js';

const SAVES = Number(process.env.BENCH_SAVES ?? 20);
const MAX_MS = 60_000;
const MAIN = fileURLToPath(new URL('../tools/bin/backlog.js', import.meta.url));

/**
 * Time from the save of a handler to the first attempt by the new code, in a real `backlog start --watch` of a real app. A record is put when the runtime says that the code is live, and is attempted on its arrival.
 */
const folder = await writeWatchedApp();
const runtimes = await mkdtemp(join(tmpdir(), 'backlog-bench-'));
const reported = new EventEmitter();
const receiver = await startAttemptReceiver(({ version }) => reported.emit(version));
const runtime = spawn(
  process.execPath,
  [MAIN, 'start', '--app', WATCHED_APP, '--watch', '--port', '0', '--dynamodb-port', '0'],
  {
    cwd: folder,
    env: { ...process.env, RECEIVER: receiver.url, BACKLOG_RUNTIME_DIR: runtimes },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
const ended = once(runtime, 'exit');
try {
  const backlog = new BacklogClient({ table: 'BacklogRecords', endpoint: await endpointOf(runtime) });
  runtime.stderr.on('data', (text: Buffer) => {
    if (text.includes('is live')) reported.emit('live');
  });
  const live: number[] = [];
  const attempted: number[] = [];
  // The first save is not counted: it may come before the handlers have been bundled once.
  for (let i = 0; i <= SAVES; i++) {
    // As long as a person takes at least from one save to the next.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const version = `v${i + 1}`;
    const code = HANDLER.replaceAll('version })', `version: '${version}' })`);
    const isLive = next('live');
    const isAttempted = next(version);
    const savedAt = performance.now();
    await writeFile(join(folder, 'handlers/orders.ts'), code);
    const liveAt = await isLive;
    await backlog.insert({ queue: 'orders', payload: i });
    const attemptedAt = await isAttempted;
    if (i > 0) live.push(liveAt - savedAt);
    if (i > 0) attempted.push(attemptedAt - savedAt);
  }
  process.stdout.write(
    `${SAVES} saves of a handler\n  until it is live: ${textOf(live)}\n  until the first attempt by the new code: ${textOf(attempted)}\n` +
      `  ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
} finally {
  runtime.kill('SIGTERM');
  await ended;
  receiver.stop();
  for (const used of [folder, runtimes]) await rm(used, { recursive: true, force: true });
}

/** When this happens next. */
async function next(event: string): Promise<number> {
  const signal = AbortSignal.timeout(MAX_MS);
  await once(reported, event, { signal }).catch((error) => {
    throw new Error(`"${event}" was not told within ${MAX_MS / 1000} s`, { cause: error });
  });
  return performance.now();
}

function textOf(times: readonly number[]): string {
  const ms = (value: number) => `${Math.round(value)} ms`;
  return `median ${ms(median(times))}, p95 ${ms(quantile(times, 0.95))}, least ${ms(Math.min(...times))}, most ${ms(Math.max(...times))}`;
}

/** Read from what `start` prints. */
function endpointOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk;
      const [, endpoint] = /^DynamoDB +(\S+)/m.exec(text) ?? [];
      if (endpoint !== undefined && text.includes('Console')) resolve(endpoint);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', () => reject(new Error(`the runtime ended: ${text}`)));
  });
}
