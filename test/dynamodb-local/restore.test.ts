import { Logger } from '@aws-lambda-powertools/logger';
import { DescribeTimeToLiveCommand, ScanCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import { backlog } from '../cli/in-process.js';
import { type Attributes, ended, HOUR, iso, restoredAndOld, waiting } from '../cli/restore/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const COUNT = 1_000;
/** So many that the tables have several pages in each segment: a command can be interrupted between them. */
const FILLER = 'x'.repeat(12_000);
const tables = restoredAndOld(dynamoDbLocalEndpoint);
// What the command has protected cannot be deleted.
afterEach(async () => {
  const request = { TableName: tables.to().records, DeletionProtectionEnabled: false };
  await tables.client().send(new UpdateTableCommand(request));
});

/** Every type of DynamoDB's, with what a conversion would lose. */
const payload = (i: number): Attributes[string] => ({
  M: {
    digits: { N: '0.12345678901234567890123456789012345678' },
    large: { N: `${i}2345678901234567890123456789` },
    bytes: { B: new Uint8Array([0, 255, i % 256]) },
    texts: { SS: ['é', `${i}`] },
    numbers: { NS: ['1.5', '123456789012345678901234567890'] },
    blobs: { BS: [new Uint8Array([1]), new Uint8Array([i % 256, 2])] },
    list: { L: [{ NULL: true }, { BOOL: false }, { S: '' }, { M: { constructor: { S: 'x' } as never } }] },
    filler: { S: FILLER },
  },
});

/** The versions of a record at the restore point and at the end of the old table. */
const FATES = ['waits', 'succeeded', 'failed', 'discarded', 'lost', 'came', 'was done', 'was dead'] as const;

function recordOf(i: number): { restored?: Attributes; old?: Attributes } {
  const id = `record-${i}`;
  const base = waiting(id, { payload: payload(i), dueAt: iso(-HOUR + i) });
  switch (FATES[i % FATES.length]) {
    case 'waits':
      return { restored: base, old: base };
    case 'succeeded':
      return { restored: base, old: ended(base, 'SUCCESS') };
    case 'failed':
      return {
        restored: base,
        old: { ...base, status: { S: 'ERROR' }, failures: { N: '1' }, rev: { S: 'failed' } },
      };
    case 'discarded':
      return { restored: base, old: ended(base, 'DEAD', { deadReason: { S: 'discarded' } }) };
    case 'lost':
      return { restored: base };
    case 'came':
      return { old: base };
    case 'was done':
      return { restored: ended(base, 'SUCCESS'), old: ended(base, 'SUCCESS') };
    default:
      return { restored: ended(base, 'DEAD'), old: ended(base, 'DEAD') };
  }
}

it('a restored table: interrupted, repeated, and nothing that had succeeded is attempted', async () => {
  const records = Array.from({ length: COUNT }, (_, i) => recordOf(i));
  const { to, from } = { to: tables.to(), from: tables.from() };
  const itemsOf = (of: 'restored' | 'old') =>
    records.map((one) => one[of]).filter((one) => one !== undefined);
  await tables.put(to.records, itemsOf('restored'));
  await tables.put(from.records, itemsOf('old'));
  const [before, old] = [await tables.restored(), await tables.all(from.records)];

  const args = ['--from', from.records, '--succeeded', 'mark', '--missing', 'copy', '--apply', '--yes'];
  /** The number of the first page's records that are marked: one request, so that the interruption comes in time. */
  const marked = async () => {
    const filter = {
      FilterExpression: '#s = :success',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':success': { S: 'SUCCESS' } },
    };
    const page = { TableName: to.records, Segment: 0, TotalSegments: 4, Select: 'COUNT' } as const;
    return (await tables.client().send(new ScanCommand({ ...page, ...filter }))).Count ?? 0;
  };
  const markedBefore = await marked();
  const interrupted = (async () => {
    while ((await marked()) === markedBefore) {}
    process.emit('SIGINT');
  })();
  const first = await tables.restore(...args);
  await interrupted;
  expect(first).toMatchObject({ code: 1, complete: false });
  const writtenFirst = Object.values(first.differences).reduce((sum, group) => sum + group.written, 0);
  expect(writtenFirst).toBeGreaterThan(0);
  expect(writtenFirst).toBeLessThan((3 * COUNT) / FATES.length);
  expect(first.err).toMatch(/the same command goes on with what is left/);

  const second = await tables.restore(...args);
  expect(second).toMatchObject({ complete: true, failed: 0, changedMeanwhile: 0, heldQueues: ['orders'] });
  const written = (name: string) =>
    (first.differences[name]?.written ?? 0) + (second.differences[name]?.written ?? 0);
  const each = COUNT / FATES.length;
  expect([written('succeeded'), written('dead'), written('missing')]).toEqual([each, each, each]);
  expect(second.differences).toMatchObject({ gone: { count: each }, retried: { count: each } });
  expect(second.settings).toMatchObject([
    { name: 'TTL on expiresAt', state: 'turnedOn' },
    {},
    {},
    { name: 'stream of new images', state: 'yours' },
  ]);
  const ttl = await tables.client().send(new DescribeTimeToLiveCommand({ TableName: to.records }));
  expect(ttl.TimeToLiveDescription?.AttributeName).toBe('expiresAt');

  const after = await tables.restored();
  expect(after.size).toBe(COUNT);
  for (const [id, item] of after) {
    const was = before.get(id) ?? old.get(id);
    expect(item.payload).toEqual(was?.payload);
    if (!before.has(id)) expect(item).toEqual(old.get(id));
  }
  const third = await tables.restore(...args);
  expect(Object.values(third.differences).map((group) => group.written)).toEqual([0, 0]);
  expect(await tables.restored()).toEqual(after);

  const attempted: string[] = [];
  const handler = backlogHandler({
    queue: 'orders',
    process: ({ id }) => void attempted.push(id),
    store: tables.store(),
    env: {
      BACKLOG_TABLE: to.records,
      BACKLOG_CONTROL_TABLE: to.control,
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
      BACKLOG_QUEUES: JSON.stringify({ orders: { retryMode: 'perRecord' } }),
    },
    logger: new Logger({ logLevel: 'SILENT' }),
    emit: () => {},
  });
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 300_000 };
  await handler({ queue: 'orders' }, context);
  expect(attempted).toEqual([]);
  await tables.store().queues.setPaused('orders', false);
  await handler({ queue: 'orders' }, context);
  const expected = records.flatMap((_, i) =>
    ['waits', 'failed', 'lost', 'came'].includes(FATES[i % FATES.length] ?? '') ? [`record-${i}`] : [],
  );
  expect(attempted.toSorted()).toEqual(expected.toSorted());
});

it('a table imported into another account: what it lacks is turned on or named, and the doctor verifies it', async () => {
  const { records, control } = tables.to();
  await tables.put(records, [waiting('a')]);
  const at = ['--endpoint', dynamoDbLocalEndpoint(), '--table', records, '--control-table', control];
  const doctor = async () => {
    const { out } = await backlog('doctor', ...at, '--queues', 'orders', '--json');
    const { findings } = JSON.parse(out) as { findings: { kind: string }[] };
    return findings.map(({ kind }) => kind).filter((kind) => /^(table|paused|control)/.test(kind));
  };
  expect((await doctor()).toSorted()).toEqual(
    expect.arrayContaining(['control.empty', 'table.expiry', 'table.protection', 'table.stream']),
  );
  await tables.restore('--apply', '--yes');
  const left = await doctor();
  expect(left).toEqual(expect.arrayContaining(['paused.orders', 'table.stream']));
  for (const kind of ['control.empty', 'table.expiry', 'table.protection']) expect(left).not.toContain(kind);
});
