import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Publish } from '../../functions/events/publish.js';
import { recordEventsHandler } from '../../functions/record-events/record-events-handler.js';
import { RecordGroups } from '../../src/groups/index.js';
import type { Item } from '../../src/record/index.js';
import { toAttributes } from '../../src/store/dynamodb/attribute-values.js';
import { StoreError, StoreUnavailableError } from '../../src/store/errors.js';
import { MemoryStore, type SharedItems } from '../../src/store/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { keepingLogger, type LogEntry } from '../../src/testing/logs.js';
import { replacing } from '../simulation/replacing.js';
import { context } from './support.js';

const START = Date.UTC(2026, 10, 30, 9);
const HERE = 'eu-central-1';
const BOTH = {
  BACKLOG_RECORD_EVENTS: '{"rows":{"on":["succeeded","dead"]}}',
  BACKLOG_EVENT_DLQ_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/dlq',
};

interface Wishes {
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the key of each item of a group that is read. */
  readonly onRead?: (key: string) => void;
  /** Milliseconds since the start. */
  readonly elapsed?: () => number;
  readonly publish?: Publish;
  readonly records?: object;
  readonly activeRegion?: object;
}

/** The function, on tables in memory, and an application that has groups there. */
function bench({
  env = {},
  onRead = () => {},
  elapsed = () => 0,
  publish,
  records = {},
  activeRegion = {},
}: Wishes = {}) {
  const clock = { now: () => START, wall: () => START + elapsed(), sleep: async () => {} };
  const random = seededRandom(7);
  const store = new MemoryStore({ clock });
  const logs: LogEntry[] = [];
  const sent: string[] = [];
  const groups = new RecordGroups({ table: 'records', controlTable: 'control', store, clock, random });
  const read: SharedItems['read'] = (keys) => {
    keys.forEach(onRead);
    return store.groups.read(keys);
  };
  const handler = recordEventsHandler({
    logger: keepingLogger(logs, undefined) as never,
    env: { BACKLOG_TABLE: 'records', BACKLOG_CONTROL_TABLE: 'control', BACKLOG_GROUPS: 'true', ...env },
    store: replacing({ groups: { read }, records, activeRegion }, store),
    clock,
    random,
    publish:
      publish ??
      (async (events) => {
        sent.push(...events.map(({ detail }) => JSON.parse(detail).id));
        return new Map();
      }),
    deadLetters: async () => new Map(),
  });
  let number = 100;
  /** Replaces a record, and returns the change as the stream has it. Undefined: it is deleted. */
  const change = (id: string, attributes: Item | undefined) => {
    const before = store.item(id);
    const after = attributes && { ...before, ...attributes, id };
    if (after) store.put(after);
    return changeOf(id, before, after);
  };
  const changeOf = (id: string, before: Item | undefined, after: Item | undefined) => ({
    eventSource: 'aws:dynamodb',
    eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
    dynamodb: {
      SequenceNumber: String(number++),
      Keys: { id: { S: id } },
      ...(after && { NewImage: toAttributes(after) as object }),
      ...(before && { OldImage: toAttributes(before) as object }),
    },
  });
  const insert = async (group: string, count: number) => {
    const members = Array.from({ length: count }, (_, i) => ({
      id: `${group}/${i}`,
      queue: 'rows',
      payload: i,
    }));
    await groups.insert(group, members, { onComplete: { queue: 'mail' } });
  };
  return {
    ...{ store, groups, logs, sent, change, changeOf, insert },
    take: (...Records: object[]) => handler({ Records }, context),
  };
}

const done = { batchItemFailures: [] };
const from = (one: { readonly dynamodb: { readonly SequenceNumber: string } }) => ({
  batchItemFailures: [{ itemIdentifier: one.dynamodb.SequenceNumber }],
});

describe('the function that counts the members of groups', () => {
  it('notes each change of a member, and starts the record of the end with the last one', async () => {
    const { insert, take, change, groups, store, logs } = bench();
    await insert('import', 5);
    const reopened = [change('import/0', { status: 'DEAD' }), change('import/0', { status: 'NEW' })];
    const ends = [
      change('import/1', { status: 'DEAD', deadReason: 'maxAttempts' }),
      change('import/2', { status: 'DEAD', deadReason: 'cancelled: not wanted' }),
      change('import/3', undefined),
      change('import/4', { memberOf: undefined, status: 'NEW' }),
    ];
    expect(await take(...reopened, ...ends)).toEqual(done);
    expect(await groups.get('import')).toMatchObject({ waiting: 1, dead: 1, cancelled: 1, removed: 2 });
    const last = change('import/0', { status: 'SUCCESS' });
    expect(await take(last)).toEqual(done);
    const counts = { members: 5, succeeded: 1, dead: 1, cancelled: 1, removed: 2, lost: 0 };
    expect(store.item('import')).toMatchObject({
      availableAt: new Date(START).toISOString(),
      payload: { group: { id: 'import', complete: true, ...counts } },
    });
    expect(logs).toMatchObject([{ level: 'info', message: 'a group has ended', extra: { group: 'import' } }]);
    // The batch may come again.
    const ended = store.item('import');
    expect(await take(...reopened, ...ends, last)).toEqual(done);
    expect(store.item('import')).toEqual(ended);
  });

  it.each([
    [{ BACKLOG_INDEX_AT_ONCE: 'true' }, 'alerts'],
    [{}, undefined],
  ])('indexes the record of a first death at once where there is no intake: %j', async (env, lane) => {
    const { groups, take, change, store } = bench({ env });
    const options = { onComplete: { queue: 'mail' }, onFirstDeath: { queue: 'alerts' } };
    await groups.insert('g', [{ id: 'm', payload: 1 }], options);
    await take(change('m', { status: 'DEAD' }));
    expect(store.item('g/first-death')).toMatchObject({ queue: 'alerts' });
    expect(store.item('g/first-death')?.lane).toBe(lane);
  });

  it('leaves an end to the check whose dead members take too long to read, and holds up no stream', async () => {
    let elapsed = 0;
    const { insert, take, change, groups, logs } = bench({
      elapsed: () => elapsed,
      onRead: (key) => {
        if (key.startsWith('group-ids#')) elapsed += 15_000;
      },
    });
    await insert('a', 6_000);
    elapsed = 0;
    const ends = Array.from({ length: 6_000 }, (_, i) => change(`a/${i}`, { status: 'DEAD' }));
    expect(await take(...ends)).toEqual(done);
    expect(logs.filter(({ level }) => level === 'error')).toMatchObject([
      {
        message: 'a group could not be counted',
        extra: { group: 'a', reason: expect.stringContaining('no time to read all its dead members') },
      },
    ]);
    expect(elapsed).toBe(45_000);
    expect(await groups.check('a')).toMatchObject({ state: 'ended', dead: 6_000 });
  });

  it('has the stream come again from the first member whose group has no answer, and counts the others', async () => {
    let isDown = true;
    const { insert, take, change, groups, logs } = bench({
      onRead: (key) => {
        if (isDown && key.endsWith('#b')) throw new StoreUnavailableError('no answer');
      },
    });
    await insert('a', 1);
    await insert('b', 2);
    await insert('c', 1);
    const others = [
      change('elsewhere', { status: 'SUCCESS', payload: 1 }),
      change('a/0', { status: 'SUCCESS' }),
    ];
    const first = change('b/0', { status: 'SUCCESS' });
    const rest = ['c/0', 'b/1'].map((id) => change(id, { status: 'SUCCESS' }));
    expect(await take(...others, first, ...rest)).toEqual(from(first));
    expect(await groups.get('a')).toMatchObject({ state: 'ended' });
    expect(await groups.get('c')).toMatchObject({ state: 'ended' });
    expect(logs.at(-1)).toMatchObject({
      level: 'error',
      message: 'groups were not counted, and come again',
      extra: { count: 1, reason: 'no answer', groups: ['b'] },
    });
    isDown = false;
    expect(await take(first, ...rest)).toEqual(done);
    expect(await groups.get('b')).toMatchObject({ state: 'ended', succeeded: 2 });
  });

  it('leaves a group that the store refuses to the daily check: no other group waits for it', async () => {
    const { insert, take, change, groups, logs } = bench({
      onRead: (key) => {
        if (key.endsWith('#b')) throw new StoreError('Item size has exceeded the maximum');
      },
    });
    await insert('b', 1);
    await insert('c', 1);
    const batch = ['b/0', 'c/0'].map((id) => change(id, { status: 'SUCCESS' }));
    expect(await take(...batch)).toEqual(done);
    expect(await groups.get('c')).toMatchObject({ state: 'ended' });
    expect(logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'a group could not be counted',
        extra: { group: 'b', reason: 'Item size has exceeded the maximum' },
      }),
    );
  });

  it('names a member that cannot be read, and leaves it out: it is no member that was deleted', async () => {
    const { insert, take, change, changeOf, groups, store, logs } = bench();
    await insert('a', 2);
    const broken = changeOf('a/0', store.item('a/0'), store.item('a/0'));
    Object.assign(broken.dynamodb.NewImage ?? {}, { payload: { M: null } });
    expect(await take(broken, change('a/1', { status: 'SUCCESS' }))).toEqual(done);
    expect(await groups.get('a')).toMatchObject({ waiting: 1, succeeded: 1, removed: 0 });
    expect(logs).toMatchObject([
      {
        level: 'error',
        message: 'a member of a group is not counted, as it cannot be read',
        extra: { id: 'a/0' },
      },
    ]);
  });

  it('throws for no value of any attribute', async () => {
    const { insert, take, changeOf, groups } = bench();
    await insert('a', 1);
    const value = fc.oneof(
      fc.constantFrom(
        '0#a',
        '1#a',
        '999#a',
        '0#',
        '#a',
        '0#b',
        '1000000#a',
        '-1#a',
        '0#group-page#0#a',
        '0#__proto__',
      ),
      fc.string(),
      fc.anything({ withBigInt: false, withDate: false, maxDepth: 2 }),
    );
    const item = fc.dictionary(
      fc.constantFrom('memberOf', 'status', 'queue', 'deadReason', 'payload', 'attempts', 'lane', 'rev'),
      value,
    );
    await fc.assert(
      fc.asyncProperty(fc.option(item), fc.option(item), async (before, after) => {
        const marshalled = (one: Item | null) => {
          if (!one) return undefined;
          try {
            toAttributes(one);
            return one;
          } catch {
            return {};
          }
        };
        const change = changeOf('x', marshalled(before), marshalled(after));
        expect(await take(change)).toEqual(done);
      }),
      { numRuns: 200 },
    );
    expect(await groups.get('b')).toBeUndefined();
  });

  it('does nothing in a region that is passive', async () => {
    const env = { BACKLOG_PRIMARY_REGION: HERE, AWS_REGION: HERE };
    const { insert, take, change, groups, store } = bench({ env });
    await insert('a', 1);
    const last = change('a/0', { status: 'SUCCESS' });
    const there = { region: 'eu-west-1', from: START, at: START, before: HERE };
    await store.activeRegion.write(there, undefined);
    expect(await take(last)).toEqual(done);
    expect(await groups.get('a')).toMatchObject({ state: 'sealed', waiting: 1 });
    await store.activeRegion.write({ ...there, region: HERE }, there);
    expect(await take(last)).toEqual(done);
    expect(await groups.get('a')).toMatchObject({ state: 'ended' });
  });

  it('has the stream come again where it cannot look up which region is active', async () => {
    const read = async () => {
      throw new StoreUnavailableError('no answer');
    };
    const env = { BACKLOG_PRIMARY_REGION: HERE, AWS_REGION: HERE };
    const { insert, take, change, groups, logs } = bench({ env, activeRegion: { read } });
    await insert('a', 1);
    const last = change('a/0', { status: 'SUCCESS' });
    expect(await take(change('other', { status: 'SUCCESS' }))).toEqual(done);
    expect(logs).toEqual([]);
    expect(await take(change('other', { status: 'NEW' }), last)).toEqual(from(last));
    expect(await groups.get('a')).toMatchObject({ waiting: 1 });
  });

  it('says which variable is missing', async () => {
    const { take, change } = bench({ env: { BACKLOG_CONTROL_TABLE: '' } });
    await expect(take(change('a', { status: 'SUCCESS' }))).rejects.toThrow('BACKLOG_CONTROL_TABLE');
  });
});

describe('beside the events of records', () => {
  const succeeded = { status: 'SUCCESS', rev: 'r' };

  it('each part does its own work', async () => {
    const { insert, take, change, groups, sent } = bench({ env: BOTH });
    await insert('a', 2);
    const batch = [
      change('a/0', succeeded),
      change('plain', { ...succeeded, queue: 'rows', payload: 1 }),
      change('elsewhere', { ...succeeded, queue: 'other', payload: 1 }),
      change('a/1', undefined),
    ];
    expect(await take(...batch)).toEqual(done);
    expect(sent).toEqual(['a/0', 'plain']);
    expect(await groups.get('a')).toMatchObject({ state: 'ended', succeeded: 1, removed: 1 });
  });

  it('events are sent while groups have no answer, and groups are counted while events are refused', async () => {
    let isDown = true;
    const refused = new Set(['late']);
    const sent: string[] = [];
    const { insert, take, change, groups } = bench({
      env: BOTH,
      onRead: (key) => {
        if (isDown && key.endsWith('#a')) throw new StoreUnavailableError('no answer');
      },
      publish: async (events) => {
        const ids = events.map((event) => [event, JSON.parse(event.detail).id] as const);
        sent.push(...ids.map(([, id]) => id));
        return new Map(
          ids
            .filter(([, id]) => refused.has(id))
            .map(([event]) => [event, { code: 'Throttled', message: '' }]),
        );
      },
    });
    await insert('a', 1);
    await insert('b', 1);
    const batch = [
      change('b/0', succeeded),
      change('a/0', succeeded),
      change('late', { ...succeeded, queue: 'rows', payload: 1 }),
    ] as const;
    expect(await take(...batch)).toEqual(from(batch[1]));
    expect(sent).toEqual(['b/0', 'a/0', 'late']);
    expect(await groups.get('b')).toMatchObject({ state: 'ended' });
    isDown = false;
    expect(await take(...batch)).toEqual(from(batch[2]));
    expect(await groups.get('a')).toMatchObject({ state: 'ended' });
  });

  it('groups are counted even if the part that sends events fails altogether', async () => {
    const publish = async () => {
      throw new TypeError('no such thing');
    };
    const { insert, take, change, groups } = bench({ env: BOTH, publish });
    await insert('a', 1);
    await expect(take(change('a/0', succeeded))).rejects.toThrow('no such thing');
    expect(await groups.get('a')).toMatchObject({ state: 'ended' });
  });

  it('a function without groups reads no item of a group, and one without events sends none', async () => {
    const read: string[] = [];
    const events = bench({ env: { ...BOTH, BACKLOG_GROUPS: '' }, onRead: (key) => void read.push(key) });
    await events.insert('a', 1);
    expect(await events.take(events.change('a/0', succeeded))).toEqual(done);
    expect([events.sent, read]).toEqual([['a/0'], []]);
    const groups = bench();
    await groups.insert('a', 1);
    expect(await groups.take(groups.change('a/0', succeeded))).toEqual(done);
    expect(groups.sent).toEqual([]);
  });
});
