import { describe, expect, it, vi } from 'vitest';
import { writeReport } from '../../examples/tasks/cancelled.js';
import { Cancel, Dead, Done, Pending, RetryAfter, Snooze } from '../../src/index.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { succeed } from './harness.js';
import { at, LongLived, untilAborted, worldToCancel } from './long-lived.js';

const HOUR = 3_600;
const REQUESTED = { id: 'report', cancelled: false, reason: 'cancelRequested' } as const;
const CANCELLED = { status: 'DEAD', deadReason: 'cancelled: withdrawn', attempts: 1 } as const;

describe('a long attempt whose record is cancelled', () => {
  it('is told to end within 30 seconds, and its record is cancelled: no failure, and no attempt follows', async () => {
    const { world, harness, cancel } = worldToCancel();
    const reasons: unknown[] = [];
    await world.run(
      untilAborted((reason) => {
        reasons.push(reason);
        throw reason;
      }),
    );
    await harness.pass(100);
    const askedAt = at(harness);
    expect(await cancel()).toEqual(REQUESTED);
    expect(harness.item('report')).toMatchObject({ status: 'NEW', notBefore: { cancel: 'withdrawn' } });
    await harness.pass(30);
    expect(reasons).toMatchObject([{ name: 'Cancel', message: 'withdrawn' }]);
    expect(reasons[0]).toBeInstanceOf(Cancel);
    expect(at(harness) - askedAt).toBe(30);
    expect(world.ended).toMatchObject([{ attempted: 1, cancelled: 1, failed: 0, dead: 0, unsettled: 0 }]);
    expect(harness.item('report')).toMatchObject(CANCELLED);
    for (const gone of ['notBefore', 'failures', 'lastError'])
      expect(harness.item('report')).not.toHaveProperty(gone);
    expect(await world.run(succeed)).toMatchObject({ attempted: 0 });
    expect(await cancel()).toEqual({ id: 'report', cancelled: true });
  });

  it.each<[string, Process, object]>([
    ['succeeds', untilAborted(() => undefined), { status: 'SUCCESS', attempts: 1 }],
    [
      'succeeds with a result',
      untilAborted(() => new Done({ result: 7 })),
      { status: 'SUCCESS', result: '7' },
    ],
    [
      'says that it is dead',
      untilAborted(() => new Dead('broken')),
      { status: 'DEAD', deadReason: 'broken' },
    ],
    [
      'cancels itself',
      untilAborted(() => new Cancel('half done')),
      { status: 'DEAD', deadReason: 'cancelled: half done' },
    ],
    [
      'fails',
      untilAborted(() => {
        throw new TypeError('of the handler');
      }),
      CANCELLED,
    ],
    ['is to be tried again later', untilAborted(() => new RetryAfter('1h')), CANCELLED],
    ['is put off', untilAborted(() => new Snooze('1h')), CANCELLED],
    ['is not ready', untilAborted(() => new Snooze()), CANCELLED],
    [
      'ends with the error of the signal',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      CANCELLED,
    ],
  ])('%s then', async (_, process, end) => {
    const { world, harness, cancel } = worldToCancel();
    await world.run(process);
    await harness.pass(100);
    expect(await cancel()).toEqual(REQUESTED);
    await harness.pass(60);
    expect(harness.item('report')).toMatchObject(end);
    expect(harness.item('report')).not.toHaveProperty('notBefore');
    expect(world.ended).toMatchObject([{ failed: 0, unsettled: 0 }]);
    await world.watched(300, () => {
      throw new Error('attempted again');
    });
    expect(harness.item('report')).toMatchObject(end);
  });

  it.each<[string, (id: string) => unknown, object]>([
    ['succeeds', () => undefined, { status: 'SUCCESS', attempts: 1 }],
    ['is dead', () => new Dead('broken'), { status: 'DEAD', deadReason: 'broken' }],
    ['fails', () => Promise.reject(new Error('no')), CANCELLED],
    ['is put off', () => new Snooze('1h'), CANCELLED],
    ['leaves its end to others', () => new Pending(), CANCELLED],
  ])('%s before it hears of that', async (_, act, end) => {
    const { world, harness, cancel } = worldToCancel();
    await world.run(async ({ id }) => {
      await harness.sleep(110);
      return act(id) as undefined;
    });
    await harness.pass(109 - at(harness));
    expect(await cancel()).toEqual(REQUESTED);
    await harness.pass(30);
    expect(world.ended).toMatchObject([{ failed: 0, snoozed: 0, unsettled: 0 }]);
    expect(harness.item('report')).toMatchObject(end);
    expect(harness.item('report')).not.toHaveProperty('notBefore');
  });

  it('goes on for as long as its handler needs to end, and its hold is renewed meanwhile', async () => {
    const { world, harness, cancel } = worldToCancel();
    const steps: string[] = [];
    await world.run(
      untilAborted(async () => {
        steps.push(`told at ${at(harness)}`);
        await harness.sleep(600);
        steps.push('cleaned up');
      }),
    );
    await harness.pass(100);
    await cancel();
    expect(await cancel('for another reason')).toEqual(REQUESTED);
    const looks = await world.watched(500, succeed);
    expect(looks.every(({ attempted, cancelled }) => attempted === 0 && cancelled === 0)).toBe(true);
    expect(harness.item('report')).toMatchObject({ notBefore: { cancel: 'withdrawn' } });
    await harness.pass(200);
    expect(steps).toEqual(['told at 155', 'cleaned up']);
    expect(harness.item('report')).toMatchObject({ status: 'SUCCESS' });
  });

  it.each([
    ['is told so first', 60],
    ['has not been told so', 1],
  ])('is cancelled, and not attempted again, where its process is to end and it %s', async (_, after) => {
    const { world, harness, cancel } = worldToCancel();
    const stop = new AbortController();
    await world.run(
      world.working(() => HOUR, false),
      { stop: stop.signal },
    );
    await harness.pass(100);
    await cancel();
    await harness.pass(after);
    stop.abort();
    await harness.pass(10);
    expect(world.ended).toMatchObject([{ cancelled: 1, snoozed: 0 }]);
    expect(harness.item('report')).toMatchObject(CANCELLED);
  });

  it.each([
    ['before it was told so', 1],
    ['after', 60],
  ])('is cancelled by the next run, without an attempt, where its process was lost %s', async (_, after) => {
    const { world, harness, cancel } = worldToCancel();
    let isLost = false;
    const store = replacing(
      {
        records: {
          settle: (...args) => (isLost ? new Promise(() => {}) : harness.store.records.settle(...args)),
        },
      },
      harness.store,
    );
    await world.run(
      world.working(() => HOUR, false),
      { store },
    );
    await harness.pass(100);
    await cancel();
    await harness.pass(after);
    isLost = true;
    const looks = await world.watched(200, () => {
      throw new Error('attempted again');
    });
    expect(looks.filter(({ cancelled }) => cancelled === 1)).toMatchObject([{ attempted: 0, failed: 0 }]);
    expect(harness.item('report')).toMatchObject(CANCELLED);
    expect(harness.item('report')).not.toHaveProperty('failures');
  });

  it.each([
    ['was lost', true],
    ['finds that', false],
  ])('is cancelled where its producer has put it off since, and its process %s', async (_, isLost) => {
    const { world, harness, cancel } = worldToCancel();
    let isGone = false;
    const store = replacing(
      {
        records: {
          settle: (...args) => (isGone ? new Promise(() => {}) : harness.store.records.settle(...args)),
        },
      },
      harness.store,
    );
    await world.run(
      world.working(() => HOUR),
      { store },
    );
    await harness.pass(100);
    await cancel();
    isGone = isLost;
    const dueAt = new Date(harness.time.now + 60_000).toISOString();
    harness.store.put({ ...harness.item('report'), dueAt });
    await world.watched(200, () => {
      throw new Error('attempted again');
    });
    expect(harness.item('report')).toMatchObject(CANCELLED);
  });

  it.each([
    ['another process has written it', { rev: 'other' }, {}],
    ['its end was changed by hand', {}, { until: '2026-03-01T00:03:20.000Z' }],
    ['its payload was changed by hand', { payload: 2 }, {}],
  ])('is another record where %s, and the signal of the attempt says so', async (_, attributes, hold) => {
    const { world, harness, cancel } = worldToCancel();
    const reasons: unknown[] = [];
    await world.run(
      untilAborted((reason) => {
        reasons.push(reason);
      }),
    );
    await harness.pass(100);
    await cancel();
    const { notBefore, ...item } = harness.item('report') as { id: string; notBefore: object };
    harness.store.put({ ...item, ...attributes, notBefore: { ...notBefore, ...hold } });
    await harness.pass(30);
    expect(reasons.at(-1)).toMatchObject(
      'payload' in attributes ? {} : { message: 'the record of this attempt is not held any more' },
    );
    expect(world.ended).toMatchObject([{ succeeded: 0, unsettled: 1 }]);
    await world.watched(300, () => {
      throw new Error('attempted');
    });
    expect(harness.item('report')).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn' });
  });

  it('is not renewed any more where it ends during an outage: its success is written at once', async () => {
    const { world, harness, cancel } = worldToCancel();
    const { records } = harness.store;
    const written: unknown[] = [];
    const store = replacing(
      {
        records: {
          settle: async (...args) => {
            if (at(harness) >= 80 && at(harness) < 115) throw new StoreUnavailableError('down');
            const answer = await records.settle(...args);
            if (answer === 'settled') written.push(args[1].set.status ?? args[1].set.notBefore);
            return answer;
          },
        },
      },
      harness.store,
    );
    await world.run(
      world.working(() => 81),
      { store },
    );
    await harness.pass(50.5);
    await cancel();
    await harness.pass(60);
    expect(world.spans).toEqual([{ id: 'report', from: 0, to: 81 }]);
    expect(written.slice(2)).toEqual(['SUCCESS']);
  });

  it('does not take a false mark of its producer for its own', async () => {
    const world = new LongLived();
    const { harness } = world;
    const notBefore = { until: '9999-12-31T23:59:59.999Z', cancel: 'false' };
    harness.put('report', { notBefore });
    await world.run(world.working(() => 100));
    expect(harness.item('report').notBefore).toEqual({ until: expect.stringMatching(/^2026/) });
    await harness.pass(100);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('whose payload was changed beside that is cancelled with the new one', async () => {
    const { world, harness, cancel } = worldToCancel();
    await world.run(world.working(() => 105));
    await harness.pass(74);
    expect(at(harness)).toBe(104);
    await cancel();
    harness.store.put({ ...harness.item('report'), payload: { second: true } });
    await harness.pass(30);
    expect(world.ended).toMatchObject([{ succeeded: 0, unsettled: 1 }]);
    expect(harness.item('report')).toMatchObject({ ...CANCELLED, payload: { second: true } });
  });

  it('writes its end once, where the answers of DynamoDB are lost', async () => {
    const { world, harness, cancel } = worldToCancel();
    let lost = 0;
    const store: OperatorStore = replacing(
      {
        records: {
          settle: async (...args) => {
            const answer = await harness.store.records.settle(...args);
            if (lost-- > 0) throw new StoreUnavailableError('the answer was lost');
            return answer;
          },
          get: async (id) => {
            const found = await harness.store.records.get(id);
            if (lost-- > 0) throw new StoreUnavailableError('the answer was lost');
            return found;
          },
        },
      },
      harness.store,
    );
    await world.run(
      world.working(() => HOUR),
      { store },
    );
    await harness.pass(70);
    lost = 5;
    await harness.pass(6);
    await cancel();
    await harness.pass(60);
    expect(world.spans).toMatchObject([{ id: 'report', aborted: expect.any(Number) }]);
    expect(world.ended).toMatchObject([{ cancelled: 1, unsettled: 0 }]);
    expect(harness.item('report')).toMatchObject(CANCELLED);
  });

  it('makes no request more where it is not cancelled', async () => {
    const { world, harness } = worldToCancel();
    const asked: string[] = [];
    const records = harness.store.records;
    const store = replacing(
      {
        records: {
          settle: (...args) => {
            asked.push('settle');
            return records.settle(...args);
          },
          get: (id) => {
            asked.push('get');
            return records.get(id);
          },
        },
      },
      harness.store,
    );
    await world.run(
      world.working(() => 100),
      { store },
    );
    await harness.pass(100);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
    // Held at 30 s, renewed at 55 s and 80 s, and settled.
    expect(asked).toEqual(['settle', 'settle', 'settle', 'settle']);
  });

  it('has its record dead at once in its first half minute, and its outcome is not written', async () => {
    const { world, harness, cancel } = worldToCancel();
    const running = harness.start(
      world.working(() => 100),
      world.choices,
    );
    await harness.pass(20);
    expect(await cancel()).toEqual({ id: 'report', cancelled: true });
    await harness.pass(30);
    await running;
    expect(world.spans[0]?.aborted).toBe(30);
    expect(harness.item('report')).toMatchObject({ status: 'DEAD', deadReason: 'cancelled: withdrawn' });
  });

  it('cleans up as the example does', async () => {
    const { world, harness, cancel } = worldToCancel();
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string, { method, signal }: RequestInit) => {
      await harness.sleep(10, signal ?? undefined);
      signal?.throwIfAborted();
      asked.push(`${method} ${url}`);
    });
    try {
      await world.run(writeReport);
      await harness.pass(60);
      await cancel();
      await harness.pass(40);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(asked.at(-1)).toBe('DELETE https://reports.example.com/report');
    expect(harness.item('report')).toMatchObject(CANCELLED);
  });
});
