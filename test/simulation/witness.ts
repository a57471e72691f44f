import type { TierBand } from '../../src/policies/index.js';
import { type BacklogRecord, Done, type Item, type RecordChange, restOf } from '../../src/record/index.js';
import type { OperatorChange } from '../../src/store/operator-store.js';
import type { BreakerState } from '../../src/store/store.js';
import type { RunSummary } from '../../src/worker/index.js';
import type { Actor } from './actor.js';
import type { IntakeReport } from './cloud/intake-function.js';
import { type Features, LATE_TASK } from './features.js';
import { isHostile } from './hostile-items.js';
import type { OperatorKind } from './operators.js';
import { FUNCTION_TIMEOUT_SECONDS, type Scenario, TICK_MS, TROUBLED_MS, WAIT_SECONDS } from './scenario.js';
import type { Versions } from './versions.js';

/** Two clocks that differ by 2 s each, and a little for their rounding. */
const SKEW_MS = 4_100;
/** A page that was read before is worked off: no longer than a lease lasts. */
const LEASE_MS = 75_000;
/** Frozen for 200 s at most, and a lease that ran out: then nothing is left of the troubles. */
const AFTERMATH_MS = 300_000;
/** Time after which a stream that was frozen, and messages that failed once more, have left no troubles. */
const ARRIVALS_AFTERMATH_MS = 1_200_000;
/** An attempt that ignores its signal holds up its lane for so long. */
const MAX_ATTEMPT_MS = 150_000;
/**
 * Longest time until the sweep finds a record that the stream gave up: it looks once a day, by an hourly rule, and
 * its messages come 15 minutes later.
 */
const SWEPT_WITHIN_MS = 25 * 3_600_000 + 900_000;
/** Time without an attempt of its queue before a record is probed, and the failures that a queue has had by then. */
const PROBE_AFTER_MS = 270_000;
const FAILURES_BEFORE_PROBE = 3;
/** Probes of a destination in a lane in a row: five that succeed of it, and of the queue that is noted beside it. */
const MAX_PROBES = 10;
/** A record whose task no handler knew is looked at again so much later at the most. */
const TASK_WAIT_MS = 600_000;

/** Wait after a failure under a record's own policy. */
const OWN_WAIT_MS = WAIT_SECONDS * 1000 - TICK_MS / 2;

interface Known {
  /** True time from which it may be attempted at all. */
  since: number;
  /** True time of its last attempt's start. */
  startedAt?: number;
  /** Time that its last settled failure, or snooze, names, by its worker's clock. */
  failedAt?: number | undefined;
  /** It was put off, and no policy was asked. */
  wasSnoozed?: boolean;
  /** Its policy has nothing to say about how long it waits. */
  wasPutOff?: boolean;
  /** A rule has found it in the lane of a queue that its producer had put it out of. */
  wasInPreviousLane?: boolean;
  /** When it is due in the queue that its failure moved it into. */
  movedUntil?: number | undefined;
  settledBy?: Actor;
  /** True time of the last write by an actor that had been frozen, maybe past its hold. */
  thawedAt?: number;
  settledAt?: number;
  /** The destination of its last attempt. */
  destination?: string;
  /** A probe that failed was asked to wait until then. */
  askedUntil?: number | undefined;
  /** The wait that the destination asked for at the last failure. */
  retryAfterMs: number;
  /** An operator has changed it: when it has its turns is theirs to say. */
  isOperated?: boolean;
  /** An operator has put it off until then, true time. */
  putOffUntil?: number;
  /** It waits for its end from outside until then, by the clock that wrote it. */
  outsideUntil?: number;
  /** An operator has ended its wait. */
  isHurried?: boolean;
  /** Its due time, which was its age until a producer gave it another age, and not another due time. */
  previousAge?: Item[string];
  /** A person has set its failures to 0 since the last one. */
  hasNoFailures?: boolean;
  /** The stream has given it up since: the next sweep finds it, or the one after it. */
  givenUpAt?: number;
}

interface Underway {
  readonly actor: Actor;
  readonly version: number;
  readonly queue: string;
  readonly key: string | undefined;
  readonly destination: string;
  /** It was found there. */
  readonly lane: string | undefined;
  readonly tier: number | undefined;
  readonly isArrival: boolean;
  /** True time of its start. */
  readonly since: number;
}

/** A change of a record by a producer or a person. */
interface Writing {
  /** The version of the record since then. */
  readonly version: number;
  /** `laned`: the record had no lane before. */
  readonly kind: 'deleted' | 'bare' | 'laned' | 'changed';
  /** The queue that the record names since then. */
  readonly queue: unknown;
}

const COUNTED = ['succeeded', 'failed', 'dead', 'snoozed', 'pending', 'cancelled'] as const;
/** A status that an attempt has settled. */
const COUNTED_AS = { NEW: undefined, SUCCESS: 'succeeded', ERROR: 'failed', DEAD: 'dead' } as const;
type Counts = Record<'attempted' | (typeof COUNTED)[number], number>;

export interface Look {
  readonly now: number;
  readonly start: number;
  /** The band of the run that attempts; none on a queue that retries per record. */
  readonly band: TierBand | undefined;
  readonly queue: string;
  readonly destination: string;
  /** The record was just inserted, and is not indexed yet. */
  readonly isArrival: boolean;
  /** The breaker of its destination, if it is not closed. */
  readonly breaker: BreakerState | undefined;
}

/** Sees every attempt and every settle, and knows from them alone what must never be. */
export class Witness {
  readonly violations: string[] = [];
  private readonly leastWaitMs: number;
  private readonly failures = new Map<string, number>();
  /**
   * Probes by lane and destination, each of which has its own: their first one of late, their number since, and the last one that
   * failed. True times.
   */
  private readonly probes = new Map<string, { since: number; made: number; failedAt: number }>();
  private readonly underway = new Map<string, Underway[]>();
  /** True times at which the breakers of destinations were opened, by queue and destination. */
  private readonly openedAt = new Map<string, number>();
  private readonly records = new Map<string, Known>();
  private readonly writings = new Map<string, Writing[]>();
  private readonly counts = new Map<Actor, Counts>();
  private readonly lastStarts = new Map<string, number>();
  private readonly starts = new Map<string, number[]>();
  private readonly asked = new Map<string, number>();
  /** True time of the last success that each has settled. */
  private readonly succeededAt = new Map<Actor, number>();

  constructor(
    private readonly scenario: Scenario,
    private readonly features: Features,
    /** Records that end their process make others wait. */
    private readonly hasPoison: boolean,
    private readonly versions: Versions,
    /** Wait after a failure on a queue that retries per record. */
    private readonly waitSeconds: number = WAIT_SECONDS,
  ) {
    // A wait of less than a tick ends in its second; a longer one is kept to the nearest tick.
    this.leastWaitMs =
      waitSeconds < WAIT_SECONDS ? (waitSeconds - 1) * 1000 : waitSeconds * 1000 - TICK_MS / 2;
  }

  report(violation: string): void {
    this.violations.push(violation);
  }

  /** A new record, or a new version of it: nothing that was before counts any more. */
  appears(id: string, since: number): void {
    this.records.set(id, { since, retryAfterMs: 0 });
  }

  /** A producer or a person has written the record, or has deleted it: it has a new version. */
  isWritten(id: string, before: Item | undefined, after: Item | undefined): void {
    const had = before?.lane === undefined ? 'laned' : 'changed';
    const kind = after === undefined ? 'deleted' : after.lane === undefined ? 'bare' : had;
    const version = this.versions.current(id);
    this.writings.set(id, [...(this.writings.get(id) ?? []), { version, kind, queue: after?.queue }]);
    const known = this.records.get(id);
    const wasAge = before?.dueAt !== undefined && before.dueAt === ageOf(before);
    const keepsDueAt = after !== undefined && after.dueAt === before?.dueAt;
    if (known && wasAge && keepsDueAt && ageOf(after) !== after.dueAt) known.previousAge = after.dueAt;
    if (known && Number(before?.failures) > 0) known.hasNoFailures = after !== undefined && !after.failures;
  }

  /** The record waits for its end from outside until then. */
  waitsOutside(id: string, until: number): void {
    const known = this.records.get(id);
    if (known) known.outsideUntil = until;
  }

  /** The stream delivers a change of it no longer. */
  isGivenUp(id: string, now: number): void {
    const known = this.records.get(id);
    if (known) known.givenUpAt = now;
  }

  /** Returns the attempt, for `ends`: a run may have two of one record, if it was overwritten meanwhile. */
  begins(actor: Actor, record: BacklogRecord, stored: Item | undefined, look: Look): Underway {
    const { id } = record;
    const known = this.records.get(id);
    if (!known) throw new Error(`${id} was attempted before it was inserted`);
    this.asked.delete(`${actor.name} ${id}`);
    const { queue, destination, isArrival } = look;
    const version = this.versions.of(record);
    const { lane } = record;
    const tier = look.band?.number;
    const { key } = record;
    const mine = { actor, version, queue, key, destination, lane, tier, isArrival, since: look.now };
    const others = this.underway.get(id) ?? [];
    const counts = (someone: Underway) =>
      !isOdd(someone.actor) && !this.isFromBeforeRestore(someone.since, look);
    const other = this.areClocksWrong
      ? undefined
      : others.find((one) => counts(one) && !mayOverlap(one, mine, this.writings.get(id) ?? []));
    // An actor that was frozen past its hold may index a record while another attempts it.
    const wasPlacedLate = (known.thawedAt ?? 0) >= (known.startedAt ?? 0);
    if (other && !(known.thawedAt !== undefined && wasPlacedLate))
      this.report(`${id}: two attempts at once, by ${other.actor.name} and ${actor.name}`);
    this.underway.set(id, [...others, mine]);

    // A producer has overwritten it since it was read: the outcome is fenced off.
    const isOverwritten = version !== this.versions.current(id);
    // A run that was frozen past its lease may settle between another's read and its start, which waits for its turn.
    const isRateLimited = this.scenario.limits.attemptsPerSecond !== undefined;
    const readMs = actor.wasFrozen || isRateLimited ? LEASE_MS : 10_000;
    // So may one whose clock was set back: its lease has run out for all others.
    const { settledBy } = known;
    const isLate = settledBy?.wasFrozen === true || settledBy?.hasJumped === true;
    const thawed = isLate && look.now - (known.settledAt ?? 0) < readMs;
    const isOver = stored?.status === 'SUCCESS' || stored?.status === 'DEAD';
    // An operator's write between the reading of a page and this attempt fences its outcome off.
    const isOutdated = known.isOperated === true && stored?.rev !== record.rev;
    const isExcused = actor.hasJumped || this.isFromBeforeRestore(look.now, look);
    if (isOver && !isExcused && !thawed && !isOutdated && !isOverwritten)
      this.report(`${id}: attempted by ${actor.name} after ${stored.status} was settled`);
    const earlyMs = this.earliest(record, known, look) - look.now;
    if (
      earlyMs > 0 &&
      !isExcused &&
      !thawed &&
      !isOverwritten &&
      !isOutdated &&
      !this.isProbe(record, known, look)
    )
      this.report(`${id}: attempted by ${actor.name} ${earlyMs} ms too early`);
    this.checkBand(actor, record, look);
    if (!known.isOperated) this.checkLateness(actor, record, known, look);
    this.checkTask(actor, record, look);
    this.checkConcurrency(actor, record, look);
    this.checkPause(actor, id, look);
    this.checkKeyPauses(actor, record, look);
    this.checkBreaker(actor, id, look);
    known.startedAt = look.now;
    known.destination = destination;
    return mine;
  }

  /** An attempt of a hostile item, of which nothing is expected. */
  async beginsHostile(actor: Actor): Promise<Done> {
    const counts = this.countsOf(actor);
    if (counts.attempted % 2 === 0) throw new Error('one in two');
    return new Done();
  }

  ends(id: string, attempt: Underway): void {
    const others = this.underway.get(id) ?? [];
    this.underway.set(
      id,
      others.filter((other) => other !== attempt),
    );
  }

  /** The write that opens a breaker took effect. Its `since` may be long before that, if the request was slow. */
  opens(queue: string, destination: string, now: number): void {
    this.openedAt.set(`${queue} ${destination}`, now);
  }

  /** Notes the wait that the attempt under way asks for. It counts once the settle takes effect, if it ever does. */
  asksToWait(actor: Actor, id: string, seconds: number): void {
    this.asked.set(`${actor.name} ${id}`, seconds * 1000);
  }

  /** Ends the attempts of a killed worker. */
  dies(actor: Actor): void {
    for (const [id, all] of this.underway)
      this.underway.set(
        id,
        all.filter((other) => other.actor !== actor),
      );
  }

  /** A settle took effect for the first time. */
  settles(
    actor: Actor,
    record: BacklogRecord,
    change: RecordChange,
    before: Item | undefined,
    now: number,
  ): void {
    const [read, stored] = [this.versions.of(record), this.versions.current(record.id)];
    if (stored !== read) this.report(`${record.id}: an attempt of version ${read} settled version ${stored}`);
    // Set by hand while it was indexed, it is taken out of the index.
    const isCorrected = change.set.status === undefined && change.set.attempts === undefined;
    if (before?.status === 'SUCCESS' && this.records.has(record.id) && !isCorrected)
      this.report(`${record.id}: settled again after its success`);
    const { status, lastFailureAt, lastAttemptAt, lastError, queue, dueAt } = change.set;
    const isLost = lastError?.name === 'WorkerLost';
    if (status === 'DEAD' && isLost && (change.set.attempts ?? 0) < 2) {
      this.report(`${record.id}: killed by the first loss of a worker`);
    }
    if (this.records.has(record.id)) this.checkHistory(record, change);
    const counts = this.countsOf(actor);
    if (lastError) this.failures.set(record.queue, 1 + (this.failures.get(record.queue) ?? 0));
    if (change.countedAs === 'probe') {
      this.settlesProbe(actor, record, change, now);
      return;
    }
    const as = change.countedAs ?? COUNTED_AS[status ?? 'NEW'];
    // Its producer has put it as `ERROR` or `DEAD`: it is indexed, and nothing has failed or died.
    const isIndexed =
      (as === 'failed' && lastFailureAt === undefined) ||
      (as === 'dead' && change.set.deadReason === undefined);
    if (as !== undefined && as !== 'unknownTask' && !isIndexed) counts[as]++;
    const known = this.records.get(record.id);
    if (status === 'SUCCESS' || as === 'succeeded' || as === 'pending') this.succeededAt.set(actor, now);
    if (known && actor.wasFrozen) known.thawedAt = now;
    const { lane } = change.set;
    if (known && record.lane !== undefined && lane !== undefined && !isSameQueue(lane, record.lane))
      known.wasInPreviousLane = true;
    // A record is moved into the lane of its queue due as it was. If it breaks the contract, its status is written then, too.
    const isMoved = change.set.attempts === undefined && dueAt !== undefined && dueAt === record.dueAt;
    if (!known || status === undefined || isMoved) return;
    known.settledBy = actor;
    known.settledAt = now;
    known.outsideUntil = Number.NEGATIVE_INFINITY;
    known.hasNoFailures = false;
    known.isHurried = false;
    known.putOffUntil = Number.NEGATIVE_INFINITY;
    known.wasSnoozed = change.countedAs === 'snoozed';
    known.wasPutOff = known.wasSnoozed && change.set.notReady === undefined;
    const endedAt = known.wasSnoozed ? lastAttemptAt : lastFailureAt;
    // A worker whose clock is ahead writes a time in the future. Runs ignore such a time.
    if (endedAt !== undefined)
      known.failedAt = actor.hasJumped ? Math.min(now, Date.parse(endedAt)) : Date.parse(endedAt);
    known.askedUntil = undefined;
    known.movedUntil = queue !== undefined && dueAt !== undefined ? Date.parse(dueAt) : undefined;
    const asked = this.asked.get(`${actor.name} ${record.id}`) ?? 0;
    known.retryAfterMs = lastError?.name === 'RetryAfter' || known.wasSnoozed ? asked : 0;
    if (change.countedAs === 'succeeded') this.comesAgain(known, dueAt ?? '');
  }

  /** A success whose record waits as a new one: nothing that was before counts any more. */
  private comesAgain(known: Known, at: string): void {
    known.since = Date.parse(at);
    known.failedAt = undefined;
    known.previousAge = undefined;
  }

  /** A probe that failed leaves due time and counts of the record as they are, except for a wait that was asked for. */
  private settlesProbe(
    actor: Actor,
    { id, lane = '', dueAt = '' }: BacklogRecord,
    change: RecordChange,
    now: number,
  ) {
    const { set, remove } = change;
    const allowed = ['status', 'lastAttemptAt', 'lastFailureAt', 'lastError', 'history', 'dueAt'];
    const others = Object.keys(set).filter((name) => !allowed.includes(name));
    // Its end from outside goes with it.
    others.push(...remove.filter((name) => name !== 'completion'));
    if (others.length > 0 || set.status !== 'ERROR')
      this.report(`${id}: a probe that failed has changed ${others}, to ${set.status}`);
    if (set.dueAt !== undefined && set.dueAt <= dueAt) this.report(`${id}: a probe has it due earlier`);
    const known = this.records.get(id);
    if (!known) return;
    known.settledBy = actor;
    known.settledAt = now;
    if (set.dueAt !== undefined) known.askedUntil = Date.parse(set.dueAt);
    const group = `${lane} ${known.destination}`;
    this.probes.set(group, { ...(this.probes.get(group) ?? { since: now, made: 1 }), failedAt: now });
  }

  /** Tells whether a record may be attempted although its policy's wait is not over. */
  private isProbe(record: BacklogRecord, known: Known, look: Look): boolean {
    const { lane = '', queue, status } = record;
    if (look.band || look.isArrival || status !== 'ERROR' || known.wasSnoozed || known.failedAt === undefined)
      return false;
    if ((this.failures.get(queue) ?? 0) < FAILURES_BEFORE_PROBE) return false;
    const asked = Math.max(
      known.failedAt + known.retryAfterMs,
      known.askedUntil ?? 0,
      known.putOffUntil ?? 0,
      known.since,
    );
    if (look.now < asked - SKEW_MS) return false;
    // A note that could not be written, or a process that is new, lets another probe be made at once.
    if (look.now < look.start + TROUBLED_MS + AFTERMATH_MS) return true;
    const group = `${lane} ${look.destination}`;
    const before = this.probes.get(group) ?? { since: 0, made: 0, failedAt: 0 };
    const isNext = look.now - before.since > PROBE_AFTER_MS - SKEW_MS;
    const probes = isNext ? { ...before, since: look.now, made: 0 } : before;
    this.probes.set(group, { ...probes, made: probes.made + 1 });
    return probes.made < MAX_PROBES && look.now >= probes.failedAt + PROBE_AFTER_MS - SKEW_MS;
  }

  private checkHistory(
    { id, attempts, history: before }: BacklogRecord,
    { set, countedAs }: RecordChange,
  ): void {
    const isAttempt = set.attempts !== undefined;
    const isOver = set.status === 'SUCCESS' || set.status === 'DEAD' || countedAs === 'succeeded';
    const needsNone = before.length === 0 && isOver;
    if (isAttempt && !set.history && !needsNone) this.report(`${id}: an attempt left no history`);
    if (!set.history) return;
    const bytes = Buffer.byteLength(JSON.stringify(set.history));
    if (bytes > 512) this.report(`${id}: its history takes ${bytes} bytes`);
    const last = set.history.at(-1)?.attempt;
    if (last !== attempts + 1) this.report(`${id}: its history ends at attempt ${last} of ${attempts + 1}`);
  }

  /** An operator's write took effect. */
  operates(
    actor: Actor,
    kind: OperatorKind,
    record: BacklogRecord,
    { set }: OperatorChange,
    before: Item | undefined,
    now: number,
  ): void {
    const isSame = (status: string) => (before?.status === status) === (record.status === status);
    if (!isSame('SUCCESS') || !isSame('DEAD'))
      this.report(`${record.id}: ${actor.name} took ${before?.status} for ${record.status}`);
    const known = this.records.get(record.id);
    if (!known) return;
    known.isOperated = true;
    known.outsideUntil = Number.NEGATIVE_INFINITY;
    if (actor.wasFrozen) known.thawedAt = now;
    if (kind === 'redrive') {
      const putOffUntil = Number.NEGATIVE_INFINITY;
      const restarted = {
        since: now,
        failedAt: undefined,
        movedUntil: undefined,
        askedUntil: undefined,
        wasSnoozed: false,
        wasPutOff: false,
        retryAfterMs: 0,
        putOffUntil,
      };
      this.records.set(record.id, { ...known, ...restarted });
    } else if (kind === 'runNow') {
      known.isHurried = true;
      known.putOffUntil = Number.NEGATIVE_INFINITY;
      known.since = Math.min(known.since, now);
    } else if (kind === 'snooze') {
      known.putOffUntil = Date.parse(restOf(set) ?? set.dueAt ?? '');
      // It was due, by its age or after its wait: the operator's time holds, also in another queue.
      if (Date.parse(record.dueAt ?? '') <= now) known.wasPutOff = true;
    }
  }

  /** A run that came to its end tells the truth about it. */
  hears(actor: Actor, summary: RunSummary): void {
    const counts = this.countsOf(actor);
    if (summary.attempted !== counts.attempted) {
      this.report(`${actor.name} tells ${summary.attempted} attempts of ${counts.attempted}`);
    }
    // A run of the second tier may do the slower ones' work as well.
    const slower = Math.max(0, ...this.scenario.retryModes.map(({ bands = [] }) => bands.length - 2));
    const tiers = 1 + (summary.tier === 2 ? slower : 0);
    const limit = (this.scenario.limits.maxRecords ?? Number.POSITIVE_INFINITY) * tiers;
    if (summary.attempted > limit)
      this.report(`${actor.name} made ${summary.attempted} attempts of ${limit}`);
    for (const what of COUNTED) {
      const reported = summary[what] ?? 0;
      if (reported > counts[what] || reported + summary.unsettled < counts[what]) {
        this.report(
          `${actor.name} tells ${reported} ${what}, ${summary.unsettled} unsettled, of ${counts[what]}`,
        );
      }
    }
  }

  /** Checks that the intake's report on an event that it has handled adds up to the records in the event. */
  hearsIntake(
    name: string,
    { Records }: { Records: unknown[] },
    failed: readonly string[],
    report: IntakeReport,
  ): void {
    const { started, indexed, quarantined, refused, later, skipped } = report;
    const reported = started + indexed + quarantined + refused + later + skipped;
    const [least, most] = countRecords(Records);
    if (failed.length === 0 && (reported < least || reported > most)) {
      this.report(`${name} tells of ${reported} records of ${least} to ${most}: ${JSON.stringify(report)}`);
    }
  }

  private countsOf(actor: Actor): Counts {
    const counts = this.counts.get(actor) ?? {
      attempted: 0,
      succeeded: 0,
      failed: 0,
      dead: 0,
      snoozed: 0,
      pending: 0,
      cancelled: 0,
    };
    this.counts.set(actor, counts);
    return counts;
  }

  private earliest(record: BacklogRecord, known: Known, look: Look): number {
    const putOff = (known.putOffUntil ?? Number.NEGATIVE_INFINITY) - SKEW_MS;
    const outside = (known.outsideUntil ?? Number.NEGATIVE_INFINITY) - SKEW_MS;
    return Math.max(putOff, outside, this.earliestByPolicy(record, known, look));
  }

  private earliestByPolicy(record: BacklogRecord, known: Known, { band }: Look): number {
    // A wait that was ended by hand does not depend on the clock of the worker that noted the failure.
    if (known.failedAt === undefined || known.isHurried) return known.since - SKEW_MS;
    const waits = [
      known.retryAfterMs,
      (known.movedUntil ?? 0) - known.failedAt,
      (known.askedUntil ?? 0) - known.failedAt,
    ];
    // A run by due times knows a record of a progressive queue by a due time that is its age, and then asks its policy. With
    // another age since, it has a due time that a producer may have chosen: that holds, as does a wait that was asked for.
    const isDueByPreviousAge = !band && known.previousAge !== undefined && record.dueAt === known.previousAge;
    // Nor has it a failure after which the policy would let it wait.
    const hasNoFailures = !band && known.hasNoFailures === true && record.failures === 0;
    const asksPolicy = !known.wasPutOff && !isDueByPreviousAge && !hasNoFailures;
    // A policy's wait is kept to the nearest tick.
    const policyMs = record.retry ? Math.min(this.leastWaitMs, OWN_WAIT_MS) : this.leastWaitMs;
    if (asksPolicy && (!band || record.retry)) waits.push(policyMs);
    // A time that lies far ahead, by a clock that was wrong, counts as none.
    if (band && !known.settledBy?.hasJumped) waits.push((band.every * 1000) / 2);
    return known.failedAt + Math.max(...waits) - SKEW_MS;
  }

  /** A page is read, and worked off within its lease. */
  private checkBand(actor: Actor, record: BacklogRecord, { band, now }: Look): void {
    if (!band || actor.hasJumped) return;
    const ageMs = now - Date.parse(record.availableAt ?? record.insertedAt);
    const tooYoung = ageMs < band.fromAge * 1000 - SKEW_MS;
    const tooOld = !band.last && ageMs > band.untilAge * 1000 + LEASE_MS + SKEW_MS;
    if (tooYoung || tooOld) {
      this.report(
        `${record.id}: attempted by ${actor.name} in tier ${band.number} at the age of ${ageMs} ms`,
      );
    }
  }

  /** Once all is well, and without limits, every record has its turn in time. */
  private checkLateness(actor: Actor, record: BacklogRecord, known: Known, { now, start, band }: Look): void {
    const { limits, retryModes, arrivals } = this.scenario;
    const limited = limits.maxRecords !== undefined || limits.attemptsPerSecond !== undefined;
    const { clockJumps, globalConcurrency, controlTable, overwrites, edits, pending } = this.features;
    // A record that is overwritten while it may be under attempt is looked at again after a minute or two.
    if (clockJumps || globalConcurrency || controlTable || overwrites || edits || pending) return;
    if (this.features.keys?.concurrencyPerKey || this.features.keys?.attemptsPerSecondPerKey) return;
    if (this.features.keys?.pauses?.length) return;
    if (limited || this.scenario.breaker || this.hasPoison || arrivals?.troubles.lostPermanently) return;
    const lastChange =
      retryModes.length > 1 ? (retryModes.at(-1)?.fromMs ?? 0) + FUNCTION_TIMEOUT_SECONDS * 1000 : 0;
    const aftermath = arrivals ? ARRIVALS_AFTERMATH_MS : AFTERMATH_MS;
    const calm = start + Math.max(TROUBLED_MS, lastChange) + aftermath;
    const born = Date.parse(record.availableAt ?? record.insertedAt);
    const ofAge = born + (band?.fromAge ?? 0) * 1000;
    const waited =
      (known.failedAt ?? 0) + Math.max(known.retryAfterMs, band ? 0 : this.waitSeconds * 1000 - TICK_MS / 2);
    const moved = Math.max(known.movedUntil ?? 0, known.askedUntil ?? 0);
    const taskKnown =
      record.task === LATE_TASK ? start + (this.features.taskKnownFromMs ?? 0) + TASK_WAIT_MS : 0;
    const swept = known.givenUpAt === undefined ? 0 : known.givenUpAt + SWEPT_WITHIN_MS;
    const expected = Math.max(
      swept,
      taskKnown,
      calm,
      known.since,
      known.startedAt ?? 0,
      ofAge,
      waited,
      moved,
    );
    const intervalMs = band ? 1.5 * band.every * 1000 : TICK_MS;
    // Until a rule of its previous queue finds it there, it has no turn in its own.
    const slowest = Math.max(0, ...retryModes.flatMap(({ bands = [] }) => bands.map(({ every }) => every)));
    const foundLateMs = known.wasInPreviousLane ? 1.5 * slowest * 1000 : 0;
    // A queue that had nothing to do meanwhile notices its change of mode with the next record that comes.
    const noticesLateMs = retryModes.length > 1 ? FUNCTION_TIMEOUT_SECONDS * 1000 : 0;
    const longestMs = arrivals ? FUNCTION_TIMEOUT_SECONDS * 1000 : MAX_ATTEMPT_MS;
    const lateMs = now - expected - intervalMs - foundLateMs - noticesLateMs - longestMs;
    if (lateMs > 0) this.report(`${record.id}: attempted by ${actor.name} ${lateMs} ms too late`);
  }

  /** A run begins an attempt. One of a batch waits for others after that, and may have no call of its own. */
  admits(actor: Actor, record: BacklogRecord, look: Pick<Look, 'now' | 'queue'>): void {
    this.countsOf(actor).attempted++;
    if (!isHostile(record.id)) this.checkPaces(actor, record, look);
  }

  /**
   * All runs of a queue keep one pace together, and one for each key. No run starts an attempt sooner behind its last one, and of all
   * together no more start in any two intervals than have turns there, and two in less than one. Permits that answers were late for
   * may be used a little late.
   */
  private checkPaces(
    actor: Actor,
    { key }: BacklogRecord,
    { now, queue }: Pick<Look, 'now' | 'queue'>,
  ): void {
    const { attemptsPerSecond } = this.scenario.limits;
    const { attemptsPerSecondPerKey } = this.features.keys ?? {};
    this.checkPace(actor, queue, attemptsPerSecond, now);
    if (key !== undefined) this.checkPace(actor, `${queue}, key ${key}`, attemptsPerSecondPerKey, now);
  }

  private checkPace(actor: Actor, name: string, perSecond: number | undefined, now: number): void {
    const isOff = this.features.clockJumps !== undefined || this.features.controlTable !== undefined;
    if (perSecond === undefined || actor.wasFrozen || isOff) return;
    const intervalMs = 1000 / perSecond;
    const own = `${actor.name}, ${name}`;
    const next = (this.lastStarts.get(own) ?? 0) + intervalMs;
    if (now < Math.floor(next)) this.report(`${own} goes faster than its pace`);
    this.lastStarts.set(own, now);
    const recent = (this.starts.get(name) ?? []).filter((at) => at > now - 2 * intervalMs);
    this.starts.set(name, [...recent, now]);
    const turns = 2 + 1 + Math.ceil(SKEW_MS / intervalMs);
    const latest = recent.filter((at) => at > now - (intervalMs - SKEW_MS));
    if (recent.length + 1 > turns || latest.length + 1 > 2)
      this.report(`${name}: all runs together go faster than the pace`);
  }

  /** Once all runs have read that it is open, one of them makes a probe at a time. */
  private checkBreaker(actor: Actor, id: string, look: Look): void {
    const { now, breaker, queue, destination } = look;
    const openedAt = this.openedAt.get(`${queue} ${destination}`) ?? 0;
    if (
      this.features.clockJumps ||
      this.features.controlTable ||
      !breaker ||
      actor.wasFrozen ||
      now < Math.max(breaker.since, openedAt) + LEASE_MS
    )
      return;
    const others = [...this.underway].flatMap(([other, all]) => (other === id ? [] : all));
    // A probe that ignores its signal is not waited for.
    const longestMs = this.scenario.limits.attemptTimeout * 1000;
    const probe = others.find(
      (other) =>
        other.queue === queue &&
        other.destination === destination &&
        other.actor !== actor &&
        !other.actor.wasFrozen &&
        !this.hasSucceeded(other, breaker.since) &&
        now < other.since + longestMs,
    );
    if (probe) this.report(`${id}: attempted by ${actor.name} beside the probe of ${probe.actor.name}`);
  }

  /** A run whose probe has succeeded goes on before that is written, and although it cannot be. */
  private hasSucceeded({ actor, since }: Underway, openSince: number): boolean {
    const at = this.succeededAt.get(actor) ?? 0;
    return at <= since && at > openSince - SKEW_MS;
  }

  private checkTask(actor: Actor, { id, task }: BacklogRecord, { now, start }: Look): void {
    const knownFrom = start + (this.features.taskKnownFromMs ?? 0);
    if (task === LATE_TASK && now < knownFrom)
      this.report(`${id}: attempted by ${actor.name} without its task`);
  }

  private checkConcurrency(actor: Actor, { id, key }: BacklogRecord, look: Look): void {
    const { globalConcurrency = Number.POSITIVE_INFINITY, keys } = this.features;
    const { concurrencyPerKey = Number.POSITIVE_INFINITY } = keys ?? {};
    if (isOdd(actor) || this.areClocksWrong) return;
    const counted = [...this.underway.values()]
      .flat()
      .filter(
        (one) => one.queue === look.queue && !isOdd(one.actor) && !this.isFromBeforeRestore(one.since, look),
      );
    if (counted.length > globalConcurrency)
      this.report(`${id}: ${counted.length} attempts of ${look.queue} at once, of ${globalConcurrency}`);
    const ofKey = counted.filter((one) => key !== undefined && one.key === key);
    if (ofKey.length > concurrencyPerKey)
      this.report(`${id}: ${ofKey.length} attempts of the key ${key} at once, of ${concurrencyPerKey}`);
  }

  /** A machine that takes the holds of others for over: nothing is exclusive beside it, or after it. */
  private get areClocksWrong(): boolean {
    return (this.features.clockJumps?.mostMs ?? 0) > SKEW_MS;
  }

  /**
   * True for an attempt during which the control table was restored, or whose page was read before that: another run may have
   * claimed the record, too.
   */
  private isFromBeforeRestore(since: number, { start }: Look): boolean {
    const { controlTable } = this.features;
    return controlTable !== undefined && since < start + controlTable.atMs + FUNCTION_TIMEOUT_SECONDS * 1000;
  }

  private checkKeyPauses(actor: Actor, { id, key }: BacklogRecord, { now, start, queue }: Look): void {
    const { controlTable, keys } = this.features;
    const { atMs = Number.POSITIVE_INFINITY } = controlTable ?? {};
    if (queue !== 'q' || isOdd(actor) || now >= start + atMs) return;
    for (const pause of keys?.pauses ?? []) {
      if (key === pause.key && now > start + pause.fromMs + LEASE_MS && now < start + pause.untilMs - SKEW_MS)
        this.report(`${id}: attempted by ${actor.name} while its key ${key} was paused`);
    }
  }

  private checkPause(actor: Actor, id: string, { now, start, queue }: Look): void {
    const { pause } = this.scenario;
    const { atMs = Number.POSITIVE_INFINITY } = this.features.controlTable ?? {};
    if (!pause || queue !== 'q' || isOdd(actor) || now >= start + atMs) return;
    if (now > start + pause.fromMs + LEASE_MS && now < start + pause.untilMs) {
      this.report(`${id}: attempted by ${actor.name} while the queue was paused`);
    }
  }
}

/** The time that its age counts from, as its item has it. */
function ageOf({ availableAt, insertedAt }: Item): Item[string] {
  return availableAt ?? insertedAt;
}

/** True for an actor that was frozen, or whose clock was set: it cannot know how long its holds last. */
function isOdd(actor: Actor): boolean {
  return actor.wasFrozen || actor.hasJumped;
}

interface StreamImage {
  readonly Keys: { readonly id: { readonly S: string } };
  readonly NewImage: { readonly lane?: object; readonly rev?: object };
}

/** Counts the records of an event, except those with a short wait: at least the different ones, at most one per change. */
function countRecords(events: readonly unknown[]): [number, number] {
  const ids = events.flatMap((event) => {
    const { dynamodb, body } = event as { dynamodb?: StreamImage; body?: string };
    if (dynamodb) {
      const { Keys, NewImage } = dynamodb;
      return NewImage.lane && NewImage.rev ? [] : [Keys.id.S];
    }
    const { notIndexed, requestPayload } = JSON.parse(body ?? '{}');
    // A report of a rule's run has none, and so has a message of a short wait.
    return (notIndexed ?? requestPayload?.arrivals?.ids ?? []) as string[];
  });
  return [new Set(ids).size, ids.length];
}

/**
 * True if two attempts of an id may overlap. A record that was replaced is a new record, and two attempts of one record never
 * overlap. The last attempt of the previous record may have been read before and begin later, and so overlap with those of the
 * new one:
 *
 * - An attempt by a rule. Its lease is not seen from another lane (of fewer shards, say) or tier (an old record that was redriven
 *   is young again). Nor is it seen by a run that the stream starts for an insertion: of the previous record once more, or of the
 *   new one after a deletion.
 * - A first attempt. Its claim is not seen from another queue, if the record was deleted and inserted there: a failure may move it
 *   back. Nor is it seen by a rule, if the record was put with a lane.
 */
function mayOverlap(one: Underway, other: Underway, writings: readonly Writing[]): boolean {
  if (one.version === other.version) return false;
  const [previous, next] = one.version < other.version ? [one, other] : [other, one];
  if (!previous.isArrival)
    return next.isArrival || previous.lane !== next.lane || previous.tier !== next.tier;
  const between = writings.filter(({ version }) => version > previous.version && version <= next.version);
  const wasDeleted = between.some(({ kind }) => kind === 'deleted');
  const wasPutWithLane = between.findLast(({ kind }) => kind !== 'changed')?.kind === 'laned';
  const wasInserted = (i: number) => between[i - 1]?.kind === 'deleted';
  const isFromElsewhere = between.some(({ queue }, i) => wasInserted(i) && queue !== previous.queue);
  const hasLeft = wasDeleted && (previous.queue !== next.queue || isFromElsewhere);
  return hasLeft || (wasPutWithLane && !next.isArrival);
}

function isSameQueue(one: string, other: string): boolean {
  return one.split(/[#/]/)[0] === other.split(/[#/]/)[0];
}
