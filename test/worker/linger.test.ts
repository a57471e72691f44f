import { expect, it } from 'vitest';
import type { BacklogStore } from '../../src/store/index.js';
import type { Clock } from '../../src/support/clock.js';
import type { Process, RunSummary } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, START, succeed } from './harness.js';

/** Nothing passes of the backlog's time while a run sleeps. */
class StandingStill extends Harness {
  override readonly clock: Clock = { ...this.time.clock(), now: () => START };
}

it('a run does not stay for a short wait where the clock of the backlog is frozen', async () => {
  const harness = new StandingStill();
  harness.put('a');
  const retry = { type: 'constant', interval: 10, jitter: 'none' } as const;
  const summary = await harness.run(fail, { retry, linger: 60 });
  expect(summary).toMatchObject({ attempted: 1, failed: 1 });
  expect(summary.durationMs).toBeLessThan(10_000);
});

it('a run ends before its deadline where what it gives back while it stays is not answered', async () => {
  const harness = new Harness();
  harness.put('a');
  let given = 0;
  const releaseSlots: BacklogStore['releaseSlots'] = (...slots) =>
    ++given === 1 ? harness.store.releaseSlots(...slots) : new Promise(() => {});
  // As slow as a request may be that is answered at all.
  const releaseLease: BacklogStore['releaseLease'] = async (...lease) => {
    await harness.sleep(0.9);
    return harness.store.releaseLease(...lease);
  };
  const store = replacing({ releaseSlots, releaseLease }, harness.store);
  const retry = { type: 'constant', interval: 10, jitter: 'none' } as const;
  const choices = { retry, linger: 60, globalConcurrency: 1, store };
  const { attempted, durationMs } = await harness.run(fail, choices);
  expect(attempted).toBe(2);
  expect(durationMs).toBeLessThan(300_000);
});

it('a run that stays looks at all records when another run has asked for the lane meanwhile', async () => {
  const harness = new Harness();
  harness.put('a');
  const retry = { type: 'constant', interval: 10, jitter: 'none' } as const;
  const attempted: string[] = [];
  let other: Promise<RunSummary> | undefined;
  const process: Process = async ({ id, attempts }) => {
    attempted.push(id);
    if (id === 'b') return;
    if (attempts === 0) throw new Error('once');
    // Its due time is kept to the tick only.
    harness.put('b', { dueAt: new Date(START).toISOString() });
    other = harness.start(succeed, { retry });
    await harness.sleep(1);
  };
  await harness.run(process, { retry, linger: 30 });
  expect(await other).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
  expect(attempted).toEqual(['a', 'a', 'b']);
});

it('a run does not stay for a short wait of a record that its failure moved to another queue', async () => {
  const harness = new Harness();
  harness.put('a');
  const retry = { type: 'constant', interval: 10, jitter: 'none' } as const;
  const attempted: string[] = [];
  const process: Process = ({ id, queue }) => {
    attempted.push(`${id} of ${queue}`);
    throw new Error('no');
  };
  const summary = await harness.run(process, { retry, linger: 60, retryQueue: 'retries' });
  expect(summary).toMatchObject({ attempted: 1, failed: 1, ended: 'drained' });
  expect(attempted).toEqual(['a of q']);
  expect(harness.item('a')).toMatchObject({ queue: 'retries', lane: 'retries', failures: 1 });
});
