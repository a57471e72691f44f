import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { itemBytes } from '../../src/record/item-size.js';
import { readControl } from '../../src/store/dynamodb/control-items.js';
import { RawItems } from '../../src/store/dynamodb/raw-items.js';
import { createDynamoDbClient, DynamoDbStore, type KeySlotsAsk } from '../../src/store/index.js';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { clock } from './dynamodb-under-test.js';
import { ask, KEYS, MOST, RacingRuns } from './racing-runs.js';
import { NOW } from './records.js';

const dynamoDb = dynamoDbForFile();
/** Sixteen minutes: no slots last for longer. */
const MAX_MS = 960_000;

/** Clients of processes of their own, closed together. */
function processes() {
  const clients: ReturnType<typeof createDynamoDbClient>[] = [];
  const client = () => {
    const made = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
    clients.push(made);
    return made;
  };
  return { client, close: () => clients.forEach((one) => void one.destroy()) };
}

/** A process that tells which requests it makes, and what its writes cost. */
function notedProcess(now = NOW) {
  const { client: newClient, close } = processes();
  const client = newClient();
  const requests: string[] = [];
  const units: number[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      requests.push(String(context.commandName).replace(/(Item)?Command$/, ''));
      return next(args);
    },
    { step: 'initialize', name: 'note' },
  );
  const { keySlots } = new DynamoDbStore({
    client,
    tables: dynamoDb.underTest.tables,
    clock: { ...clock, wall: () => now },
    onConsumed: ({ kind, units: cost }) => void (kind === 'write' && units.push(cost)),
  });
  const made = () => requests.splice(0);
  const take = async (queue: string, asked: KeySlotsAsk) => {
    const slots = await keySlots.take(queue, asked);
    return slots && Object.fromEntries(slots);
  };
  return { keySlots, take, made, units, client, close };
}

const control = () => ({
  documents: DynamoDBDocumentClient.from(dynamoDb.underTest.client),
  TableName: dynamoDb.underTest.tables.control,
});

async function putItem(queue: string, item: Record<string, unknown>): Promise<void> {
  const { documents, TableName } = control();
  await documents.send(new PutCommand({ TableName, Item: { key: `keys#${queue}`, ...item } }));
}

async function storedItem(queue: string): Promise<Record<string, unknown> | undefined> {
  const { documents, TableName } = control();
  const key = { key: `keys#${queue}` };
  return (await documents.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }))).Item;
}

describe('slots of keys on DynamoDB', () => {
  it('are taken, renewed, replaced and given back by one write each, of one unit, while no other process writes', async () => {
    const { keySlots, take, made, units, close } = notedProcess();
    await take('cost', ask('a', { x: 1 }));
    expect(made()).toEqual(['Get', 'Update']);
    await take('cost', ask('a', { x: 1 }, { until: NOW + 70_000 }));
    await take('cost', ask('a', { y: 2, z: 1 }, { until: NOW + 70_000 }));
    await keySlots.release('cost', 'a');
    await take('cost', ask('b', { x: 1 }));
    expect(made()).toEqual(['Update', 'Update', 'Update', 'Update']);
    expect(units).toEqual(units.map(() => 1));
    close();
  });

  it('that do not change cost one read, and no write', async () => {
    const { keySlots, take, made, close } = notedProcess();
    await take('unchanged', ask('a', { x: MOST }));
    made();
    await take('unchanged', ask('a', { x: MOST }));
    await take('unchanged', ask('b', { x: 1 }));
    await take('unchanged', ask('b', {}));
    await take('never-used', ask('b', {}));
    expect(made()).toEqual(['Get', 'Get', 'Get', 'Get']);
    expect(await storedItem('never-used')).toBeUndefined();
    await keySlots.release('never-used', 'b');
    expect(await storedItem('never-used')).toBeUndefined();
    close();
  });

  it('cost a read where other processes write, so that no write fails time and again', async () => {
    const [mine, other] = [notedProcess(), notedProcess()];
    await mine.take('both', ask('a', { x: 1 }));
    await other.take('both', ask('b', { x: 1 }));
    mine.made();
    await mine.take('both', ask('a', { x: 2 }));
    // A first guess that failed. Where the item comes back with that, it is not read.
    expect(mine.made().filter((request) => request === 'Update')).toHaveLength(2);
    await other.take('both', ask('b', { y: 1 }));
    await mine.take('both', ask('a', { x: 1 }));
    expect(mine.made()).toEqual(['Get', 'Update']);
    await mine.take('both', ask('a', { x: 2 }));
    expect(mine.made()).toEqual(['Get', 'Update']);
    await mine.take('both', ask('a', { x: 3 }));
    expect(mine.made()).toEqual(['Update']);
    mine.close();
    other.close();
  });

  it('of eighty keys of three runs have an item of less than 1 KB', async () => {
    const { take, close } = notedProcess();
    const key = (i: number) => (36 ** 6 + i).toString(36);
    for (const run of ['a', 'b', 'c']) {
      const wanted = Object.fromEntries(Array.from({ length: 27 }, (_, i) => [key(i), 1]));
      await take('orders', ask(`abcdefghijkl.1234567${run}`, wanted));
    }
    expect(itemBytes((await storedItem('orders')) ?? {})).toBeLessThan(1024);
    close();
  });

  it('leave an item when no run has any, whose number goes on', async () => {
    const { keySlots, take, close } = notedProcess();
    await take('left', ask('a', { x: 1 }));
    const rev = Number((await storedItem('left'))?.rev);
    await keySlots.release('left', 'a');
    expect(await storedItem('left')).toEqual({ key: 'keys#left', rev: rev + 1, runs: {} });
    await take('left', ask('a', { x: 1 }));
    await take('left', ask('a', {}));
    expect(await storedItem('left')).toEqual({ key: 'keys#left', rev: rev + 3, runs: {} });
    close();
  });

  it('are in no way of those that read the whole control table', async () => {
    const { store, client, tables } = dynamoDb.underTest;
    const readers = async () => [
      await store.control.read(),
      await store.control.readRuns(),
      await store.queues.readAll(),
      await readControl(new RawItems({ client, table: tables.control, keyName: 'key', clock })),
    ];
    const before = await readers();
    await store.keySlots.take('readers', ask('a', { x: 1 }));
    expect(await readers()).toEqual(before);
  });

  it('of runs that ran out go with the next write', async () => {
    const { take, close } = notedProcess();
    await take('tidy', ask('lost', { x: 1 }));
    await take('tidy', ask('a', { y: 1 }, { now: NOW + 60_001, until: NOW + 90_000 }));
    expect(Object.keys((await storedItem('tidy'))?.runs ?? {})).toEqual(['a']);
    close();
  });

  it('of other runs count for a request that has waited for very long', async () => {
    const late = NOW + MAX_MS;
    const { take, close } = notedProcess(late);
    await take('waited', ask('a', { x: 3 }, { now: late, until: late + 60_000 }));
    expect(await take('waited', ask('b', { x: MOST }))).toEqual({ x: 1 });
    close();
  });

  it('are as they were for a run that others are quicker than, time and again', async () => {
    const { take, client, close } = notedProcess();
    const other = notedProcess();
    await take('slow', ask('a', { x: 1 }));
    let writes = 0;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'UpdateItemCommand')
          await other.take('slow', ask('b', { y: 1 + (++writes % 2) }));
        return next(args);
      },
      { step: 'initialize', name: 'interrupt' },
    );
    expect(await take('slow', ask('a', { x: 3 }))).toBeUndefined();
    expect(writes).toBe(8);
    expect(await other.take('slow', ask('c', { x: MOST }))).toEqual({ x: 3 });
    close();
    other.close();
  });

  it('of twelve processes are never more than the limit together, with answers that are lost and requests that come again late', async () => {
    const { client, close } = processes();
    const queue = 'race-of-processes';
    const late: Promise<unknown>[] = [];
    let sent = 0;
    const tooMany: unknown[] = [];
    const stores = Array.from({ length: 12 }, () => {
      const unsafe = client();
      unsafe.middlewareStack.add(
        (next, context) => async (args) => {
          const isWrite = context.commandName === 'UpdateItemCommand';
          const number = ++sent;
          const again = () => next(args).catch(() => {});
          if (isWrite && number % 5 === 0)
            late.push(new Promise((resolve) => setTimeout(() => resolve(again()), number % 40)));
          const answer = await next(args);
          const sums = sumsOf(answer.output as WrittenItem);
          if (Object.values(sums).some((sum) => sum > MOST)) tooMany.push(sums);
          if (isWrite && number % 7 === 0)
            throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
          return answer;
        },
        { step: 'finalizeRequest', priority: 'low', name: 'unsafe' },
      );
      return new DynamoDbStore({ client: unsafe, tables: dynamoDb.underTest.tables, clock }).keySlots;
    });
    const runs = new RacingRuns(queue, 5);
    await runs.race(stores, 8);
    await Promise.all(late);
    expect(tooMany).toEqual([]);
    expect(late.length).toBeGreaterThan(5);
    expect(runs.answers).toBeGreaterThan(8);
    const { take, close: closeLast } = notedProcess();
    const left = (await take(queue, ask('last', Object.fromEntries(KEYS.map((key) => [key, MOST]))))) ?? {};
    for (const key of KEYS) expect((left[key] ?? 0) + runs.sumOf(key), key).toBeLessThanOrEqual(MOST);
    close();
    closeLast();
  });
});

interface WrittenItem {
  readonly Attributes?: Readonly<Record<string, AttributeValue>> | undefined;
}

/** The slots of each key in the item that a write has made. */
function sumsOf({ Attributes }: WrittenItem): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { M } of Object.values(Attributes?.runs?.M ?? {}))
    for (const part of (M?.slots?.S ?? '').split(',').filter(Boolean)) {
      const [key = '', count] = part.split(':');
      sums[key] = (sums[key] ?? 0) + Number(count);
    }
  return sums;
}

describe('a damaged item of slots of keys', () => {
  const sound = { until: NOW + 60_000, slots: 'x:3' };
  const values: unknown[] = [
    null,
    true,
    7,
    -1,
    1.5,
    NumberValue.from('1e30'),
    'text',
    '',
    [],
    ['a'],
    {},
    { a: 1 },
    new Set(['a']),
    new Uint8Array(3),
  ];

  it.each(values.map((value) => [value]))(
    'with the number %o is repaired by the next request, and by one that gives back',
    async (rev) => {
      const queue = `rev-${values.indexOf(rev)}`;
      const { keySlots, take, close } = notedProcess();
      await putItem(queue, { rev, runs: { a: sound } });
      expect(await take(queue, ask('b', { x: MOST }))).toEqual({ x: 1 });
      expect(await take(queue, ask('c', { y: 1 }))).toEqual({ y: 1 });
      const repaired = (await storedItem(queue)) as { rev: number };
      expect(Number.isSafeInteger(repaired.rev * 2) && repaired.rev > 0).toBe(true);
      await putItem(queue, { rev, runs: { a: sound, b: sound } });
      // A guess of before, and an item that is damaged by now.
      expect(await take(queue, ask('c', { x: 1, y: 1 }))).toEqual({ y: 1 });
      await putItem(queue, { rev, runs: { a: sound } });
      for (const run of ['unknown', 'a']) await keySlots.release(queue, run);
      expect(await take(queue, ask('b', { x: MOST }))).toEqual({ x: MOST });
      close();
    },
  );

  it.each([undefined, ...values].map((value) => [value]))('with runs that are %o has none', async (runs) => {
    const queue = `runs-${values.indexOf(runs)}`;
    const { keySlots, take, close } = notedProcess();
    for (const rev of [7, undefined]) {
      await putItem(queue, {
        ...(runs === undefined ? {} : { runs }),
        ...(rev === undefined ? {} : { rev }),
      });
      await keySlots.release(queue, 'a');
      expect(await keySlots.end([queue], { holderPrefix: '', until: NOW })).toBe(0);
      expect(await take(queue, ask('b', { x: MOST }))).toEqual({ x: MOST });
      expect(await take(queue, ask('a', { x: 1, y: 1 }))).toEqual({ y: 1 });
    }
    close();
  });

  const odd: [string, unknown][] = [
    ...values.map((value): [string, unknown] => ['no map of its own', value]),
    ...values
      .filter((value) => value !== 7 && value !== 1.5)
      .map((until): [string, unknown] => ['until', { ...sound, until }]),
    ['until, a bit too late', { ...sound, until: NOW + MAX_MS + 1 }],
    ...values.map((slots): [string, unknown] => ['slots', { ...sound, slots }]),
    ...[
      'x',
      'x:',
      'x:0',
      'x:-3',
      'x:1.5',
      'x:03',
      'x:1e3',
      ':3',
      'X:3',
      'x:3:3',
      'x 3',
      'xxxxxxxx:3',
      '__proto__:3',
      ',',
    ].map((slots): [string, unknown] => ['slots', { ...sound, slots }]),
  ];

  it('leaves out runs that no run can have written, and keeps the others', async () => {
    const { take, close } = notedProcess();
    for (const [i, [what, run]] of odd.entries()) {
      const queue = `odd-${i}`;
      await putItem(queue, { rev: 7, runs: { odd: run, a: sound } });
      expect([what, run, await take(queue, ask('b', { x: MOST }))]).toEqual([what, run, { x: 1 }]);
      expect(Object.keys((await storedItem(queue))?.runs ?? {}).sort()).toEqual(['a', 'b']);
    }
    close();
  });

  it('keeps what is sound of a run whose slots are damaged in part', async () => {
    const { take, close } = notedProcess();
    await putItem('part', { rev: 7, runs: { a: { ...sound, slots: 'x:2,,y:no,Z:1,z:4' } } });
    expect(await take('part', ask('b', { x: MOST, y: MOST, z: 1 }))).toEqual({ x: 2, y: MOST });
    close();
  });

  it('that the SDK cannot read in the error of a condition, for a name `__proto__` in it, is read again', async () => {
    const { keySlots, take, made, client, close } = notedProcess();
    await take('unreadable', ask('a', { x: 1 }));
    client.middlewareStack.add(
      (next, context) => (args) =>
        next(args).catch((error: Error) => {
          const isUnreadable = error.name === 'ConditionalCheckFailedException';
          throw isUnreadable ? new TypeError(`${context.commandName}: undefined has no 'B'`) : error;
        }),
      { step: 'initialize', name: 'unreadable' },
    );
    await putItem('unreadable', { rev: 7, runs: 'odd' });
    made();
    expect(await take('unreadable', ask('a', { x: 2 }))).toEqual({ x: 2 });
    expect(made()).toEqual(['Update', 'Get', 'Update']);
    await putItem('unreadable', { rev: 7, runs: { a: sound } });
    await keySlots.release('unreadable', 'a');
    expect(await storedItem('unreadable')).toMatchObject({ rev: 8, runs: {} });
    close();
  });

  it('that has slots until the last moment a run may have them counts them', async () => {
    const { take, close } = notedProcess();
    await putItem('last', { rev: 7, runs: { a: { ...sound, until: NOW + MAX_MS } } });
    expect(await take('last', ask('b', { x: MOST }))).toEqual({ x: 1 });
    close();
  });
});
