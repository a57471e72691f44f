import { ConfigurationError } from 'dynamo-backlog';
import { resolveBreaker, show } from 'dynamo-backlog/engine';
import type { Scenario } from '../lab/scenario.js';

/** The flags of `backlog simulate` that make the scenario, each read by itself. Durations in milliseconds. */
export interface ScenarioFlags {
  readonly records?: number | undefined;
  readonly rate?: number | undefined;
  readonly for?: number | undefined;
  readonly outage?: Scenario['outage'];
  readonly failing: number;
  readonly capacity?: number | undefined;
  readonly attemptMs: number;
  readonly concurrency: number;
  readonly attemptsPerSecond?: number | undefined;
  readonly breaker?: boolean | undefined;
  readonly maxAttempts?: number | undefined;
  /** Default: 7 days. */
  readonly horizon?: number | undefined;
  readonly tick: number;
  readonly seed: number;
}

export const MAX_RECORDS = 1_000_000;
const DEFAULT_RECORDS = 1_000;
const DEFAULT_HORIZON_MS = 7 * 86_400_000;

/** @throws ConfigurationError for flags that do not go together */
export function scenarioOf(flags: ScenarioFlags): Scenario {
  const { horizon = DEFAULT_HORIZON_MS } = flags;
  if (flags.for !== undefined && flags.for > horizon) {
    throw new ConfigurationError(
      '--for: expected at most the horizon (--horizon), where the simulation ends',
    );
  }
  return {
    ...coming(flags),
    outage: flags.outage,
    failingShare: flags.failing,
    capacityPerSecond: flags.capacity,
    attemptMs: flags.attemptMs,
    concurrency: flags.concurrency,
    attemptsPerSecond: flags.attemptsPerSecond,
    breaker: resolveBreaker(flags.breaker),
    maxAttempts: flags.maxAttempts,
    tickSeconds: flags.tick,
    horizonMs: horizon,
    seed: flags.seed,
  };
}

function coming({
  records,
  rate,
  for: lengthMs,
}: ScenarioFlags): Pick<Scenario, 'records' | 'recordsPerSecond'> {
  if (rate === undefined && lengthMs === undefined) return { records: records ?? DEFAULT_RECORDS };
  if (rate === undefined || lengthMs === undefined) {
    throw new ConfigurationError('--rate and --for: expected both, such as --rate 5 --for 2h');
  }
  if (records !== undefined) {
    throw new ConfigurationError('--records: expected either all at once, or --rate with --for');
  }
  const count = Math.floor((rate * lengthMs) / 1000);
  if (count < 1 || count > MAX_RECORDS) {
    throw new ConfigurationError(
      `--rate and --for: expected from 1 to ${MAX_RECORDS} records in all, got ${show(count)}`,
    );
  }
  return { records: count, recordsPerSecond: rate };
}
