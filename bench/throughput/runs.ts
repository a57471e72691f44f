import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type RunOptions,
  type RunTarget,
  resolvePolicy,
  run,
  systemClock,
  systemRandom,
} from '../../src/engine.js';
import { DynamoDbStore } from '../../src/store/index.js';

/** The queue of all measurements; tables of their own keep them apart. */
export const QUEUE = 'orders';
const FUNCTION_TIMEOUT_SECONDS = 900;
/** The default, by which the first page has twice as many records as there are attempts at once. */
const ATTEMPT_TIMEOUT_SECONDS = 30;
export const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Runs of the queue's function at the same time, in one process. */
export interface BenchRuns {
  readonly tables: { readonly records: string; readonly control: string };
  readonly shards: number;
  /** The lanes of each run, or the batch of records that have just arrived. */
  readonly targets: readonly Pick<RunTarget, 'lanes' | 'arrivals'>[];
  /** The time of an attempt, which waits and uses no processor. */
  readonly attemptMs: number;
  /** Attempts at once of a run. */
  readonly concurrency: number;
}

/** The options of a run that the measurements have in common. */
export function optionsOf(
  { shards, concurrency }: Pick<BenchRuns, 'shards' | 'concurrency'>,
  target: Pick<RunTarget, 'lanes' | 'arrivals'>,
  now: number,
): Omit<RunOptions, 'process'> {
  return {
    target: { queue: QUEUE, lane: target.lanes?.[0] ?? QUEUE, shards, ...target },
    policy: resolvePolicy({ type: 'fibonacci' }),
    limits: { concurrency, attemptTimeout: ATTEMPT_TIMEOUT_SECONDS },
    deadline: now + FUNCTION_TIMEOUT_SECONDS * 1000,
    functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
    tickSeconds: 60,
  };
}

/** Returns how many records they have attempted, all with success. */
export async function runAll(client: DynamoDBClient, bench: BenchRuns): Promise<number> {
  const { tables, targets, attemptMs } = bench;
  const process = attemptMs === 0 ? () => {} : () => systemClock.sleep(attemptMs);
  const store = new DynamoDbStore({ client, tables, clock: systemClock });
  const deps = { store, clock: systemClock, random: systemRandom, logger };
  const runs = targets.map(async (target) => {
    const options = { ...optionsOf(bench, target, systemClock.wall()), process };
    const { attempted, succeeded } = await run(options, deps);
    if (attempted !== succeeded) throw new Error(`${attempted - succeeded} attempts did not succeed`);
    return attempted;
  });
  return (await Promise.all(runs)).reduce((sum, attempted) => sum + attempted, 0);
}
