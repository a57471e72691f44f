import { performance } from 'node:perf_hooks';
import { backlogHandler } from '../functions/index.js';
import { assertSucceeded, failTimes, testBacklog } from '../src/testing/index.js';

const TESTS = Number(process.env.BENCH_TESTS ?? 1000);

/** The cost of the testing kit: tests of a small handler, one after the other, whose record succeeds at the third attempt. */
const startedAt = performance.now();
let attempts = 0;
for (let i = 0; i < TESTS; i++) {
  const handler = backlogHandler({ queue: 'orders', process: failTimes(2) });
  const backlog = testBacklog({ queues: { orders: { handler } } });
  await backlog.client.insert({ id: `order-${i}`, queue: 'orders', payload: { total: i } });
  ({ attempted: attempts } = await backlog.runUntilSettled());
  assertSucceeded(backlog.record(`order-${i}`));
}
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(
  `${TESTS} tests with ${attempts} attempts each: ${seconds.toFixed(1)} s, ${((1000 * seconds) / TESTS).toFixed(1)} ms each\n`,
);
