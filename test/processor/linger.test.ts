import { expect, test } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { fail, Harness, START } from './harness.js';

/** Nothing passes of the backlog's time while a run sleeps. */
class StandingStill extends Harness {
  override readonly clock: Clock = { ...this.time.clock(), now: () => START };
}

test('a run does not stay for a short wait where the clock of the backlog stands still', async () => {
  const harness = new StandingStill();
  harness.put('a');
  const retry = { type: 'constant', intervalSeconds: 10, jitter: 'none' } as const;
  const summary = await harness.run(fail, { retry, lingerSeconds: 60 });
  expect(summary).toMatchObject({ attempted: 1, failed: 1 });
  expect(summary.durationMs).toBeLessThan(10_000);
});
