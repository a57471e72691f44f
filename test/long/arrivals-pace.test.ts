import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine, until } from '../cli/process.js';
import { pythonWithPackages } from './python.js';

/** ARRIVALS_COUNT=10000 plays more. */
const COUNT = Number(process.env.ARRIVALS_COUNT ?? 2_000);
const PER_SECOND = Number(process.env.ARRIVALS_PER_SECOND ?? 200);
const SCRIPT = fileURLToPath(new URL('fixtures/put_records.py', import.meta.url));
/** Records that are put once the killed runtime runs again, however long that takes. */
const LAST = COUNT / 10;
/** Long enough for two attempts of one record at once to be seen. */
const ATTEMPT_MS = 20;
const TABLE = 'BacklogRecords';
/** Longest time until records are attempted that are left to a rule, or wait for what a killed runtime had begun. */
const REST_MS = 150_000;

let cli: CommandLine;
const producers: ChildProcess[] = [];
let receiver: Awaited<ReturnType<typeof startTimedReceiver>>;
beforeEach(async () => {
  cli = await CommandLine.create({ ownSession: true });
  receiver = await startTimedReceiver();
});
afterEach(async () => {
  cli.close();
  for (const producer of producers.splice(0)) producer.kill('SIGKILL');
  await receiver.stop();
});

/** Takes everything, and knows when each delivery began, and which ids came twice at once. */
async function startTimedReceiver() {
  const times = new Map<string, number[]>();
  const atWork = new Set<string>();
  const twiceAtOnce: string[] = [];
  const server: Server = createServer((request, response) => {
    const id = String(request.headers['idempotency-key']).replace(/^"|"$/g, '');
    times.set(id, [...(times.get(id) ?? []), Date.now()]);
    if (atWork.has(id)) twiceAtOnce.push(id);
    atWork.add(id);
    request.resume();
    setTimeout(() => {
      atWork.delete(id);
      response.writeHead(200).end();
    }, ATTEMPT_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    times,
    twiceAtOnce,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** boto3 at work: `putAt` fills while it runs. The last records of these wait for `putLast`. */
function startProducer(endpoint: string, last = 0) {
  const args = [SCRIPT, endpoint, TABLE, String(COUNT), String(PER_SECOND), 'order-', String(last)];
  const child = spawn(pythonWithPackages(), args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  if (last === 0) child.stdin.end();
  const putAt = new Map<string, number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [id = '', at] = line.split(' ');
    putAt.set(id, Number(at));
  });
  producers.push(child);
  return {
    putAt,
    putLast: () => child.stdin.end(),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}

function figures(waits: readonly number[]) {
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { count: sorted.length, median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** Prints waits for people: their length depends on the machine. What must hold is counted. */
function report(name: string, waits: readonly number[]): void {
  const { count, median, p95, p99, max } = figures(waits);
  process.stdout.write(
    `${name}: ${count} puts, ms from put to first attempt: median ${median}, p95 ${p95}, p99 ${p99}, max ${max}\n`,
  );
}

const waitsOf = (putAt: ReadonlyMap<string, number>, until = Number.POSITIVE_INFINITY) =>
  [...putAt].flatMap(([id, at]) => {
    const first = receiver.times.get(id)?.[0];
    return first === undefined || first > until ? [] : [first - at];
  });

describe(`${COUNT} minimal records, put by boto3 at ${PER_SECOND} a second`, () => {
  it('are each attempted once, on insertion', async () => {
    const runtime = await cli.startRuntime('--no-sample', '--deliver-to', receiver.url);
    const producer = startProducer(endpointOf(runtime.out()));
    expect(await producer.ended).toBe(0);
    const pace = COUNT / (spread(producer.putAt) / 1000);
    await until(() => receiver.times.size === COUNT, REST_MS);
    runtime.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);

    report(`${pace.toFixed(0)} a second`, waitsOf(producer.putAt));
    expect(producer.putAt.size).toBe(COUNT);
    expect([...receiver.times].filter(([, { length }]) => length > 1)).toEqual([]);
    expect(runtime.out()).toContain(`default: 0 NEW, 0 ERROR, ${COUNT} SUCCESS, 0 DEAD`);
  });

  it('are all attempted, and none twice at once, though the runtime is killed in between', async () => {
    const data = ['--data-dir', join(await mkdtemp(join(tmpdir(), 'backlog-pace-')), 'data')];
    const flags = ['--no-sample', '--deliver-to', receiver.url, ...data];
    const first = await cli.startRuntime(...flags);
    const endpoint = endpointOf(first.out());
    const producer = startProducer(endpoint, LAST);
    await until(() => producer.putAt.size > COUNT / 2, 120_000);
    first.kill('SIGKILL');
    const killedAt = Date.now();
    await first.ended;
    const second = await cli.startRuntime(...flags, '--dynamodb-port', new URL(endpoint).port);
    const startedAt = Date.now();
    producer.putLast();
    expect(await producer.ended).toBe(0);
    await until(() => receiver.times.size === COUNT, REST_MS);
    // What was under way when it was killed may be attempted once more.
    await until(
      () => /default: 0 NEW, 0 ERROR/.test(second.out().split('\n').slice(-40).join('\n')),
      REST_MS,
    );
    second.kill('SIGTERM');
    expect(await second.ended).toBe(0);

    const { putAt } = producer;
    const before = [...putAt].filter(([, at]) => at < killedAt);
    const after = [...putAt].filter(([, at]) => at >= startedAt);
    const late = before.filter(([id]) => (receiver.times.get(id)?.[0] ?? 0) > killedAt);
    const repeated = [...receiver.times].filter(([, { length }]) => length > 1);
    process.stdout.write(
      `killed after ${before.length} puts; ${late.length} of them attempted after the restart, ` +
        `${repeated.length} attempted again, ${startedAt - killedAt} ms until it ran again\n`,
    );
    report('put after the restart', waitsOf(new Map(after)));
    report('all but those', [...waitsOf(new Map(before), killedAt), ...waitsOf(new Map(after))]);
    expect(putAt.size).toBe(COUNT);
    expect(receiver.twiceAtOnce).toEqual([]);
    expect(second.out()).toContain(`default: 0 NEW, 0 ERROR, ${COUNT} SUCCESS, 0 DEAD`);
    expect(after.length).toBeGreaterThanOrEqual(LAST);
  });
});

function spread(times: ReadonlyMap<string, number>): number {
  const all = [...times.values()];
  return Math.max(...all) - Math.min(...all);
}

function endpointOf(out: string): string {
  return /DynamoDB +(http:\S+)/.exec(out)?.[1] ?? '';
}
