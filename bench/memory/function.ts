import { backlogHandler } from '../../functions/index.js';
import { systemClock } from '../../src/support/clock.js';
import { Samples } from './samples.js';

/**
 * A function of a queue: what `backlogHandler` makes, as Lambda runs it, with DynamoDB in another process. An hour
 * passes between two of its events, so each retry is due at the next one. It sends its `Measured` to its parent.
 */
const [, , queue = '', events = '', attempts = '', fails = ''] = process.argv;
const samples = new Samples(Number(attempts));
let passed = 0;

const handler = backlogHandler({
  queue,
  clock: { ...systemClock, now: () => Date.now() + passed },
  process: () => {
    samples.attempted();
    if (fails === 'true') throw new Error('the ERP is down');
  },
});

for (let event = 0; event < Number(events); event++) {
  const deadline = Date.now() + 900_000;
  const context = { functionName: queue, getRemainingTimeInMillis: () => deadline - Date.now() };
  await handler({ queue }, { ...context, awsRequestId: `request-${event}` } as never);
  passed += 3_600_000;
}
process.send?.(samples.end(), () => process.disconnect());
