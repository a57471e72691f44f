import { describe, expect, it } from 'vitest';
import { troublesOf } from '../../src/overview/check.js';
import { CountsReader } from '../../src/overview/counts.js';
import { runTroubles } from '../../src/overview/run-text.js';
import { sentenceOf } from '../../src/overview/sentence.js';
import { type Snapshot, snapshotOf } from '../../src/overview/snapshot.js';
import { MemoryStore } from '../../src/store/index.js';
import { queueView } from '../cli/top/queue-views.js';
import { iso, MINUTE, NOW, waiting } from '../console/console-under-test.js';

const snapshot = (changes: Partial<Snapshot>): Snapshot => ({ now: NOW, queues: [], rules: [], ...changes });
const lost = (count: number, pending = 2) =>
  queueView('orders', 'waiting', { pending }, { lostRuns: { count, leftSince: undefined } });
const LOST = 'orders: its last 3 runs were lost: the process ended, or ran out of time.';
const FAILED = { text: 'orders, every minute: its last run failed.', isRepeated: false, queues: ['orders'] };

describe('runs that are wrong', () => {
  it.each<[string, Partial<Snapshot>, string]>([
    ['a local runtime says so', { troubles: [FAILED] }, FAILED.text],
    ['runs were lost in AWS', { queues: [lost(3)] }, LOST],
  ])('are named in the sentence and in a check: %s', (_, changes, text) => {
    const { title, details } = sentenceOf(snapshot(changes));
    expect([title, ...details]).toContain(text);
    expect(troublesOf(snapshot(changes))).toContain(text);
  });

  it.each<[string, Partial<Snapshot>]>([
    ['one run was lost, and the next goes on with its records', { queues: [lost(1)] }],
    ['nothing waits in the queue of runs that were lost', { queues: [lost(3, 0)] }],
  ])('are not named if %s', (_, changes) => {
    expect(runTroubles(snapshot(changes))).toEqual([]);
  });

  it('are amber once, and red if they come again', () => {
    expect(sentenceOf(snapshot({ troubles: [FAILED] })).tone).toBe('amber');
    expect(sentenceOf(snapshot({ troubles: [{ ...FAILED, isRepeated: true }] })).tone).toBe('dead');
    expect(sentenceOf(snapshot({ queues: [lost(2)] })).tone).toBe('dead');
  });

  it('are named once, by the rule, if the local runtime knows why they were lost', () => {
    const both = snapshot({ troubles: [FAILED], queues: [lost(3)] });
    expect(runTroubles(both)).toEqual([FAILED]);
  });

  it('of a runtime come with its status', () => {
    const runtime = {
      status: () => ({ queues: [], rules: [], troubles: [FAILED] }),
      minutesOf: () => [],
      lastRunOf: () => undefined,
    };
    const deps = { backlog: { table: 'Records', controlTable: 'Control' }, runtime };
    expect(snapshotOf(deps, undefined, NOW).troubles).toEqual([FAILED]);
  });

  it('are silent in a check while a pause lasts as announced', () => {
    const until = iso(MINUTE);
    const view = lost(3);
    const paused = { ...view, stats: { ...view.stats, paused: true, pausedUntil: until } };
    expect(troublesOf(snapshot({ queues: [paused] }))).not.toContain(LOST);
  });
});

describe('the leases of runs that were lost', () => {
  async function world() {
    const time = { now: NOW };
    const clock = { now: () => time.now, wall: () => time.now, sleep: async () => {}, speed: 1 };
    const store = new MemoryStore({ clock });
    const backlog = { table: 'Records', controlTable: 'Control', store, clock };
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    store.put(waiting('a', { dueAt: iso(-16 * MINUTE) }) as never);
    const hold = { holder: 'one.1', until: NOW - 10 * MINUTE, ids: ['a'], rev: 'r' };
    await store.leases.hold('orders', hold);
    const look = async () => {
      const { counts } = await new CountsReader({ backlog }).read();
      return snapshotOf({ backlog }, counts, time.now);
    };
    return { store, hold, look };
  }

  it('say in a queue that is late that one was lost, and when', async () => {
    const { look } = await world();
    const found = await look();
    expect(found.queues?.[0]).toMatchObject({
      leases: [],
      lostRuns: { count: 1, leftSince: NOW - 10 * MINUTE },
    });
    expect(sentenceOf(found).title).toBe(
      'orders is 16 min late: 1 record due, no run is at work, and one was lost at 14:37 UTC.',
    );
  });

  it('count those that were reported in succession, also while the next run is at work', async () => {
    const { store, hold, look } = await world();
    await store.leases.takeOver(
      'orders',
      { ...hold, suspects: [], woken: false, cursor: undefined },
      {
        holder: 'two.1',
        until: NOW + MINUTE,
      },
    );
    for (const [from, to] of [
      ['two', 'three'],
      ['three', 'four'],
    ] as const) {
      await store.leases.end('orders', { holderPrefix: `${from}.`, until: NOW - 1 });
      const left = (await store.leases.readAll()).get('orders');
      if (left) await store.leases.takeOver('orders', left, { holder: `${to}.1`, until: NOW + MINUTE });
    }
    const found = await look();
    expect(found.queues?.[0]).toMatchObject({ lostRuns: { count: 2, leftSince: undefined } });
    expect(runTroubles(found)).toMatchObject([{ isRepeated: true }]);
    await store.leases.release('orders', 'four.1', {});
    expect((await look()).queues?.[0]?.lostRuns).toBeUndefined();
  });
});
