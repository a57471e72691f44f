import {
  type AttemptOutcome,
  type BacklogRecord,
  isQuarantine,
  type RecordChange,
  withinRoom,
  withoutHistory,
} from '../record/index.js';
import { isOfOneRecord, StoreThrottledError, StoreUnavailableError } from '../store/errors.js';
import type { RunContext } from './context.js';
import type { Entry } from './guards/gate.js';
import { LAST_SETTLES_MS } from './guards/time-limit.js';

const MIN_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 3_000;

/** An outcome that its guards have seen. */
export interface Concluded {
  readonly change: RecordChange;
  /** Writes what a guard notes behind the change, such as that a breaker closes: further attempts depend on it. */
  readonly note?: (() => Promise<void>) | undefined;
  /** Asked where the record has changed; see `settleWithRetries`. */
  readonly again?: Again | undefined;
}

/** Returns what to write where a record has changed. Undefined: nothing. */
export type Again = (changed: BacklogRecord) => Promise<Settling | undefined>;

/**
 * Shows the outcome of an attempt to its guards. Another attempt may begin before it is written, unless a guard notes it.
 *
 * @param token the token of the attempt, if its handler has asked for it
 */
export function conclude(
  record: BacklogRecord,
  ended: AttemptOutcome,
  entry: Entry,
  run: RunContext,
  token?: string,
): Concluded {
  const { rules, counters, failures, options, logger } = run;
  const hasResult = ended.type === 'success' && ended.result !== undefined;
  const kept = hasResult ? withinRoom(record, ended) : ended;
  const { outcome, note } = entry.leave(rules.deadIfRefused(record, kept));
  if (outcome.type === 'dead' && outcome.untried) counters.notStarted();
  if (outcome.type === 'success' && outcome.notKept !== undefined) {
    const { id } = record;
    logger.error('a result is not kept, and its record succeeds without it', { id, reason: outcome.notKept });
  }
  if (options.logsStacks && 'thrown' in outcome) failures.threw(record, outcome.thrown);
  const again: Again | undefined =
    token === undefined
      ? undefined
      : async (changed) => (await rules.laterCode()).endedEarly(changed, { token, outcome }, run);
  return { change: rules.settle(record, outcome), note, again };
}

/** A record as it is now, and the change to write to it. */
export interface Settling {
  readonly record: BacklogRecord;
  readonly change: RecordChange;
}

/**
 * The one write of an attempt, repeated while DynamoDB does not answer and there is time.
 *
 * @param again asked where the record has changed. Returns what to write all the same; undefined: nothing
 * @returns what kept the outcome from being written, if that concerns other records, too: the run ends with it
 */
export async function settleWithRetries(
  read: BacklogRecord,
  decided: RecordChange,
  run: RunContext,
  again?: Again,
): Promise<Error | undefined> {
  const { store, hold, counters, failures, failing, logger, clock, options } = run;
  const { rev } = hold;
  const failed = decided.set.lastError?.name;
  let record = read;
  let change = decided;
  for (let backoff = MIN_BACKOFF_MS; ; backoff = Math.min(2 * backoff, MAX_BACKOFF_MS)) {
    try {
      const answer = await store.records.settle(record, change, (change.token ?? '') + rev);
      if (answer === 'settled') {
        counters.settled(change);
        failures.settled(record, change);
        failing.settled(record, change);
        if (change.set.status === 'SUCCESS' || change.countedAs === 'succeeded')
          hold.succeededAt = clock.now();
        return undefined;
      }
      const next = await again?.(record);
      if (next) {
        ({ record, change } = next);
        continue;
      }
      counters.unsettled();
      logger.warn('another process changed the record during its attempt', {
        id: record.id,
        error: failed,
      });
      return undefined;
    } catch (error) {
      const smaller = isOfOneRecord(error) ? smallerThan(change, record, run) : undefined;
      if (smaller) {
        change = smaller;
        continue;
      }
      const passing = error instanceof StoreThrottledError || error instanceof StoreUnavailableError;
      const timeLeft = clock.wall() + backoff + LAST_SETTLES_MS / 2 < options.deadline;
      if (!passing || !timeLeft || hold.renewInMs() <= 0) {
        counters.unsettled();
        const reason = (error as Error).message;
        logger.error('the outcome of an attempt could not be written', {
          id: record.id,
          error: failed,
          reason,
        });
        // What the store holds against this record alone must not keep the others from their turn.
        if (!isOfOneRecord(error)) return error as Error;
        counters.refused(1);
        return undefined;
      }
      await clock.sleep(backoff);
    }
  }
}

/** The change to write in place of one that DynamoDB refuses. If failures were not counted, they would never end. */
function smallerThan(
  change: RecordChange,
  record: BacklogRecord,
  { rules, logger }: RunContext,
): RecordChange | undefined {
  if (isQuarantine(change)) return undefined;
  const bare = withoutHistory(change);
  if (!bare) return rules.quarantine(record, 'the outcome of its attempt could not be written');
  logger.warn('a record has no room for its history', { id: record.id });
  return bare;
}
