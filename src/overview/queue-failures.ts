import { type FailingNow, failingNow } from '../monitor/failing.js';
import { isUnknownByPause } from '../monitor/pauses.js';
import { type PastOutage, parseFailing } from '../record/index.js';
import type { QueueState } from '../store/store.js';
import { endedOutages } from './ended-outages.js';
import { type FailingAttempts, outageByMinute, RECENT_MINUTES } from './failing.js';
import type { OverviewStats } from './queue-counts.js';
import type { MinuteCount } from './runtime.js';

/** Failures of a queue, as far as they are known. */
export interface QueueFailures {
  /** The attempts that say that it fails; undefined: they do not, or they are not known. */
  readonly failing: FailingAttempts | undefined;
  /** The time for which records have failed without recovery, by the notes of its runs. Undefined: they have no such note. */
  readonly failingSeconds?: number | undefined;
  /** The groups of its records that fail, by the notes of its runs. Times are in epoch seconds. */
  readonly failingGroups?: FailingNow['groups'] | undefined;
  /** The notes of its runs that are no outage yet, where its attempts say that it fails. */
  readonly earlyNotes?: FailingNow['groups'] | undefined;
  /**
   * The groups that failed when the queue was paused. Whether they still do is not known: its runs attempt nothing, or have hardly
   * begun to. Undefined: nothing failed then, or it is known.
   */
  readonly unknownGroups?: FailingNow['groups'] | undefined;
  /** It fails, as its attempts or the notes of its runs say. */
  readonly isFailing: boolean;
  /** The time since which it does not fail any more, if records are left that had failed. Epoch milliseconds. */
  readonly backAt?: number | undefined;
  /** The beginning of what ended at `backAt`, by its attempts, epoch milliseconds. Undefined: they are not counted by minute. */
  readonly failedSince?: number | undefined;
  /** Its outages that ended in the last day, by the notes of its runs. Times are in epoch seconds. */
  readonly endedOutages?: readonly PastOutage[] | undefined;
}

/** The latest success of a queue. */
export interface LatestSuccess {
  /** The backlog's time, epoch milliseconds. */
  readonly at: number;
  /** It is no evidence for now: it is some minutes old, or failures have been noted since. */
  readonly isOld: boolean;
}

/** Time for which a success is evidence that attempts succeed. An outage is noted within about as long. */
const SUCCESS_MS = 5 * 60_000;

/** @param times those of the queue's runs, epoch milliseconds */
export function latestSuccess(
  times: readonly number[],
  state: Pick<QueueState, 'failing'> | undefined,
  now: number,
): LatestSuccess | undefined {
  if (times.length === 0) return undefined;
  const at = Math.max(...times);
  const { notes } = parseFailing(state?.failing);
  // A time that is far ahead is of another clock: it is no evidence for now.
  return { at, isOld: Math.abs(now - at) > SUCCESS_MS || notes.some(({ lastAt }) => lastAt * 1000 > at) };
}

/** Sources of what is known of a queue's failures. */
interface Known {
  readonly stats: OverviewStats;
  /** Its item in the control table. */
  readonly state: QueueState | undefined;
  /** Its attempts by minute, of a local runtime. */
  readonly minutes: readonly MinuteCount[] | undefined;
  /** The number of its waiting records that have failed; undefined: not known. */
  readonly inRetry: number | undefined;
  readonly isPassive: boolean;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  readonly speed: number;
}

const MINUTE_MS = 60_000;
/** Time for which a recovery is said. */
const BACK_MS = 60 * MINUTE_MS;

/**
 * The failures of a queue. Where its attempts are counted by minute, they say at once that it fails, or that it does not any more;
 * the notes of its runs need some minutes for either.
 */
export function failuresOf(known: Known): QueueFailures {
  const { minutes, now, speed } = known;
  const { failing, backAt, failedSince } = minutes ? outageByMinute(minutes, now, speed) : {};
  const notes = parseFailing(known.state?.failing);
  const outagesBeside = (groups: FailingNow['groups'], endedAt?: number) =>
    endedOutages(notes, groups, { backAt: endedAt, now });
  const unknownGroups = failuresBeforePause(known).filter(({ lastAt }) => lastAt * 1000 > (backAt ?? 0));
  if (unknownGroups.length > 0) {
    const outages = outagesBeside(unknownGroups);
    return { failing: undefined, isFailing: false, unknownGroups, endedOutages: outages };
  }
  const noted = notedFailures(known);
  const isJustBack = backAt !== undefined && now - backAt < RECENT_MINUTES * MINUTE_MS;
  const groups = isJustBack ? [] : (noted?.groups ?? []);
  if (failing || groups.length > 0) {
    const earlyNotes = groups.length > 0 ? undefined : notes.notes;
    return {
      ...{ failing, failingSeconds: noted?.seconds, failingGroups: groups, earlyNotes, isFailing: true },
      endedOutages: outagesBeside(groups),
    };
  }
  const endedAt = backAt ?? msOf(noted?.endedAt);
  return {
    failing,
    failingSeconds: noted && 0,
    isFailing: false,
    backAt: isRecovering(known, endedAt) ? endedAt : undefined,
    failedSince: endedAt === backAt ? failedSince : undefined,
    endedOutages: outagesBeside([], endedAt),
  };
}

function msOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function isRecovering({ stats, inRetry, now }: Known, endedAt: number | undefined): boolean {
  if (endedAt === undefined || stats.paused || now - endedAt > BACK_MS) return false;
  return (inRetry ?? stats.pending) > 0;
}

/**
 * The groups that failed when the queue was last attempted, if it is paused since or its first runs have hardly begun. The silence of
 * the pause is no evidence: they are those of the last failure.
 */
function failuresBeforePause({ state, isPassive, now }: Known): FailingNow['groups'] {
  if (!state || !isUnknownByPause(state, now)) return [];
  const { notes } = parseFailing(state.failing);
  const lastAt = Math.max(...notes.map((note) => note.lastAt)) * 1000;
  const then = { failing: state.failing, paused: false };
  return failingNow(then, undefined, { now: lastAt, isPassive })?.groups ?? [];
}

/** Failures that the monitor would report. */
function notedFailures({ state, stats, isPassive, now }: Known): FailingNow | undefined {
  const { pending, dead, inRetry } = stats;
  const isCounted = stats.counted === 'exact' && inRetry !== undefined;
  const counted = isCounted ? { counts: { pending, dead }, inRetry } : undefined;
  return state && failingNow(state, counted, { now, isPassive });
}
