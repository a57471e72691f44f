import { expect, it } from 'vitest';
import { planAdoption } from '../../../tools/src/cli/adopt/plan.js';
import { Harness } from '../../worker/harness.js';

/** The rules of `backlog adopt` for a table with a stream: an item of less than 16 minutes is left to the intake. */
const RULES = { sources: {}, statuses: {}, utcOffsetMinutes: 0, undatedNow: false, leastAgeSeconds: 960 };

// An item without `insertedAt` may have come just now. `backlog doctor --repair` waits for 16 minutes before it indexes such a record.
it.fails('an item without a time of insertion is not attempted twice at once as it is adopted during its first attempt', async () => {
  const harness = new Harness();
  harness.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: 1 });
  let underWay = 0;
  let most = 0;
  const process = async () => {
    most = Math.max(most, ++underWay);
    await harness.sleep(20);
    underWay--;
  };
  const onArrival = harness.start(process, { arrivals: { batch: 'b', ids: ['a'] } });
  await harness.pass(5);
  const item = harness.item('a');
  const plan = planAdoption({ id: 'a', ...item }, RULES, harness.time.now);
  if (plan.do === 'write') harness.store.put({ id: 'a', ...item, ...plan.change.set, rev: 'adopted-' });
  const byRule = harness.start(process);
  await harness.time.until(Promise.all([onArrival, byRule]));
  expect(most).toBe(1);
});
