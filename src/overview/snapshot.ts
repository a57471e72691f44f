import type { HeldCount } from '../store/operator-store.js';
import type { BreakerState } from '../store/store.js';
import type { AlarmOn } from './alarms-on.js';
import { CONDITIONS, type Condition } from './conditions.js';
import type { Counts, PassiveRegion } from './counts.js';
import type { OverviewDeps } from './deps.js';
import { attemptsWithin, RECENT_MINUTES, type RecentAttempts } from './failing.js';
import { type LostRuns, lostRunsOf } from './lost-runs.js';
import type { OverviewStats } from './queue-counts.js';
import { failuresOf, type LatestSuccess, latestSuccess, type QueueFailures } from './queue-failures.js';
import type { MinuteCount, RuleStatus, RunReport, RunTrouble } from './runtime.js';

/** The breaker of a destination that is not closed. Times are of the backlog, epoch milliseconds. */
export interface OpenBreaker extends Pick<BreakerState, 'since' | 'until'> {
  /** The destination; `*`: all records of a queue, `?`: those whose destination is not known. */
  readonly destination: string;
}

/** A queue as the overview shows it. */
export interface QueueView extends QueueFailures {
  /** Its state and counts. */
  readonly stats: OverviewStats;
  /** The worst that is known of it. */
  readonly condition: Condition;
  /** Records wait in it, and no rule serves it; with the name that was probably meant. Undefined: one does, or it is not known. */
  readonly unserved?:
    | {
        /** The queue that was probably meant; undefined: none is near. */
        readonly meant: string | undefined;
      }
    | undefined;
  /** Keys whose records wait until an operator acts, in a queue with order, as they were noted. Undefined: none. */
  readonly held?: HeldCount | undefined;
  /** No run has served it yet. Default: one has, or it is not known. */
  readonly neverServed?: boolean | undefined;
  /** The number of waiting records that have failed: exact in a local runtime, about by the monitor, otherwise not known. */
  readonly inRetry: number | undefined;
  /** The exactness of `inRetry`. */
  readonly retryCounted: OverviewStats['counted'];
  /** The latest success that its runs have noted; undefined: not known. */
  readonly lastSuccess?: LatestSuccess | undefined;
  /** Attempts of the last 15 minutes; undefined: not known. */
  readonly recent: Pick<RecentAttempts, 'succeeded' | 'failed'> | undefined;
  /** Its attempts by minute; undefined: not known. */
  readonly minutes: readonly MinuteCount[] | undefined;
  /** Records have been due for longer than runs should need. */
  readonly isLate: boolean;
  /**
   * Breakers of its destinations that are not closed, with times of the backlog: since when, and when the next probe is
   * due.
   */
  readonly breakers: readonly OpenBreaker[];
  /** Its leases that are held. */
  readonly leases: readonly {
    /** The key of what is leased: the queue, a lane of it or a tier. */
    readonly key: string;
    /** The run that holds it. */
    readonly holder: string;
    /** Time at which it ends, epoch milliseconds. */
    readonly until: number;
  }[];
  /** Its runs that were lost, by the leases that they left behind. Default: none is known. */
  readonly lostRuns?: LostRuns | undefined;
  /** The time at which the next of its rules fires, ISO-8601. */
  readonly nextRunAt: string | undefined;
}

/** The part of a `QueueView` that incidents are made of. */
export interface IncidentQueue
  extends Pick<
    QueueView,
    | 'condition'
    | 'breakers'
    | 'failingGroups'
    | 'unknownGroups'
    | 'earlyNotes'
    | 'failing'
    | 'backAt'
    | 'failedSince'
    | 'endedOutages'
  > {
  /** Its name, its records, and their times where they are known. */
  readonly stats: Pick<QueueView['stats'], 'queue' | 'pending'> &
    Partial<
      Pick<QueueView['stats'], 'dead' | 'lastDueAt' | 'firstDeadAt' | 'lastDeadAt' | 'retryMode' | 'reading'>
    >;
}

/** A rule of a local runtime. */
export interface RuleView {
  /** Its state since the start. */
  readonly rule: RuleStatus;
  /** Its last run; undefined: it has not fired since the start. */
  readonly last: RunReport | undefined;
  /** The rule's time has passed, and it has not fired; or it has made up for firings that had passed. */
  readonly missed: boolean;
}

/** The state that the overview shows. Times are of the backlog. */
export interface Snapshot {
  /** The time of the snapshot, epoch milliseconds. */
  readonly now: number;
  /** The queues, the worst first. Undefined: the tables could not be read. */
  readonly queues: readonly QueueView[] | undefined;
  /** The rules of a local runtime. Empty: there is none. */
  readonly rules: readonly RuleView[];
  /** Runs of a local runtime that fail or do not end. Default: none is known. */
  readonly troubles?: readonly RunTrouble[] | undefined;
  /** Another region attempts the records. */
  readonly passive?: PassiveRegion | undefined;
  /** The alarms of the backlog that are on. Undefined: not known; `snapshotOf` does not ask for them. */
  readonly alarms?: readonly AlarmOn[] | undefined;
}

/**
 * Seconds above which a queue is late. A run per minute keeps records waiting for a minute; above this, runs do not
 * keep up.
 */
const LATE_SECONDS = 300;
/** Real seconds that a run may take. On a faster clock, these are minutes of the backlog. */
const LATE_REAL_SECONDS = 5;

/**
 * The state of all queues and rules, from counts and from what a local runtime knows.
 *
 * @param counts undefined: they could not be read
 * @param now the backlog's time, epoch milliseconds
 */
export function snapshotOf(deps: OverviewDeps, counts: Counts | undefined, now: number): Snapshot {
  const status = deps.runtime?.status();
  const speed = deps.backlog.clock?.speed ?? 1;
  const lateSeconds = LATE_SECONDS + LATE_REAL_SECONDS * (speed - 1);
  const queues = counts?.stats.queues.map((stats): QueueView => {
    const known = status?.queues.find(
      ({ name, table }) => name === stats.queue && table === deps.backlog.table,
    );
    const minutes = deps.runtime?.minutesOf(stats.queue);
    const recent = minutes && attemptsWithin(minutes, RECENT_MINUTES, now);
    const ofQueue = ([key]: readonly [string, unknown]) => isLeaseOfQueue(key, stats.queue);
    const live = [...counts.leases].filter(ofQueue);
    const leases = live.map(([key, { holder, until }]) => ({ key, holder, until }));
    const expired = [...(counts.expired ?? [])].filter(ofQueue);
    const { serving } = counts;
    const isUnserved = stats.pending > 0 && serving?.isUnserved(stats.queue) === true;
    const unserved = isUnserved ? { meant: serving.meant(stats.queue) } : undefined;
    const state = counts.states.get(stats.queue);
    const held = counts.heldLines?.get(stats.queue);
    const inRetry = known?.ERROR ?? stats.inRetry;
    const successes = [...(counts.successes ?? [])].filter(ofQueue).map(([, at]) => at);
    const isPassive = counts.passive !== undefined;
    const failures = failuresOf({ stats, state, minutes, inRetry, isPassive, now, speed });
    const isLate = (stats.lagSeconds ?? 0) > lateSeconds;
    const isAtWork = leases.length > 0;
    const condition = conditionOf(stats, { ...failures, unserved, held, isAtWork, isLate });
    const nextRunAt = known?.nextRunAt;
    const breakers = [...(state?.breakers ?? [])].map(([destination, its]) => ({ ...its, destination }));
    return {
      ...failures,
      stats,
      condition,
      unserved,
      held,
      neverServed: state?.retryMode === undefined && !isAtWork && expired.length + successes.length === 0,
      inRetry,
      retryCounted: known || !stats.inRetry ? 'exact' : 'about',
      lastSuccess: latestSuccess(successes, state, now),
      recent,
      minutes,
      isLate,
      breakers,
      leases,
      lostRuns: lostRunsOf(expired, live, (wall) => now - (counts.readAt - wall) * speed),
      nextRunAt,
    };
  });
  // A rule that is late as the machine cannot keep up is no fault of the backlog.
  const isSlowed = status?.askedSpeed !== undefined;
  const rules = (status?.rules ?? []).map((rule): RuleView => {
    const last = deps.runtime?.lastRunOf(rule.id);
    const missed = rule.enabled && !isSlowed && isMissed(rule, last, { now, speed });
    return { rule, last, missed };
  });
  return {
    now,
    queues: queues?.sort(worstFirst),
    rules,
    troubles: status?.troubles,
    passive: counts?.passive,
  };
}

function conditionOf(
  { openBreakers, paused, pending, dead }: OverviewStats,
  {
    unserved,
    isFailing,
    backAt,
    held,
    isAtWork,
    isLate,
  }: Pick<QueueView, 'unserved' | 'held' | 'isFailing' | 'backAt' | 'isLate'> & { isAtWork: boolean },
): Condition {
  if (unserved) return 'unserved';
  if (openBreakers > 0) return 'breaker';
  if (paused) return 'paused';
  if (isFailing) return 'failing';
  if (isLate) return 'late';
  if (held) return 'held';
  if (backAt !== undefined) return 'recovering';
  if (dead > 0) return 'dead';
  if (isAtWork) return 'working';
  return pending > 0 ? 'waiting' : 'quiet';
}

/** Real time that a rule may be late: a second passes until a rule that is due has started. */
const GRACE_REAL_MS = 2_000;

function isMissed(
  { nextAt }: RuleStatus,
  last: RunReport | undefined,
  { now, speed }: { now: number; speed: number },
): boolean {
  const isOverdue = nextAt !== undefined && now - Date.parse(nextAt) > GRACE_REAL_MS * speed;
  // On a fast clock runs take longer than the time between two firings: that is no fault of the backlog.
  return isOverdue || (speed === 1 && (last?.coalesced ?? 0) > 0);
}

function worstFirst(one: QueueView, other: QueueView): number {
  return (
    CONDITIONS.indexOf(one.condition) - CONDITIONS.indexOf(other.condition) ||
    other.stats.pending - one.stats.pending ||
    (one.stats.queue < other.stats.queue ? -1 : 1)
  );
}

/** Tells whether a lease, by its key, is for records of that queue. */
function isLeaseOfQueue(key: string, queue: string): boolean {
  return key === queue || key.startsWith(`${queue}#`);
}
