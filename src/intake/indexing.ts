import type { BacklogRecord, RecordChange } from '../record/index.js';
import { indexChange, isMisindexed } from '../record/index-change.js';
import { isQuarantine, quarantine } from '../record/quarantine.js';
import { isInWrongLane, type KnownQueues, moveToOwnLane } from '../record/wrong-lane.js';
import { isOfStore, type StoreError } from '../store/errors.js';
import type { BacklogStore } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';

/** Writes at once. */
const CONCURRENCY = 25;

/** The lanes of busy keys, for records that are about to be indexed. */
export interface KeyLanes {
  /** Gives lanes to the keys of records that are busy. */
  prepare(records: readonly BacklogRecord[]): Promise<void>;
  /** The change that indexes a record in the lane of its key, if that has one. */
  place(record: BacklogRecord, change: RecordChange): RecordChange;
}

/** The dependencies of indexing, and the queues that are known. */
export interface IndexingDeps extends KnownQueues {
  /** The tables. */
  readonly store: BacklogStore;
  /** The backlog's clock. */
  readonly clock: Clock;
  /** The source of random numbers. */
  readonly random: Random;
  /** The log, for what is quarantined or refused. */
  readonly logger: AttemptLogger;
  /** The request id of a function that holds records while it indexes them. Default: it claims them by no such id. */
  readonly invocation?: string | undefined;
  /** The lanes of busy keys. Default: each record goes to a lane of its queue. */
  readonly keyLanes?: KeyLanes | undefined;
}

/** The result of indexing records. */
export interface Indexed {
  /** The records as they were read: `problems` names the attributes that were written again. */
  readonly indexed: readonly BacklogRecord[];
  /** Records that are gone, done, or indexed by another process. */
  readonly skipped: number;
  /** Records that this code cannot handle, or DynamoDB refuses to index: they are dead, and say why. */
  readonly quarantined: number;
  /** Records that could not be quarantined either: an item of 400 KB has no room for the reason. */
  readonly refused: number;
  /** The error that kept the others from being looked at; they are to be asked for again. */
  readonly trouble?: Trouble | undefined;
}

/**
 * The store did not answer, or may not be used.
 *
 * @inline
 */
export interface Trouble {
  /** The store's error. */
  readonly error: StoreError;
  /** The records that were not looked at. */
  readonly ids: readonly string[];
}

/**
 * Indexes records that no rule finds: put without `lane` or with a wrong one, or dead and set to `NEW` by hand. No other
 * run may have claimed any of them. A record that is indexed, or done, is left alone. This may be repeated.
 *
 * In the order of the records, as far as the store answers: what is wrong with one of them is no trouble of another.
 *
 * @param gone ids that were asked for, and have no record
 */
export async function indexAll(
  records: readonly BacklogRecord[],
  gone: number,
  deps: IndexingDeps,
): Promise<Indexed> {
  const waiting = records.filter((record) => needsIndexing(record, deps));
  const skipped = gone + records.length - waiting.length;
  const counts = { skipped, indexed: [] as BacklogRecord[], quarantined: 0, refused: 0 };
  await deps.keyLanes?.prepare(waiting);
  for (let i = 0; i < waiting.length; i += CONCURRENCY) {
    const chunk = waiting.slice(i, i + CONCURRENCY);
    const answers = await Promise.all(chunk.map((record) => indexOne(record, deps)));
    const troubled: BacklogRecord[] = [];
    let error: StoreError | undefined;
    for (const [at, answer] of answers.entries()) {
      const record = chunk[at] as BacklogRecord;
      if (answer === 'indexed') counts.indexed.push(record);
      else if (answer === 'skipped' || answer === 'quarantined' || answer === 'refused') counts[answer]++;
      else {
        error ??= answer;
        troubled.push(record);
      }
    }
    if (error) {
      const ids = [...troubled, ...waiting.slice(i + CONCURRENCY)].map(({ id }) => id);
      return { ...counts, trouble: { error, ids } };
    }
  }
  return counts;
}

/** Tells whether no rule finds a record, or none does where it is. */
export function needsIndexing(record: BacklogRecord, known: KnownQueues): boolean {
  return isMisindexed(record) || isInWrongLane(record, known);
}

type Answer = 'indexed' | 'skipped' | 'quarantined' | 'refused' | StoreError;

/** Indexes one record. Its errors end here: no other record is affected. */
async function indexOne(record: BacklogRecord, deps: IndexingDeps): Promise<Answer> {
  const { id } = record;
  const { clock, logger, shardsOf = () => 1 } = deps;
  const shards = shardsOf(record.queue);
  try {
    const change = isMisindexed(record)
      ? indexChange(record, clock.now(), shards)
      : moveToOwnLane(record, clock.now(), deps);
    return await write(record, deps.keyLanes?.place(record, change) ?? change, deps);
  } catch (error) {
    if (isOfStore(error)) return error;
    const reason = reasonOf(error);
    logger.error('a record cannot be indexed', { id, reason });
    try {
      const change = quarantine(record, 'it cannot be indexed', clock.now(), shards);
      return await write(record, change, deps);
    } catch (again) {
      if (isOfStore(again)) return again;
      logger.error('a record cannot be quarantined either, and will not be attempted', { id, reason });
      return 'refused';
    }
  }
}

async function write(
  record: BacklogRecord,
  change: RecordChange,
  { store, random, logger }: IndexingDeps,
): Promise<Answer> {
  const answer = await store.records.settle(record, change, randomToken(random));
  if (answer !== 'settled') return 'skipped';
  if (!isQuarantine(change)) return 'indexed';
  logger.error('quarantined', { id: record.id, reason: change.set.deadReason });
  return 'quarantined';
}

/** The error as it may be logged: errors of DynamoDB contain no part of the record; other errors may. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  return name === 'StoreError' ? message : name;
}
