import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweep } from '../../src/intake/index.js';
import { DynamoDbStore } from '../../src/store/index.js';
import { type OpenBacklog, openBacklog } from '../format/backlog.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;

let backlog: OpenBacklog;
beforeAll(async () => {
  backlog = await openBacklog(START);
});
afterAll(() => backlog.close());

/** Anything that a control item's attribute may have become. */
const VALUES: Record<string, AttributeValue> = {
  null: { NULL: true },
  'an empty text': { S: '' },
  'a text': { S: 'x' },
  'a negative number': { N: '-5' },
  'a number of the year 287396': { N: '9007199254740991' },
  'a list of anything': { L: [{ S: '' }, { N: '1' }, { S: 'x'.repeat(3_000) }, { NULL: true }] },
  'a map of anything': { M: { '3': { S: 'x' }, x: { NULL: true }, holder: { N: '1' } } },
};

const LEASE: Record<string, AttributeValue> = {
  holder: { S: 'lost' },
  until: { N: String(START - MINUTE) },
  rev: { S: 'r' },
  ids: { L: [{ S: 'gone' }] },
  begun: { BOOL: true },
  suspects: { L: [{ S: 'gone' }] },
  cursor: { L: ['a', '2026-01-01T00:00:00.000Z', 'b', '2025-12-31T00:00:00.000Z'].map((S) => ({ S })) },
  woken: { BOOL: true },
};
const QUEUE: Record<string, AttributeValue> = {
  retryMode: { S: 'perRecord' },
  retryModeSince: { N: '0' },
  tiers: { M: { '3': { M: { at: { N: String(START) }, complete: { BOOL: true } } } } },
  nextPermit: { N: String(START) },
};

const cases = (sound: object) =>
  Object.keys(sound).flatMap((name) => Object.keys(VALUES).map((kind) => [name, kind] as const));

let queues = 0;
const put = async (queue: string) => {
  await backlog.put('records', {
    id: { S: `good-${queue}` },
    status: { S: 'NEW' },
    queue: { S: queue },
    insertedAt: { S: '2025-12-31T23:00:00.000Z' },
    lane: { S: queue },
    dueAt: { S: '2025-12-31T23:00:00.000Z' },
  });
};

/** Runs of all these queues at once, again after a function's time, and once more. */
async function attemptAll(names: readonly string[], choices: object = {}): Promise<string[]> {
  const attempted = new Set<string>();
  const process = ({ id }: { id: string }) => void attempted.add(id);
  for (const minutes of [0, 17, 34]) {
    backlog.passUntil(START + minutes * MINUTE);
    const left = names.filter((queue) => !attempted.has(`good-${queue}`));
    for (let i = 0; i < left.length; i += AT_ONCE) {
      const some = left.slice(i, i + AT_ONCE);
      await Promise.all(some.map((queue) => backlog.run({ queue, mayWait: false, ...choices }, process)));
    }
  }
  return names.filter((queue) => !attempted.has(`good-${queue}`));
}
const AT_ONCE = 10;

describe('a control item with an invalid attribute', () => {
  it('keeps the sweep from nothing', async () => {
    const SWEEP = {
      startedAt: { N: String(START) },
      finishedAt: { N: String(START) },
      cursors: { L: Array.from({ length: 4 }, () => ({ NULL: true })) },
      found: { N: '0' },
    };
    await backlog.put('records', { id: { S: 'bare' }, status: { S: 'NEW' }, queue: { S: 'swept' } });
    for (const [name, kind] of cases(SWEEP)) {
      backlog.passUntil(START + 48 * 60 * MINUTE);
      const value = VALUES[kind] as AttributeValue;
      await backlog.put('control', { ...SWEEP, [name]: value, key: { S: 'sweep' } });
      const found: string[] = [];
      const { store, clock } = backlog;
      const deadline = clock.wall() + 10 * MINUTE;
      const deps = {
        store,
        clock,
        deadline,
        found: async (ids: readonly string[]) => void found.push(...ids),
      };
      // One that goes on from what was damaged may have come to its end; the next one is whole.
      await sweep(deps);
      backlog.passUntil(START + 96 * 60 * MINUTE);
      await sweep({ ...deps, deadline: clock.wall() + 10 * MINUTE });
      expect([name, kind, found]).toEqual([name, kind, expect.arrayContaining(['bare'])]);
    }
  });

  it('keeps no record from its attempt where it is a lease', async () => {
    backlog.passUntil(START);
    const names = new Map<string, string>();
    for (const [name, kind] of cases(LEASE)) {
      const queue = `lease${queues++}`;
      names.set(queue, `${name}: ${kind}`);
      const key = { S: `lease#${queue}` };
      await backlog.put('control', { ...LEASE, [name]: VALUES[kind] as AttributeValue, key });
      await put(queue);
    }
    const stuck = await attemptAll([...names.keys()]);
    expect(stuck.map((queue) => names.get(queue))).toEqual([]);
  });

  it('keeps no record from its attempt where it is the item of the queue', async () => {
    backlog.passUntil(START);
    const names = new Map<string, string>();
    for (const [name, kind] of cases(QUEUE)) {
      const queue = `queue${queues++}`;
      names.set(queue, `${name}: ${kind}`);
      const item = { ...QUEUE, [name]: VALUES[kind] as AttributeValue, key: { S: `queue#${queue}` } };
      await backlog.put('control', item);
      await put(queue);
    }
    const stuck = await attemptAll([...names.keys()], { attemptsPerSecond: 100 });
    expect(stuck.map((queue) => names.get(queue))).toEqual([]);
    for (const queue of names.keys()) {
      await backlog.store.queues.recordTierRun(queue, '2', { at: START, complete: true });
      expect((await backlog.store.queues.read(queue)).tiers.get('2')).toEqual({ at: START, complete: true });
    }
  });

  it('keeps no record from its attempt where it counts the attempts of all runs', async () => {
    backlog.passUntil(START);
    const lost = { count: { N: '1' }, onArrival: { BOOL: false }, until: { N: String(START - MINUTE) } };
    const whole = { slots: { M: { lost: { M: lost } } }, slotsTaken: { N: '1' }, slotsOnArrival: { N: '0' } };
    const damaged: Record<string, AttributeValue>[] = Object.values(VALUES).flatMap((value) => [
      ...Object.keys(whole).map((name) => ({ ...whole, [name]: value })),
      ...Object.keys(lost).map((name) => ({
        ...whole,
        slots: { M: { lost: { M: { ...lost, [name]: value } } } },
      })),
    ]);
    const items = new Map<string, object>();
    for (const item of damaged) {
      const queue = `slots${queues++}`;
      items.set(queue, item);
      await backlog.put('control', { ...QUEUE, ...item, key: { S: `queue#${queue}` } });
      await put(queue);
    }
    const stuck = await attemptAll([...items.keys()], { globalConcurrency: 1 });
    expect(stuck.map((queue) => items.get(queue))).toEqual([]);
  });
});

it('damaged claims on arrivals keep no record from its attempt, nor another queue’s from anything', async () => {
  const claim = {
    holder: { S: 'lost' },
    until: { N: String(START - MINUTE) },
    ids: { B: new Uint8Array(4) },
  };
  const damaged: Record<string, AttributeValue>[] = Object.values(VALUES).flatMap((value) => [
    { runs: value },
    { runs: { M: { odd: value } } },
    ...Object.keys(claim).map((name) => ({ runs: { M: { odd: { M: { ...claim, [name]: value } } } } })),
  ]);
  const stuck = new Map<string, object>();
  for (const item of damaged) {
    const queue = `claims${queues++}`;
    stuck.set(queue, item);
    await backlog.put('control', { ...item, key: { S: `arrivals#${queue}` } });
    await backlog.put('records', { id: { S: queue }, status: { S: 'NEW' }, queue: { S: queue } });
  }
  for (const minutes of [0, 17]) {
    backlog.passUntil(START + minutes * MINUTE);
    const names = [...stuck.keys()];
    const inFlight = await backlog.store.claims.find(names, names, backlog.clock.wall());
    expect(inFlight.ids).toEqual([]);
    await Promise.all(
      names.map((queue) =>
        backlog.run({ queue, mayWait: false, arrivals: { batch: '1/1', ids: [queue] } }, () => {
          stuck.delete(queue);
        }),
      ),
    );
  }
  expect([...stuck.values()]).toEqual([]);
});

it('a damaged claim holds its records until no function can be at work on them, and the log says so', async () => {
  backlog.passUntil(START);
  const { dynamo: client, tables, clock } = backlog;
  const reported: unknown[] = [];
  const onDamaged = (...damage: unknown[]) => void reported.push(damage);
  const store = new DynamoDbStore({ client, tables, clock, onDamaged });
  const mine = { batch: 'b', holder: 'me', until: START + MINUTE, ids: ['r'], now: START };
  await store.claims.take('held', mine);
  const key = { key: { S: 'arrivals#held' } };
  const { ids } =
    (await backlog.items()).control.find((item) => item.key?.S === key.key.S)?.runs?.M?.b?.M ?? {};
  const damaged = {
    holder: { NULL: true as const },
    until: { S: 'soon' },
    ids: ids ?? { NULL: true as const },
  };
  await backlog.put('control', { ...key, runs: { M: { b: { M: damaged } } } });
  expect(await store.claims.take('held', { ...mine, holder: 'you', batch: 'c' })).toBe('shared');
  expect(reported).toEqual([['arrivals#held', ['runs']]]);
  const later = START + 17 * MINUTE;
  expect((await store.claims.find(['held'], ['r'], later)).ids).toEqual([]);
});

it('a damaged breaker is probed, and what the probe finds replaces it', async () => {
  const state = { until: { N: String(START) }, since: { N: String(START) }, token: { S: 't' } };
  const damaged: Record<string, AttributeValue>[] = Object.values(VALUES).flatMap((value) => [
    { breakers: value },
    { breakers: { M: { '*': value } } },
    ...Object.keys(state).map((name) => ({ breakers: { M: { '*': { M: { ...state, [name]: value } } } } })),
  ]);
  for (const item of damaged) {
    const queue = `breaker${queues++}`;
    await backlog.put('control', { ...item, key: { S: `queue#${queue}` } });
    const read = (await backlog.store.queues.read(queue)).breakers.get('*');
    expect([item, (read?.until ?? 0) <= START]).toEqual([item, true]);
    const next = { until: START + MINUTE, since: START, token: 'next' };
    expect([item, await backlog.store.breakers.set(queue, '*', next, read)]).toEqual([item, true]);
    expect((await backlog.store.queues.read(queue)).breakers.get('*')).toEqual(next);
  }
});

it('a lease that no run could take over begins again when no function can be at work under it, and the log says so', async () => {
  backlog.passUntil(START);
  const { dynamo: client, tables } = backlog;
  const damaged: unknown[] = [];
  const store = new DynamoDbStore({
    client,
    tables,
    clock: backlog.clock,
    onDamaged: (...reported) => void damaged.push(reported),
  });
  await backlog.put('control', {
    ...LEASE,
    until: { S: 'soon' },
    holder: { N: '1' },
    key: { S: 'lease#odd' },
  });
  const hold = { holder: 'me', until: START + MINUTE, ids: [], rev: 'r' };
  const first = await store.leases.hold('odd', hold);
  expect(first).toMatchObject({ held: false, lease: { until: START + 16 * MINUTE, ids: ['gone'] } });
  expect(await store.leases.hold('odd', hold)).toEqual(first);
  expect(damaged).toEqual([['lease#odd', ['holder', 'until']]]);
});
