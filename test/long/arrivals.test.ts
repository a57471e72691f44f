import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { CommandLine, startReceiver } from '../cli/process.js';

/** An app of one's own, whose rules fire every second. What an intake waits for it waits for in real time. */
let cli: CommandLine;
let runtime: Awaited<ReturnType<CommandLine['startRuntime']>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let documents: DynamoDBDocumentClient;
let folder: string;
const TableName = 'BacklogRecords';

beforeAll(async () => {
  cli = await CommandLine.create();
  receiver = await startReceiver(() => 200);
  folder = await mkdtemp(join(tmpdir(), 'backlog-arrivals-'));
  const app = `FOLDER='${folder}' npx tsx test/long/fixtures/arrivals-app.ts`;
  runtime = await cli.startRuntime('--app', app, '--speed', '60', '--deliver-to', receiver.url);
  const endpoint = /DynamoDB +(http:\S+)/.exec(runtime.out())?.[1];
  documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint }));
});
afterAll(async () => {
  documents?.destroy();
  runtime?.kill('SIGTERM');
  await runtime?.ended;
  cli.close();
  await receiver?.stop();
});

const put = (item: Record<string, unknown>) =>
  documents.send(new PutCommand({ TableName, Item: { status: 'NEW', queue: 'orders', ...item } }));
const record = async (id: string) =>
  (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;
const succeeded = (id: string, timeout: number) =>
  vi.waitFor(async () => expect(await record(id)).toMatchObject({ status: 'SUCCESS' }), {
    timeout,
    interval: 100,
  });

/** `7 begin`, `7 end`: what the handler has seen of a record. */
function seen(id: string): string[] {
  const file = join(folder, 'seen');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; payload: unknown; what: string })
    .filter((line) => line.id === id)
    .map(({ payload, what }) => `${payload} ${what}`);
}

it.concurrent('ids of a run whose process dies come back, are indexed, and are attempted by the run that finds them first', async () => {
  const ids = ['exit-1', 'exit-2', 'exit-3'];
  await put({ id: 'exit-1', queue: 'fragile', payload: 'exit once' });
  await vi.waitFor(() => expect(existsSync(join(folder, 'exited'))).toBe(true), { timeout: 120_000 });
  expect(await record('exit-1')).not.toHaveProperty('lane');
  expect(await record('exit-1')).toMatchObject({ status: 'NEW' });
  await Promise.all(ids.slice(1).map((id) => put({ id, queue: 'fragile', payload: 1 })));
  await Promise.all(ids.slice(1).map((id) => succeeded(id, 120_000)));
  await succeeded('exit-1', 120_000);
  expect(seen('exit-1')).toEqual(['exit once begin', 'exit once begin', 'exit once end']);
  expect(runtime.out()).toMatch(/fragile, on arrival: Runtime exited with exit status 1/);
  // A run of the rule, or one of the others' runs, has attempted it: all of them report three successes.
  const successes = () =>
    [...runtime.out().matchAll(/fragile, [^:]+: attempted \d+: (\d+) ok/g)].map(([, count]) => Number(count));
  await vi.waitFor(() => expect(successes().reduce((sum, count) => sum + count, 0)).toBe(3), 120_000);
});

it.concurrent("a producer's overwrite of a record that has succeeded is attempted as a new one", async () => {
  await put({ id: 'again', payload: 1 });
  await succeeded('again', 30_000);
  await put({ id: 'again', payload: 2 });
  await vi.waitFor(() => expect(seen('again')).toHaveLength(4), { timeout: 150_000, interval: 200 });
  await succeeded('again', 30_000);
  expect(seen('again')).toEqual(['1 begin', '1 end', '2 begin', '2 end']);
});

it.concurrent('an overwrite during the attempt is attempted after it, never at the same time', async () => {
  await put({ id: 'during', payload: 'slow' });
  await vi.waitFor(() => expect(seen('during')).toEqual(['slow begin']), { timeout: 120_000 });
  await put({ id: 'during', payload: 'new' });
  await succeeded('during', 180_000);
  expect(seen('during')).toEqual(['slow begin', 'slow end', 'new begin', 'new end']);
});

it.concurrent('records of a queue that waits for its rule are attempted by it alone', async () => {
  await put({ id: 'patient', queue: 'patient', payload: 1 });
  await succeeded('patient', 30_000);
  expect(receiver.deliveries.map(({ id }) => id)).toEqual(['patient']);
  await vi.waitFor(() => expect(runtime.out()).toMatch(/patient, every minute: attempted 1: 1 ok/), 60_000);
  expect(runtime.out()).not.toContain('patient, on arrival');
});
