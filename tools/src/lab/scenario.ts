import { type BreakerOptions, seededRandom } from 'dynamo-backlog/engine';

/** The events of a queue, the same under every policy. Durations in milliseconds, times from the start. */
export interface Scenario {
  /** The number of records. */
  readonly records: number;
  /** Records that come each second, evenly; missing for a burst: all at the start. */
  readonly recordsPerSecond?: number | undefined;
  /** An outage: every attempt that starts within it fails; `toMs` itself is outside. */
  readonly outage?: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The share of the records that never succeed, 0 to 1. */
  readonly failingShare: number;
  /** Attempts a second that the destination takes; it refuses what comes above, and a refused attempt has failed. */
  readonly capacityPerSecond?: number | undefined;
  readonly attemptMs: number;
  readonly concurrency: number;
  readonly attemptsPerSecond?: number | undefined;
  readonly breaker?: BreakerOptions | undefined;
  /** Most attempts of a record under every policy, unless its own limit is lower. */
  readonly maxAttempts?: number | undefined;
  readonly tickSeconds: number;
  readonly horizonMs: number;
  readonly seed: number;
}

/** A record to come. */
export interface Arrival {
  readonly id: string;
  readonly atMs: number;
}

/** The records in their order. Their ids, and so their phases, are the seed's. */
export function* arrivals({ records, recordsPerSecond, seed }: Scenario): Generator<Arrival, undefined> {
  for (let i = 0; i < records; i++) {
    const atMs = recordsPerSecond === undefined ? 0 : Math.floor((i * 1000) / recordsPerSecond);
    yield { id: `${seed}-${i + 1}`, atMs };
  }
}

/** Ids of those that never succeed: exactly the share, to the nearest whole record, and drawn from all alike. */
export function failingIds(scenario: Scenario): ReadonlySet<string> {
  const random = seededRandom(scenario.seed);
  const failing = new Set<string>();
  let wanted = Math.round(scenario.records * scenario.failingShare);
  let left = scenario.records;
  for (const { id } of arrivals(scenario)) {
    if (random() * left < wanted) {
      failing.add(id);
      wanted--;
    }
    left--;
  }
  return failing;
}
