import { run } from '../../src/engine.js';
import { laneFor, lanesOf } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { MemoryStore } from '../../src/store/memory/store.js';
import { type Settle, type Settled, SettleGroups } from '../../src/store/settle-groups.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { seededRandom } from '../../test/simulation/random.js';
import type { Load } from './measure.js';
import { logger, optionsOf, QUEUE } from './runs.js';

const START = Date.UTC(2026, 0, 1);
const REQUEST_MS = 5;
const GROUP_MS = 10;

interface Change extends Settle {
  readonly once: () => Promise<Settled>;
}

/** Records a second of one run on virtual time: requests wait for 5 ms, groups of writes for 10 ms, and nothing uses a processor. */
export async function modelRate(load: Load, shards: number, attemptsVary: boolean): Promise<number> {
  const { records, attemptMs, concurrency } = load;
  const time = new VirtualTime(START);
  const clock = time.clock();
  const store = slow(new MemoryStore({ clock }), clock);
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

function slow(store: MemoryStore, clock: ReturnType<VirtualTime['clock']>): MemoryStore {
  const takes = async <T>(milliseconds: number, operation: () => Promise<T>): Promise<T> => {
    await clock.sleep(milliseconds / 2);
    const answer = await operation();
    await clock.sleep(milliseconds / 2);
    return answer;
  };
  const isWritten = async ({ once }: Change) => (await once()) === 'settled';
  const groups = new SettleGroups<Change>(
    (changes) => takes(GROUP_MS, () => Promise.all(changes.map(isWritten))),
    clock,
  );
  return intercepted(store, (name, operation, args) => {
    if (name !== 'records.settle') return takes(REQUEST_MS, operation);
    const once = operation as () => Promise<Settled>;
    const [{ id }] = args as [{ readonly id: string }];
    return groups.write({ id, once, alone: () => takes(REQUEST_MS, once) });
  });
}
