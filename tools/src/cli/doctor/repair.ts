import {
  type Clock,
  indexWhenFree,
  isOfOneRecord,
  type OperatorStore,
  randomToken,
  type StoreTypes,
  systemRandom,
} from 'dynamo-backlog/engine';
import type { Output } from '../output.js';
import { counted, printable } from '../output.js';
import { repairOf } from './index-checks.js';

const BATCH = 100;
const LOOK_AGAIN_MS = 2_000;

export interface Repairable {
  /** Ids of records whose index keys are wrong. */
  readonly misindexed: readonly string[];
  /** Ids of records that have had none for long. */
  readonly stuck: readonly string[];
}

export interface Repaired {
  /** Records that were not indexed, and are now. */
  readonly indexed: number;
  /** Records that were moved in the index, or out of it. */
  readonly moved: number;
  /** Records that others changed or repaired meanwhile, or that DynamoDB refused to change. */
  readonly left: number;
}

interface RepairDeps {
  readonly store: OperatorStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly output: Output;
}

/** Corrects the index keys of these records, each as it is now, under its fence. It may be repeated. */
export async function repairAll({ misindexed, stuck }: Repairable, deps: RepairDeps): Promise<Repaired> {
  let moved = 0;
  for (const ids of batches(misindexed)) {
    if (deps.signal.aborted) break;
    for (const found of await deps.store.records.getItems(ids)) if (await move(found, deps)) moved++;
  }
  let indexed = 0;
  for (const ids of batches(stuck)) indexed += await placeOnceFree(ids, deps);
  return { indexed, moved, left: misindexed.length + stuck.length - moved - indexed };
}

/** Indexes records, once no run that was given them as arrivals can be at work on them. Returns how many. */
async function placeOnceFree(
  ids: readonly string[],
  { store, clock, signal, output }: RepairDeps,
): Promise<number> {
  const deps = { store, clock, random: systemRandom, logger: loggerOf(output) };
  let count = 0;
  for (let rest = ids, reported = false; !signal.aborted; reported = true) {
    const answer = await indexWhenFree(rest, deps);
    count += answer.indexed.length + answer.quarantined;
    if (answer.trouble) throw answer.trouble.error;
    rest = answer.waiting;
    if (rest.length === 0) break;
    if (!reported)
      output.message(
        `waiting for the end of runs that may be at work on ${counted(rest.length, 'record')} ...`,
      );
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
  return count;
}

async function move(
  { item, record }: StoreTypes.Found,
  { store, clock, output }: RepairDeps,
): Promise<boolean> {
  const repair = repairOf(item, record, clock.now());
  if (!repair || repair.kind === 'notIndexed') return false;
  try {
    return (await store.records.settle(record, repair.change, randomToken(systemRandom))) === 'settled';
  } catch (error) {
    if (!isOfOneRecord(error)) throw error;
    output.message(`${printable(record.id)}: DynamoDB refuses the change: ${(error as Error).message}`);
    return false;
  }
}

function batches(ids: readonly string[]): (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) =>
    ids.slice(i * BATCH, (i + 1) * BATCH),
  );
}

function loggerOf(output: Output) {
  const error = (message: string, extra: Record<string, unknown> = {}) =>
    output.message(`${printable(String(extra.id))}: ${message}: ${printable(String(extra.reason))}`);
  return { debug: () => {}, info: () => {}, warn: () => {}, error };
}
