import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/policies/index.js';
import { lanesOf, parseFailing, RetryAfter, Snooze } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { FailingMemory, Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const HOUR = 3_600;
/** Fails every minute at first, and then waits for an hour. */
const RETRY: RetryPolicy = {
  type: 'list',
  waits: [60, 60, 60, 60, 60, HOUR],
  afterwards: 'last',
  jitter: 'none',
};

/** Records whose destination has been down for five minutes, and which wait for an hour now. */
async function outage(records: number, options: RunChoices = {}, process: Process = fail) {
  const harness = new Harness();
  for (let i = 0; i < records; i++) harness.put(`r${i}`, { payload: { n: i } });
  const failingMemory: FailingMemory = new Map();
  const calls: string[] = [];
  const store = intercepted(harness.store, async (name, call) => {
    calls.push(name);
    return call();
  });
  const attempted: string[] = [];
  const run = (does: Process, others: RunChoices = {}) => {
    const noting: Process = (record, context) => {
      attempted.push(record.id);
      return does(record, context);
    };
    return harness.run(noting, { retry: RETRY, store, failingMemory, ...options, ...others });
  };
  for (let i = 0; i < 6; i++) {
    await run(process);
    await harness.pass(60);
  }
  const forget = () => [attempted, calls].map((list) => list.splice(0));
  forget();
  /** A run in each of so many minutes; the summaries of those that have attempted something. */
  const minutes = async (count: number, does: Process, others: RunChoices = {}) => {
    const summaries = [];
    for (let i = 0; i < count; i++) {
      summaries.push(await run(does, others));
      await harness.pass(60);
    }
    return summaries.filter((summary) => summary.attempted > 0);
  };
  const notes = async () => parseFailing((await harness.store.queues.read('q')).failing).notes;
  return { harness, run, minutes, attempted, calls, notes, forget };
}

const byDestination: RunChoices = { destination: ({ payload }) => `d${(payload as { n: number }).n % 2}` };
const failsAt =
  (destination: number): Process =>
  ({ payload }) => {
    if ((payload as { n: number }).n % 2 === destination) throw new Error('down');
  };

describe('while the queue fails and all of its records wait', () => {
  it('one of them is attempted every five minutes, each in its turn', async () => {
    const { harness, minutes, attempted } = await outage(3);
    const before = harness.store.items();
    const summaries = await minutes(25, fail);
    expect(summaries.map(({ attempted, failed, probes }) => [attempted, failed, probes])).toEqual(
      Array.from({ length: 5 }, () => [1, 0, 1]),
    );
    expect(attempted.slice(0, 3).sort()).toEqual(['r0', 'r1', 'r2']);
    for (const { id, attempts, failures, dueAt, status } of before)
      expect(harness.item(String(id))).toMatchObject({ attempts, failures, dueAt, status });
    const history = harness.item('r0').history as object[];
    expect(history.slice(-2)).toMatchObject([{ attempt: 6 }, { attempt: 7, probe: true }]);
    expect(history.at(-2)).not.toHaveProperty('probe');
  });

  it('a run that finds nothing due asks little more, and nothing between the probes', async () => {
    const { harness, minutes, calls, forget } = await outage(3);
    await minutes(5, fail);
    expect(calls.filter((call) => call !== 'pages.query')).toEqual([
      ...[
        'leases.hold',
        'pages.read',
        'leases.hold',
        'pages.read',
        'records.settle',
        // The note is written before the lease is given back: otherwise the next run makes a probe at once.
        'queues.noteFailing',
        'leases.release',
      ],
    ]);
    expect(calls.filter((call) => call === 'pages.query')).toHaveLength(5 + 2);
    forget();
    await minutes(3, fail);
    expect(calls).toEqual(['pages.query', 'pages.query', 'pages.query']);
    expect(harness.warnings).toEqual([]);
  });

  it('a success is followed by others until the note is over, and the rest wait as before', async () => {
    const { harness, minutes, notes } = await outage(9);
    const [first, ...others] = await minutes(10, succeed);
    expect(first).toMatchObject({ attempted: 5, succeeded: 5, probes: 5, failingSeconds: 0 });
    expect(others).toEqual([]);
    expect(await notes()).toEqual([]);
    expect(harness.statuses()).toEqual({ SUCCESS: 5, ERROR: 4 });
  });

  it('those that are left fail again hours later, and the queue with them', async () => {
    const { harness, minutes } = await outage(15);
    await minutes(10, succeed);
    await harness.pass(2 * HOUR);
    const again = await minutes(6, fail);
    expect(harness.statuses()).toEqual({ SUCCESS: 5, ERROR: 10 });
    expect(again.at(-1)?.failingSeconds).toBe(5 * 60);
  });

  it('ends with the first failure after a success, for five minutes', async () => {
    const { minutes } = await outage(9);
    let made = 0;
    const second: Process = () => {
      if (++made % 2 === 0) throw new Error('down again');
    };
    expect(await minutes(7, second)).toMatchObject([{ attempted: 2, succeeded: 1, failed: 0, probes: 2 }]);
  });

  it.each<[string, RunChoices]>([
    ['the queue makes no probes', { probes: false }],
    ['another region is the active one', { isPassive: async () => true }],
    ['the queue has another owner', { ownershipConflict: async () => 'notOwner' }],
    ['the run is for waits of less than a tick', { exactSince: START }],
    ['the process is to end', { stop: AbortSignal.abort() }],
    ['its time is short', { deadlineSeconds: 20 }],
    ['it is a progressive queue', { band: YOUNG }],
  ])('none is where %s', async (_, others) => {
    const { minutes, attempted } = await outage(3);
    await minutes(10, fail, others);
    expect(attempted).toEqual([]);
  });

  it('none is while the queue is paused, or its breaker is open', async () => {
    const { harness, minutes, attempted } = await outage(3);
    await harness.store.queues.setPaused('q', true);
    await minutes(10, fail);
    await harness.store.queues.setPaused('q', false);
    const until = harness.time.now + HOUR * 1000;
    await harness.store.breakers.set('q', '*', { until, since: harness.time.now, token: 't' }, undefined);
    await minutes(10, fail, { breaker: true });
    expect(attempted).toEqual([]);
  });

  it('none is whose destination, handler or producer has asked for its wait', async () => {
    const { harness, minutes, attempted } = await outage(3, {}, ({ id, attempts }) => {
      if (id === 'r0' && attempts === 5) throw new RetryAfter(2 * HOUR);
      if (id === 'r1' && attempts === 5) return new Snooze(2 * HOUR);
      throw new Error('down');
    });
    const later = new Date(harness.time.now + HOUR * 1000).toISOString();
    harness.put('new', { availableAt: later, dueAt: later });
    await minutes(20, fail);
    expect(new Set(attempted)).toEqual(new Set(['r2']));
  });

  it('a process that has just begun reads what fails, and twice a day where that is nothing', async () => {
    const { attempted, minutes } = await outage(3);
    await minutes(6, fail, { failingMemory: new Map() });
    expect(attempted.length).toBeGreaterThan(0);
    const idle = new Harness();
    const calls: string[] = [];
    const store = intercepted(idle.store, async (name, call) => {
      calls.push(name);
      return call();
    });
    const failingMemory = new Map();
    for (let i = 0; i < 725; i++) {
      await idle.run(fail, { store, failingMemory });
      await idle.pass(60);
    }
    expect(calls.filter((call) => call === 'queues.read')).toHaveLength(2);
    expect(calls).toHaveLength(725 + 2);
    calls.length = 0;
    await idle.run(fail, { store, failingMemory: new Map(), lanes: lanesOf('q'), shards: 1 });
    expect(calls.filter((call) => call !== 'pages.query')).toEqual(['queues.read']);
  });

  it('go on in a process whose clock was ahead for a moment, with the notes as others write them', async () => {
    const { harness, minutes, attempted, notes } = await outage(3);
    const failing = (await harness.store.queues.read('q')).failing;
    const ahead = harness.time.now + 4 * HOUR * 1000;
    const lookedAt = new Map([['q', ahead / 1000]]);
    const failingMemory: FailingMemory = new Map([
      ['q', { state: { paused: false, failing }, readAt: ahead, lookedAt }],
    ]);
    await minutes(6, fail, { failingMemory });
    // Another process makes the next one, and notes it.
    await minutes(5, fail, { failingMemory: new Map() });
    attempted.length = 0;
    await minutes(1, fail, { failingMemory });
    expect(attempted).toEqual([]);
    await minutes(10, fail, { failingMemory });
    expect(attempted).toHaveLength(2);
    const [note] = await notes();
    expect(harness.time.now / 1000 - (note?.lastAt ?? 0)).toBeLessThan(301);
  });

  it('lanes of a run share the probe', async () => {
    const { harness, run, attempted } = await outage(4, { lanes: ['q', 'q#1'], shards: 2 });
    for (const id of ['r2', 'r3']) {
      const { dueAt } = harness.item(id);
      harness.store.put({ ...harness.item(id), lane: 'q#1', dueAt });
    }
    await harness.pass(300);
    await run(fail);
    expect(attempted).toHaveLength(1);
  });

  it('a record that comes due in the run of its probe has its turn, and waits as its policy says', async () => {
    const retry = { ...RETRY, waits: [60, 60, 60, 60, 60, 420] };
    const { harness, run } = await outage(3, { retry });
    const due = Date.parse(String(harness.item('r0').dueAt));
    await harness.time.runUntil(due - 10_000);
    const begun: string[] = [];
    const slow: Process = async ({ id }) => {
      begun.push(id);
      await harness.sleep(20);
      throw new Error('down');
    };
    const running = harness.start(slow, { retry, failingMemory: new Map() });
    await harness.pass(13);
    // A run that finds records due, and the lane held, has its holder look once more.
    expect((await run(slow)).ended).toBe('leaseHeld');
    await harness.time.until(running);
    // The probe, and behind it the turns of all.
    expect(begun.slice(1).toSorted()).toEqual(['r0', 'r1', 'r2']);
    const [r0, r1, r2] = ['r0', 'r1', 'r2'].map((id) => harness.item(id));
    for (const one of [r0, r1, r2]) expect(one).toMatchObject({ attempts: 7, failures: 7, dueAt: r0?.dueAt });
  });

  it('go on where a page that was read before the notes were written is answered after that', async () => {
    const { harness, minutes } = await outage(3);
    const failing = (await harness.store.queues.read('q')).failing;
    const failingMemory: FailingMemory = new Map();
    const { read } = harness.store.pages;
    const late: BacklogStore['pages']['read'] = async (...asked) => {
      const page = await read.call(harness.store.pages, ...asked);
      await harness.sleep(1);
      // Another run of the process has written them meanwhile.
      const readAt = harness.clock.wall() - 500;
      failingMemory.set('q', { state: { paused: false, failing }, readAt, lookedAt: new Map() });
      return { ...page, queue: { ...page.queue, failing: undefined } };
    };
    harness.put('new');
    // It counts no outcome, so that its end writes none.
    const later: Process = () => Promise.reject(new Snooze('1h'));
    await harness.run(later, { failingMemory, store: replacing({ pages: { read: late } }, harness.store) });
    expect(failingMemory.get('q')?.state.failing).toBe(failing);
    expect(await minutes(20, fail, { failingMemory })).not.toEqual([]);
  });

  it('a record that ends its process waits for its turn, and is not blamed for more', async () => {
    const { harness, minutes, run, attempted } = await outage(3);
    await harness.pass(300);
    let isLost = false;
    const store = intercepted(harness.store, (_, call) => (isLost ? new Promise(() => {}) : call()));
    const lost = harness.start(
      () => {
        isLost = true;
        return new Promise<never>(() => {});
      },
      { retry: RETRY, store, failingMemory: new Map() },
    );
    void lost;
    await harness.pass(240);
    await run(fail);
    const blamed = harness.store
      .items()
      .filter(({ lastError }) => JSON.stringify(lastError).includes('WorkerLost'));
    expect(blamed).toMatchObject([{ attempts: 6, failures: 6, status: 'ERROR' }]);
    await minutes(20, fail);
    expect(attempted).not.toContain(blamed[0]?.id);
  });
});

describe('while one destination fails', () => {
  it('its own record is probed, and the others have their turns', async () => {
    const { harness, minutes, attempted } = await outage(8, byDestination, failsAt(0));
    await minutes(15, failsAt(0));
    expect(attempted).toHaveLength(3);
    for (const id of attempted) expect(Number(id.slice(1)) % 2).toBe(0);
    expect(harness.statuses()).toEqual({ SUCCESS: 4, ERROR: 4 });
  });

  it('and the whole queue as well, one probe serves both', async () => {
    const { minutes } = await outage(8, { destination: () => 'd' });
    expect(await minutes(15, fail)).toHaveLength(3);
    const two = await outage(8, byDestination);
    expect((await two.minutes(15, fail)).map(({ attempted }) => attempted)).toEqual([2, 2, 2]);
  });
});

it('a record is not probed that was read when the lease may have been that of another run', async () => {
  const { harness, minutes, attempted } = await outage(3);
  await harness.pass(5 * 60);
  let late = 0;
  const store = intercepted(harness.store, async (name, call) => {
    const answer = await call();
    if (name === 'pages.read' && late++ === 0) await harness.sleep(90);
    return answer;
  });
  await minutes(1, fail, { store });
  expect([late, attempted]).toEqual([1, []]);
  await minutes(6, fail);
  expect(attempted).toHaveLength(1);
});
