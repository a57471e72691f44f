import '../loaded-limits.js';
import { expect, it } from 'vitest';
import type { IntakeSettings } from '../../functions/intake/settings.js';
import { resolvePolicy } from '../../src/policies/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { type Arrivals, run } from '../../src/worker/index.js';
import { Chaos, NO_TROUBLES } from '../../tools/src/lab/cloud/chaos.js';
import { Actor, NO_FAULTS } from './actor.js';
import { Cloud } from './cloud/cloud.js';
import { faultyStore } from './faulty-store.js';
import { between, seededRandom } from './random.js';
import { withStaleIndex } from './stale-index.js';

/** Bursts of each size. Three in `npm run test:long`. */
const BURSTS = Number(process.env.BURSTS ?? 1);
const START = Date.parse('2026-01-01T00:00:00.000Z');
const FUNCTION_TIMEOUT_SECONDS = 300;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

interface Burst {
  readonly seed: number;
  readonly records: number;
  /** The batch size of the stream. */
  readonly batchSize: number;
  readonly attemptMs: number;
  readonly onInsertConcurrency?: number;
  readonly globalConcurrency?: number;
}

/** Seconds from put to first attempt, of records that are put at once at some time of a minute; and most at a time. */
async function burst({ seed, records, batchSize, attemptMs, ...limits }: Burst) {
  const random = seededRandom(seed);
  const time = new VirtualTime(START);
  const clock = { now: () => time.now, wall: () => time.now, sleep: async () => {} };
  const truth = new MemoryStore({ clock });
  const store = withStaleIndex(truth, () => time.now, random, 200, ['q']);
  const waits = new Map<string, number>();
  let [now, most, actors] = [0, 0, 0];
  const newActor = (kind: string) => new Actor(`${kind} ${++actors}`, time, random, () => NO_FAULTS);
  const settings: IntakeSettings = {
    tables: { records: 'records', control: 'control' },
    functionTimeoutSeconds: 60,
    queues: { q: { retryMode: 'perRecord' } },
    metrics: 'full',
    redeliveryUrl: 'https://sqs/returns',
    eventDlqUrl: undefined,
    arrivalFunctions: new Map([['q', 'Q']]),
  };
  const putAt = START + between(random, 1_000, 59_000);
  const start = async (arrivals?: { batch: string; ids: readonly string[] }) => {
    const actor = newActor('run');
    await run(
      {
        target: { queue: 'q', lane: 'q', ...(arrivals ? { arrivals } : {}) },
        process: async ({ id }) => {
          waits.set(id, (time.now - putAt) / 1000);
          most = Math.max(most, ++now);
          await actor.clock.sleep(attemptMs);
          now--;
        },
        policy: resolvePolicy({ type: 'fibonacci' }),
        limits: { concurrency: 10, attemptTimeout: 30, ...limits },
        deadline: time.now + FUNCTION_TIMEOUT_SECONDS * 1000,
        functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
        tickSeconds: 60,
      },
      {
        store: faultyStore(store, actor, () => NO_FAULTS, random),
        clock: actor.clock,
        random,
        logger: SILENT,
      },
    );
    return { ended: 'well' as const, requestId: '' };
  };
  const cloud = new Cloud({
    stream: { shards: 4, batchSize, standstill: undefined },
    chaos: new Chaos(time, random, () => NO_TROUBLES),
    faults: () => NO_FAULTS,
    settings,
    newActor,
    storeOf: () => store,
    run: ({ arrivals }) => start(arrivals as Arrivals | undefined),
    gaveUp: () => {},
    hasOnFailure: true,
    hearsIntake: () => {},
  });
  time.after(putAt - START, () => {
    for (let i = 0; i < records; i++) {
      const item = { id: `n${i}`, status: 'NEW', queue: 'q', payload: {} };
      truth.put(item);
      cloud.wrote('INSERT', item);
    }
  });
  for (let minute = 0; minute < 4; minute++) {
    time.after(minute * 60_000, () => void start());
  }
  await time.runUntilQuiet(START + 600_000);
  const sorted = [...waits.values()].sort((a, b) => a - b);
  expect(sorted).toHaveLength(records);
  return {
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN,
    longest: sorted.at(-1) ?? 0,
    most,
  };
}

it.each([1, 3, 10])(
  'a burst of 75 records in batches of %i has its first attempts within 5 seconds, and no rule is waited for',
  async (batchSize) => {
    for (let seed = 0; seed < BURSTS; seed++) {
      const { longest, most } = await burst({ seed, records: 75, batchSize, attemptMs: 300 });
      expect(longest).toBeLessThan(5);
      // Ten runs on arrival, and an ordinary one.
      expect(most).toBeLessThanOrEqual(10 * batchSize + 10);
    }
  },
);

it('so it has with one run on arrival at a time, and with a limit for all runs, which holds', async () => {
  const one = await burst({ seed: 1, records: 75, batchSize: 3, attemptMs: 300, onInsertConcurrency: 1 });
  expect(one.longest).toBeLessThan(7);
  expect(one.most).toBeLessThanOrEqual(3 + 10);
  const few = await burst({ seed: 1, records: 75, batchSize: 3, attemptMs: 100, globalConcurrency: 10 });
  expect(few.most).toBeLessThanOrEqual(10);
  expect(few.p95).toBeLessThan(7);
});
