import { run } from '../../src/engine.js';
import { laneFor, lanesOf } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/memory/store.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { seededRandom } from '../../test/simulation/random.js';
import { slowStore } from '../../tools/src/lab/slow-store.js';
import type { Load } from './measure.js';
import { logger, optionsOf, QUEUE } from './runs.js';

const START = Date.UTC(2026, 0, 1);

/** Records a second of one run on virtual time: requests wait for 5 ms, groups of writes for 10 ms, and nothing uses a processor. */
export async function modelRate(load: Load, shards: number, attemptsVary: boolean): Promise<number> {
  const { records, attemptMs, concurrency } = load;
  const time = new VirtualTime(START);
  const clock = time.clock();
  const store = slowStore(new MemoryStore({ clock }), clock);
  const at = new Date(START).toISOString();
  for (let i = 0; i < records; i++) {
    const key = { id: `order-${i}`, queue: QUEUE };
    const lane = laneFor(key, shards);
    store.put({ ...key, status: 'NEW', payload: {}, insertedAt: at, dueAt: at, rev: 'inserted', lane });
  }
  const random = seededRandom(1);
  // Exponentially distributed: one attempt in twenty takes three times the mean.
  const lengthMs = () => (attemptsVary ? -attemptMs * Math.log(1 - random()) : attemptMs);
  const process = attemptMs === 0 ? () => {} : () => clock.sleep(lengthMs());
  const target = { lanes: lanesOf(QUEUE, 0, shards) };
  const options = { ...optionsOf({ shards, concurrency }, target, START), process };
  const { succeeded } = await time.until(run(options, { store, clock, random: seededRandom(2), logger }));
  if (succeeded !== records) throw new Error(`expected ${records} successes, got ${succeeded}`);
  return records / ((time.now - START) / 1000);
}
