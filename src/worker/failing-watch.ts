import {
  afterRun,
  type BacklogRecord,
  CLEAN_SUCCESSES,
  errorInNote,
  evidenceOf,
  type FailingNotes,
  failingSeconds,
  failingText,
  type GroupOutcomes,
  groupsToProbe,
  PROBE_SECONDS,
  parseFailing,
  type RecordChange,
  secondsOf,
  WHOLE_QUEUE,
  YOUNG_SECONDS,
} from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { BacklogStore, QueueState } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import type { DestinationName } from './destinations.js';

/** Tries to write the notes: another run may have written meanwhile. If it has again, this run's outcomes are not noted. */
const MAX_TRIES = 2;
const WRITE_EVERY_SECONDS = 60;

/** Real time after which a process that finds nothing due reads again what fails: another one may have noted it. */
const RECALL_MS = 12 * 3_600_000;

/** The state of queues, as the runs of a process have last read it. */
export type FailingMemory = Map<string, Remembered>;

interface Remembered {
  readonly state: ReadState;
  /** Real time. */
  readonly readAt: number;
  /** The times at which records to probe were last looked for, by lane. */
  readonly lookedAt: Map<string, number>;
  /** Outcomes of earlier runs that were too few for a note. A record comes in at a time, and may wait long for its second attempt. */
  few?: Map<string, GroupOutcomes> | undefined;
}

type ReadState = Pick<QueueState, 'failing' | 'paused'>;

interface WatchDeps {
  readonly queue: string;
  /** Undefined: only the whole queue is watched. */
  readonly destination: DestinationName | undefined;
  /** Records of what fails may be attempted ahead of their time. */
  readonly probes: boolean;
  readonly failingMemory?: FailingMemory | undefined;
  readonly store: Pick<BacklogStore, 'queues'>;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
}

/**
 * Keeps the notes of what fails without recovery, in the queue's item that each page reads. A run in which nothing fails, of a
 * queue without notes, writes nothing and names no destination.
 */
export class FailingWatch {
  /** Something of the queue is noted to fail, so that records of it may be probed. */
  hasNotes = false;
  private state: ReadState | undefined;
  private notes: FailingNotes = { notes: [], past: [] };
  private outcomes = new Map<string, GroupOutcomes>();
  /** Groups of which a lane makes a probe, or has made one that came to no success. */
  private readonly probed = new Set<string>();
  private hasOutcomes = false;
  /** The read that the lanes of a run wait for together. */
  private reading: Promise<void> | undefined;
  private writtenAt: number;

  constructor(private readonly deps: WatchDeps) {
    this.writtenAt = this.now();
  }

  /** Another watch of the same queue, for an attempt that outlives the run. */
  alone(): FailingWatch {
    return new FailingWatch(this.deps);
  }

  /**
   * Takes note of the queue, as a page has read it. One that was read before this process last wrote the notes does not know them.
   *
   * @param readAt real time at which the read began
   */
  refresh(state: ReadState, readAt = this.deps.clock.wall()): void {
    const { failingMemory: memory, queue, probes, clock } = this.deps;
    const known = memory?.get(queue);
    // A state of before the clock was set back hides nothing.
    if (known && readAt < known.readAt && known.readAt <= clock.wall()) {
      this.refresh(known.state, known.readAt);
      return;
    }
    if (state.failing !== this.state?.failing) this.notes = parseFailing(state.failing);
    this.state = state;
    this.hasNotes = probes && this.notes.notes.length > 0;
    const { lookedAt = new Map<string, number>(), few } = known ?? {};
    memory?.set(queue, { state, readAt, lookedAt, few });
  }

  /** Counts the outcome of an attempt, once it is written. What is not ready yet is neither a success nor a failure. */
  settled(record: BacklogRecord, { set, countedAs }: RecordChange): void {
    if (set.status === 'SUCCESS' || countedAs === 'succeeded') this.succeeded(record);
    else if (countedAs !== undefined && countedAs !== 'probe') return;
    // A record that is dead of its age has no new error.
    else if (set.lastError !== undefined) this.failed(record, set);
  }

  /**
   * Has a run that has read no page know what its process remembers, which is read at first and twice a day. Never fails.
   *
   * @returns `hasNotes`
   */
  async recall(): Promise<boolean> {
    const { failingMemory, queue, clock, probes } = this.deps;
    if (!probes || !failingMemory) return false;
    const known = failingMemory.get(queue);
    if (known && clock.wall() - known.readAt < RECALL_MS) this.refresh(known.state, known.readAt);
    else {
      this.reading ??= this.read();
      await this.reading;
    }
    return this.hasNotes && !this.state?.paused;
  }

  private async read(): Promise<void> {
    const { store, queue } = this.deps;
    try {
      this.refresh(await store.queues.read(queue));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    } finally {
      this.reading = undefined;
    }
  }

  /** The groups of which a record is to be probed now; after a success, until their number proves a recovery. */
  toProbe(): string[] {
    return groupsToProbe(this.notes, this.now()).filter((group) => {
      const { successes = 0, lastFailureAt = 0 } = this.outcomes.get(group) ?? {};
      return !this.probed.has(group) && lastFailureAt === 0 && successes < CLEAN_SUCCESSES;
    });
  }

  /** Tells whether the process has looked for records of a lane to probe less than 5 minutes ago. */
  hasLooked(lane: string): boolean {
    const { failingMemory, queue } = this.deps;
    const lookedAt = failingMemory?.get(queue)?.lookedAt.get(lane) ?? 0;
    return Math.abs(this.now() - lookedAt) < PROBE_SECONDS;
  }

  looks(lane: string): void {
    const { failingMemory, queue } = this.deps;
    failingMemory?.get(queue)?.lookedAt.set(lane, this.now());
  }

  /** Has no other lane of the run probe the group, nor the whole queue, until `probeSucceeded`. */
  beginProbe(group: string): void {
    this.probed.add(group).add(WHOLE_QUEUE);
  }

  probeSucceeded(group: string): void {
    for (const one of [group, WHOLE_QUEUE]) this.probed.delete(one);
  }

  /** Writes what has changed in a long run, once a minute, so that the monitor learns of it before the run ends. */
  async endPage(): Promise<void> {
    if (this.now() - this.writtenAt >= WRITE_EVERY_SECONDS) await this.write();
  }

  /**
   * Writes what has changed, as `write` does.
   *
   * @returns the seconds of `failingSeconds`; undefined: there is nothing to say
   */
  async end(): Promise<number | undefined> {
    await this.write();
    if (!this.hasOutcomes || this.state?.paused || this.state?.failing === undefined) return undefined;
    return failingSeconds(this.notes, this.now());
  }

  /** Writes what has changed: one write at most, if no other run writes at the same time. Never fails. */
  async write(): Promise<void> {
    const { queue, store, logger } = this.deps;
    const { outcomes } = this;
    this.writtenAt = this.now();
    if (outcomes.size === 0) return;
    this.outcomes = new Map();
    const hasFailed = [...outcomes.values()].some(({ lastFailureAt }) => lastFailureAt > 0);
    if (!hasFailed && this.state && this.state.failing === undefined) return;
    try {
      if (!this.state) this.refresh(await store.queues.read(queue));
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        if (tries > 1) this.refresh(await store.queues.read(queue));
        const next = afterRun(this.notes, outcomes, this.now());
        const { notes, past, endedAt } = next;
        const isNothing = notes.length === 0 && past.length === 0 && endedAt === undefined;
        const text = isNothing ? undefined : failingText(next);
        const read = this.state?.failing;
        if (text !== read && !(await store.queues.noteFailing(queue, text, read))) continue;
        this.refresh({ paused: this.state?.paused === true, failing: text });
        this.remember(outcomes);
        return;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      logger.warn('what fails could not be noted', { queue, error: error.message });
    }
  }

  /** Keeps what may be an outage, and has no note yet, for the next runs of the process. */
  private remember(outcomes: ReadonlyMap<string, GroupOutcomes>): void {
    const known = this.deps.failingMemory?.get(this.deps.queue);
    if (!known) return;
    const noted = new Set(this.notes.notes.map(({ group }) => group));
    const few = [...outcomes].filter(([group, its]) => its.failures > its.successes && !noted.has(group));
    known.few = few.length === 0 ? undefined : new Map(few);
  }

  /** Takes what earlier runs of the process have left, if it is of the last hour. */
  private takeFew(): void {
    const known = this.deps.failingMemory?.get(this.deps.queue);
    if (!known?.few) return;
    for (const [group, its] of known.few)
      if (this.now() - its.firstFailureAt <= YOUNG_SECONDS) this.outcomes.set(group, its);
    known.few = undefined;
  }

  private succeeded(record: BacklogRecord): void {
    this.outcomesOf(WHOLE_QUEUE).successes++;
    // A group fails, or is noted: only then successes are counted by their destinations.
    const hasGroups = this.outcomes.size > 1 || this.notes.notes.some(({ group }) => group !== WHOLE_QUEUE);
    const group = hasGroups ? this.groupOf(record) : undefined;
    if (group !== undefined) this.outcomesOf(group).successes++;
  }

  private failed(record: BacklogRecord, set: RecordChange['set']): void {
    const group = this.groupOf(record);
    for (const name of group === undefined ? [WHOLE_QUEUE] : [WHOLE_QUEUE, group])
      this.count(name, record, set);
  }

  private count(group: string, record: BacklogRecord, { status, lastError }: RecordChange['set']): void {
    const outcomes = this.outcomesOf(group);
    const now = this.now();
    outcomes.lastFailureAt = now;
    if (lastError) outcomes.error = errorInNote(lastError);
    const evidence = evidenceOf(record, { group, now, isDead: status === 'DEAD' }, this.notes);
    if (evidence === undefined) return;
    if (outcomes.failures === 0) outcomes.firstFailureAt = now;
    const note = this.notes.notes.find((one) => one.group === group);
    const since = note?.since ?? outcomes.firstFailureAt;
    const before = secondsOf(record.lastFailureAt);
    if (before === undefined || before < since) outcomes.records++;
    if (before !== undefined || status === 'DEAD') outcomes.isTelling = true;
    outcomes.failures++;
    outcomes.evidence += evidence;
  }

  /** The record's destination. Where it has none, or its name cannot be had, the whole queue is watched alone. */
  groupOf(record: BacklogRecord): string | undefined {
    return this.deps.destination?.(record);
  }

  private outcomesOf(group: string): GroupOutcomes {
    if (this.outcomes.size === 0) this.takeFew();
    this.hasOutcomes = true;
    const known = this.outcomes.get(group);
    if (known) return known;
    const none = {
      successes: 0,
      failures: 0,
      evidence: 0,
      records: 0,
      isTelling: false,
      firstFailureAt: 0,
      lastFailureAt: 0,
      error: '',
    };
    this.outcomes.set(group, none);
    return none;
  }

  private now(): number {
    return Math.floor(this.deps.clock.now() / 1000);
  }
}
