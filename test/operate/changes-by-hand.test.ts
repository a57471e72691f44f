import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/record/index.js';
import { raceStores } from './race-stores.js';
import { sceneIn, type World } from './race-world.js';

const RIGHT = { to: 'right@example.com' };
const FAILED = { status: 'ERROR', failures: 1, attempts: 1 };

/** An UpdateItem, or a PutItem of what was read before: neither renews `rev`. */
const updateOf = (its: World, change: Item) => async () => its.put({ ...(await its.item()), ...change });

describe.each(raceStores())('on %s, a change by hand during an attempt', (_, current) => {
  const scene = sceneIn(current);
  const records: [string, Item][] = [
    ['of a record of BacklogClient, in its first attempt', {}],
    ['of a record that has failed', FAILED],
    ['of a record that was never written', { rev: undefined }],
  ];

  it.each(records)('is attempted by the next rule, and nothing is said of what was: %s', (_name, record) =>
    scene(async (its) => {
      await its.put(record);
      const delivered: unknown[] = [];
      const first = await its.run(async ({ payload }) => {
        delivered.push(payload);
        await updateOf(its, { payload: RIGHT })();
      });
      expect(first).toMatchObject({ succeeded: 0, unsettled: 1 });
      expect(await its.item()).toMatchObject({ payload: RIGHT, status: record.status ?? 'NEW' });
      await its.run(async ({ payload }) => void delivered.push(payload));
      expect(await its.item()).toMatchObject({ status: 'SUCCESS', payload: RIGHT });
      expect(delivered).toEqual([{ n: 1 }, RIGHT]);
    })(),
  );

  it.each(records)('of the queue has it attempted there, once the attempt is over: %s', (_name, record) =>
    scene(async (its) => {
      await its.put(record);
      await its.run(async () => {
        await updateOf(its, { queue: its.elsewhere })();
        // Runs of both queues find it claimed, or not at all.
        await its.run(undefined, { queue: its.elsewhere });
        await its.run();
      });
      expect(await its.item()).toMatchObject({ queue: its.elsewhere, status: record.status ?? 'NEW' });
      await its.run();
      expect(await its.item()).toMatchObject({ lane: its.elsewhere });
      await its.run(undefined, { queue: its.elsewhere });
      expect(await its.item()).toMatchObject({ queue: its.elsewhere, status: 'SUCCESS' });
      expect(its.attempts).toEqual([its.queue, its.elsewhere]);
    })(),
  );

  it.each([
    ['dead', 'DEAD', {}],
    ['done', 'SUCCESS', {}],
    ['dead by a failure', 'DEAD', { fails: true }],
  ])('of the status to %s holds', (_name, status, { fails }: { fails?: boolean }) =>
    scene(async (its) => {
      await its.put(FAILED);
      await its.run(async () => {
        await updateOf(its, { status })();
        if (fails) throw new Error('too late');
      });
      expect(await its.item()).toMatchObject({ status });
      await its.run();
      expect(its.attempts).toHaveLength(1);
      expect(await its.item()).toMatchObject({ status });
    })(),
  );

  it('of what it waits for is kept by a failure', () =>
    scene(async (its) => {
      await its.put(FAILED);
      const later = its.iso(7200);
      await its.run(async () => {
        await updateOf(its, { dueAt: later, failures: 0, retry: { type: 'constant', interval: 5 } })();
        throw new Error('as always');
      });
      expect(await its.item()).toMatchObject({ dueAt: later, failures: 0, retry: { interval: 5 } });
    })());

  it('to an attribute of its own is kept, and the outcome is written', () =>
    scene(async (its) => {
      await its.put({ ...FAILED, progress: 1 });
      await its.run(updateOf(its, { progress: 2 }));
      expect(await its.item()).toMatchObject({ status: 'SUCCESS', progress: 2 });
    })());

  it('is counted with each attempt, if a handler changes its own payload every time', () =>
    scene(async (its) => {
      await its.put(FAILED);
      let step = 0;
      for (let rule = 0; rule < 3; rule++) {
        const summary = await its.run(async () => updateOf(its, { payload: { step: ++step } })());
        expect(summary).toMatchObject({ attempted: 1, succeeded: 0, unsettled: 1 });
      }
      expect(await its.item()).toMatchObject({ ...FAILED, payload: { step: 3 } });
    })());
});
