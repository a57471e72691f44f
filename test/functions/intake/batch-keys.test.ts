import { describe, expect, it } from 'vitest';
import type { ArrivalsEvent } from '../../../functions/intake/arrivals.js';
import { BatchKeys } from '../../../functions/intake/batch-keys.js';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import { busyKeysText, hashOfKey, withBusy } from '../../../src/record/busy-keys.js';
import { intercepted } from '../../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../../src/store/errors.js';
import { context, workbench } from '../support.js';

const QUEUES = {
  fair: { retryMode: 'perRecord', fairness: true },
  spread: { retryMode: 'perRecord', fairness: true, shards: 4 },
  plain: { retryMode: 'perRecord' },
  later: { retryMode: 'perRecord', fairness: true },
} as const;

function bench(answer: 'accepted' | 'refused' = 'accepted') {
  const made = workbench(QUEUES);
  const events: ArrivalsEvent[] = [];
  const invoker: Invoker = {
    invoke: async ({ event }) => {
      events.push(event as ArrivalsEvent);
      return answer;
    },
    async sendToRedelivery() {},
    async sendShortWait() {},
    async giveUp() {},
  };
  const env = {
    ...made.overrides.env,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Fast: ['fair', 'spread', 'plain'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
  /** Another sandbox of the intake. */
  const sandbox = (store = made.store) =>
    intakeHandler({ ...made.overrides, store, env, invoker, batchKeys: BatchKeys });
  const seconds = made.clock.now() / 1000;
  /** Puts records `a0`, `a1`, ... of the key `a` for each text such as `a`, in this order. */
  const put = (keys: string, queue = 'fair', from = 0) => {
    const counts = new Map<string, number>();
    const changes = made.changesOf(() => {
      for (const key of keys) {
        const number = counts.get(key) ?? from;
        counts.set(key, number + 1);
        made.store.put({ id: `${key}${number}`, status: 'NEW', payload: 1, queue, key });
      }
    });
    const Records = changes.map(({ dynamodb, ...change }) => ({
      ...change,
      dynamodb: { ...dynamodb, ApproximateCreationDateTime: seconds },
    }));
    return { Records };
  };
  const lanes = (queue = 'fair') => {
    const found: Record<string, Set<unknown>> = {};
    for (const { key, lane, queue: own } of made.store.items()) {
      const some = found[String(key)] ?? new Set();
      if (own === queue) found[String(key)] = some.add(lane);
    }
    return Object.fromEntries(Object.entries(found).map(([key, some]) => [key, [...some]]));
  };
  const arrivals = () => events.map((event) => event.arrivals);
  return { ...made, intake: sandbox(), sandbox, put, lanes, events, arrivals };
}

const many = (key: string, count: number) => key.repeat(count);
const names = (key: string, from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => `${key}${from + i}`);

describe('the keys of the records that come to a queue which is fair between keys', () => {
  it('are in the order in which they came, while none is busy', async () => {
    const { intake, put, arrivals } = bench();
    await intake(put('abcabc'), context);
    expect(arrivals()).toMatchObject([{ ids: ['a0', 'b0', 'c0', 'a1', 'b1', 'c1'] }]);
    expect(arrivals()[0]).not.toHaveProperty('light');
  });

  it('come behind the others where they are busy, and take turns there', async () => {
    const { intake, put, arrivals } = bench();
    await intake(put(`${many('a', 14)}x${many('b', 12)}y`), context);
    expect(arrivals()).toMatchObject([
      {
        ids: [
          ...names('a', 0, 10),
          'x0',
          ...names('b', 0, 10),
          'y0',
          'a10',
          'b10',
          'a11',
          'b11',
          'a12',
          'a13',
        ],
        light: 22,
      },
    ]);
  });

  it('are counted from batch to batch, and forgiven in time', async () => {
    const { intake, put, arrivals, clock } = bench();
    for (const from of [0, 6]) await intake(put(many('a', 6), 'fair', from), context);
    expect(arrivals()).toMatchObject([{ ids: names('a', 0, 6) }, { ids: names('a', 6, 12), light: 4 }]);
    clock.advance(60);
    await intake(put(many('a', 6), 'fair', 12), context);
    expect(arrivals()[2]).not.toHaveProperty('light');
  });

  it('are counted once where a batch comes again, whose event is the same', async () => {
    const { intake, put, events } = bench();
    const first = put(many('a', 8));
    for (let i = 0; i < 3; i++) await intake(first, context);
    expect(events[0]?.arrivals).not.toHaveProperty('light');
    const second = put(many('a', 8), 'fair', 8);
    for (let i = 0; i < 3; i++) await intake(second, context);
    expect(events[3]?.arrivals).toMatchObject({ light: 2 });
    expect(events.slice(1, 3)).toEqual([events[0], events[0]]);
    expect(events.slice(4)).toEqual([events[3], events[3]]);
  });

  it('are counted by each sandbox for itself, and by each queue', async () => {
    const { sandbox, put, arrivals } = bench();
    for (const [i, queue] of ['fair', 'fair', 'spread'].entries()) {
      const intake = sandbox();
      await intake(put(many('a', 10), queue, i * 10), context);
    }
    const intake = sandbox();
    await intake(put(many('a', 10), 'fair', 30), context);
    await intake(put(many('a', 10), 'spread', 40), context);
    for (const event of arrivals()) expect(event).not.toHaveProperty('light');
  });

  it('change nothing in a queue that is not, and nothing for records without a key', async () => {
    const { intake, put, arrivals, store, changesOf } = bench();
    await intake(put(`${many('a', 30)}b`, 'plain'), context);
    const bare = changesOf(() => {
      for (let i = 0; i < 30; i++)
        store.put({ id: `n${i}`, status: 'NEW', payload: 1, queue: 'fair', key: i });
    });
    await intake({ Records: bare }, context);
    expect(arrivals()).toMatchObject([{ ids: [...names('a', 0, 30), 'b0'] }, { ids: names('n', 0, 30) }]);
    for (const event of arrivals()) expect(event).not.toHaveProperty('light');
    expect((await store.queues.read('plain')).busyKeys).toBeUndefined();
  });
});

describe('the lanes of busy keys, for records that the intake indexes', () => {
  it('are those of records in a queue without runs on arrival', async () => {
    const { intake, put, lanes } = bench();
    await intake(put(`${many('a', 14)}x`, 'later'), context);
    // All records of the key that are indexed from now on, also those with which it was not busy yet.
    expect(lanes('later')).toEqual({ a: ['later#31'], x: ['later'] });
  });

  it('are those of records whose run could not be started', async () => {
    const { intake, put, lanes } = bench('refused');
    await intake(put(`${many('a', 14)}${many('b', 3)}`), context);
    expect(lanes()).toEqual({ a: ['fair#31'], b: ['fair'] });
    await intake(put(`${many('a', 14)}${many('b', 3)}`, 'spread', 20), context);
    const { a, b = [] } = lanes('spread');
    expect(a).toEqual(['spread#31']);
    expect(b.every((lane) => /^spread(#[123])?$/.test(String(lane)))).toBe(true);
  });

  it('are the same for several sandboxes, each of which reads what the others have noted', async () => {
    const { sandbox, put, lanes, clock } = bench('refused');
    const [one, other] = [sandbox(), sandbox()];
    await one(put(many('a', 12)), context);
    await other(put(many('b', 12)), context);
    clock.advance(6);
    await other(put('a', 'fair', 12), context);
    await one(put('b', 'fair', 12), context);
    expect(lanes()).toEqual({ a: ['fair#31'], b: ['fair#30'] });
  });

  it('are none where their note cannot be written: the records are indexed in the lane of their queue', async () => {
    const { sandbox, store, put, lanes, lines } = bench('refused');
    const failing = intercepted(store, (name, call) => {
      if (name === 'queues.noteBusyKeys') throw new StoreUnavailableError('no answer');
      return call();
    });
    expect(await sandbox(failing)(put(many('a', 14)), context)).toEqual({ batchItemFailures: [] });
    expect(lanes()).toEqual({ a: ['fair'] });
    expect(lines.join()).toContain('keys could not be given lanes of their own');
  });

  it('are left alone in a queue that is not fair any more', async () => {
    const { sandbox, store, put, lanes } = bench('refused');
    await store.queues.noteBusyKeys(
      'plain',
      busyKeysText(withBusy([], [hashOfKey('a')], Date.now())),
      undefined,
    );
    let reads = 0;
    const counted = intercepted(store, (name, call) => {
      if (name.startsWith('queues')) reads++;
      return call();
    });
    await sandbox(counted)(put(many('a', 14), 'plain'), context);
    expect(lanes('plain')).toEqual({ a: ['plain'] });
    expect(reads).toBe(0);
  });

  it('are shared by no key that is not busy, where all are taken', async () => {
    const { intake, put, lanes } = bench('refused');
    const keys = [...'abcdefghijklmnopqrstuvwx'];
    await intake(put(keys.map((key) => many(key, 11)).join('')), context);
    await intake(put('yz'), context);
    const found = lanes();
    expect(new Set(keys.flatMap((key) => found[key])).size).toBe(24);
    expect([found.y, found.z]).toEqual([['fair'], ['fair']]);
    await intake(put(many('z', 11), 'fair', 1), context);
    expect(lanes().z).toEqual(['fair', expect.stringMatching(/^fair#\d/)]);
  });

  it('hold no record that is due later than they are kept, or is dead, or that this version cannot handle', async () => {
    const { intake, put, store, changesOf, clock } = bench('refused');
    await intake(put(many('a', 14)), context);
    const iso = (hours: number) => new Date(clock.now() + hours * 3_600_000).toISOString();
    const common = { queue: 'fair', key: 'a', payload: 1 };
    const Records = changesOf(() => {
      store.put({ ...common, id: 'soon', status: 'NEW', availableAt: iso(0.5) });
      store.put({ ...common, id: 'late', status: 'NEW', availableAt: iso(1.5) });
      store.put({ ...common, id: 'dead', status: 'DEAD' });
      store.put({ ...common, id: 'newer', status: 'NEW', backlogFormat: 99 });
    });
    await intake({ Records }, context);
    const laneOf = (id: string) => store.items().find((item) => item.id === id)?.lane;
    expect(['soon', 'late', 'dead', 'newer'].map(laneOf)).toEqual([
      'fair#31',
      'fair',
      'fair/dead',
      'fair/dead',
    ]);
  });
});
