import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../../src/store/index.js';
import type { RuntimeStatus } from '../../../tools/src/local/status/status.js';
import { CommandLine, startReceiver } from '../../cli/process.js';

/** The package's own app, in real time: its rules fire a minute after the start. */
let cli: CommandLine;
let runtime: Awaited<ReturnType<CommandLine['startRuntime']>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let documents: DynamoDBDocumentClient;
let table: string;
const answers: Record<string, number> = {};

const status = async () => {
  const [page] = /http:\S+(?=\n)/.exec(runtime.out().split('Console')[1] ?? '') ?? [];
  return (await (await fetch(`${page}status.json`)).json()) as RuntimeStatus;
};

beforeAll(async () => {
  cli = await CommandLine.create();
  receiver = await startReceiver((id) => answers[id] ?? 200);
  runtime = await cli.startRuntime('--no-sample', '--deliver-to', receiver.url);
  const { endpoint, tables } = await status();
  documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint }));
  table = tables[0] ?? '';
});
afterAll(async () => {
  documents?.destroy();
  runtime?.kill('SIGTERM');
  expect(await runtime?.ended).toBe(0);
  cli.close();
  await receiver?.stop();
});

const put = (item: Record<string, unknown>) =>
  documents.send(new PutCommand({ TableName: table, Item: { status: 'NEW', ...item } }));
const record = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }))).Item;
/** A run may need a moment to start its sandbox; the next firing is a minute away. */
const soon = { timeout: 120_000, interval: 50 };

it('a bare item, put by any client, is delivered long before the next rule fires, by one write', async () => {
  await put({ id: 'bare', payload: { order: 1 } });
  await vi.waitFor(async () => expect(await record('bare')).toMatchObject({ status: 'SUCCESS' }), soon);
  expect(receiver.deliveries.filter(({ id }) => id === 'bare')).toMatchObject([{ body: '{"order":1}' }]);
  expect(await record('bare')).toMatchObject({ attempts: 1 });
  expect((await status()).rules.filter(({ fired }) => fired > 0)).toEqual([]);
});

it('an item of another queue comes to the function of that queue', async () => {
  await put({ id: 'bulk', queue: 'bulk', payload: 2 });
  await vi.waitFor(async () => expect(await record('bulk')).toMatchObject({ status: 'SUCCESS' }), soon);
  await vi.waitFor(
    async () => expect((await status()).runs.map(({ label }) => label)).toContain('bulk, on arrival'),
    soon,
  );
});

it('one that fails is indexed, and due when its policy says', async () => {
  answers.fails = 503;
  await put({ id: 'fails', payload: 3 });
  await vi.waitFor(async () => expect(await record('fails')).toMatchObject({ status: 'ERROR' }), soon);
  const failed = await record('fails');
  expect(failed).toMatchObject({ lane: 'default', attempts: 1, failures: 1 });
  const waits = Date.parse(failed?.dueAt) - Date.parse(failed?.lastAttemptAt);
  expect(waits).toBeGreaterThan(0);
  expect(waits).toBeLessThan(90_000);
  expect(receiver.deliveries.filter(({ id }) => id === 'fails')).toHaveLength(1);
});

it('one of a queue that is not there is kept in a lane of that name, and the log says so', async () => {
  await put({ id: 'lost', queue: 'oders', payload: 4 });
  await vi.waitFor(async () => expect(await record('lost')).toMatchObject({ lane: 'oders' }), soon);
  expect(await record('lost')).toMatchObject({ status: 'NEW', dueAt: expect.any(String) });
  expect(receiver.deliveries.filter(({ id }) => id === 'lost')).toEqual([]);
  await vi.waitFor(async () => {
    const { notices, queues } = await status();
    expect(notices.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('no rule serves this queue'),
    );
    expect(queues.find(({ name }) => name === 'oders')).toMatchObject({ NEW: 1 });
  }, soon);
});

it('invalid attributes of an item are repaired and reported', async () => {
  await put({ id: 'odd', status: 'new', insertedAt: 7, payload: 5 });
  await vi.waitFor(async () => expect(await record('odd')).toMatchObject({ lane: 'default' }), soon);
  expect(await record('odd')).toMatchObject({ status: 'NEW', insertedAt: expect.stringMatching(/Z$/) });
});

it('one that its producer delays waits in the index for its time', async () => {
  const availableAt = new Date(Date.now() + 3_600_000).toISOString();
  await put({ id: 'delayed', payload: 6, availableAt });
  await vi.waitFor(async () => expect(await record('delayed')).toMatchObject({ dueAt: availableAt }), soon);
  expect(receiver.deliveries.filter(({ id }) => id === 'delayed')).toEqual([]);
});

it('many at once are each delivered once, and none is left to a rule', async () => {
  const ids = Array.from({ length: 150 }, (_, i) => `many-${i}`);
  await Promise.all(ids.map((id) => put({ id, payload: id })));
  const succeeded = async () => {
    const { queues } = await status();
    return queues.find(({ name }) => name === 'default')?.SUCCESS;
  };
  await vi.waitFor(async () => expect(await succeeded()).toBe(ids.length + 1), soon);
  const delivered = receiver.deliveries.map(({ id }) => id).filter((id) => id.startsWith('many-'));
  expect(delivered.sort()).toEqual(ids.sort());
});
