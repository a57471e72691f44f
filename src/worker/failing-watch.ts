import {
  afterRun,
  type BacklogRecord,
  copyForHandler,
  type FailingNotes,
  failingSeconds,
  failingText,
  type GroupOutcomes,
  MAX_GROUP_LENGTH,
  parseFailing,
  type RecordChange,
  WHOLE_QUEUE,
  YOUNG_SECONDS,
} from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { BacklogStore, QueueState } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import type { DestinationOf } from './options.js';

/** Tries to write the notes: another run may have written meanwhile. If it has again, this run's outcomes are not noted. */
const MAX_TRIES = 2;
const WRITE_EVERY_SECONDS = 60;

interface WatchDeps {
  readonly queue: string;
  /** Names the destination of a record. Undefined: only the whole queue is watched. */
  readonly destination: DestinationOf | undefined;
  readonly store: Pick<BacklogStore, 'queues'>;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
}

/**
 * Keeps the notes of what fails without recovery, in the queue's item that each page reads. A run in which nothing fails, of a
 * queue without notes, writes nothing and names no destination.
 */
export class FailingWatch {
  private state: Pick<QueueState, 'failing' | 'paused'> | undefined;
  private notes: FailingNotes = { notes: [] };
  private outcomes = new Map<string, GroupOutcomes>();
  private hasOutcomes = false;
  private writtenAt: number;

  constructor(private readonly deps: WatchDeps) {
    this.writtenAt = this.now();
  }

  /** Another watch of the same queue, for an attempt that outlives the run. */
  alone(): FailingWatch {
    return new FailingWatch(this.deps);
  }

  /** Takes note of the queue, as a page has just read it. */
  refresh(state: Pick<QueueState, 'failing' | 'paused'>): void {
    if (state.failing !== this.state?.failing) this.notes = parseFailing(state.failing);
    this.state = state;
  }

  /** Counts the outcome of an attempt, once it is written. What is not ready yet is neither a success nor a failure. */
  settled(record: BacklogRecord, { set, countedAs }: RecordChange): void {
    if (countedAs !== undefined) return;
    if (set.status === 'SUCCESS') this.succeeded(record);
    // A record that is dead of its age has no new error.
    else if (set.lastError !== undefined) this.failed(record, set);
  }

  /** Writes what has changed in a long run, once a minute, so that the monitor learns of it before the run ends. */
  async endPage(): Promise<void> {
    if (this.now() - this.writtenAt >= WRITE_EVERY_SECONDS) await this.write();
  }

  /**
   * Writes what has changed: one write at most, if no other run writes at the same time. Never fails.
   *
   * @returns the seconds of `failingSeconds`; undefined: there is nothing to say
   */
  async end(): Promise<number | undefined> {
    await this.write();
    if (!this.hasOutcomes || this.state?.paused || this.state?.failing === undefined) return undefined;
    return failingSeconds(this.notes, this.now());
  }

  private async write(): Promise<void> {
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
        const text = failingText(next);
        const read = this.state?.failing;
        if (text !== read && !(await store.queues.noteFailing(queue, text, read))) continue;
        this.refresh({ paused: this.state?.paused === true, failing: text });
        return;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      logger.warn('what fails could not be noted', { queue, error: error.message });
    }
  }

  private succeeded(record: BacklogRecord): void {
    this.outcomesOf(WHOLE_QUEUE).successes++;
    const group = this.hasGroups() ? this.groupOf(record) : undefined;
    if (group !== undefined) this.outcomesOf(group).successes++;
  }

  private failed(record: BacklogRecord, set: RecordChange['set']): void {
    const group = this.groupOf(record);
    for (const name of group === undefined ? [WHOLE_QUEUE] : [WHOLE_QUEUE, group])
      this.count(name, record, set);
  }

  private count(group: string, record: BacklogRecord, { status }: RecordChange['set']): void {
    const outcomes = this.outcomesOf(group);
    const now = this.now();
    outcomes.lastFailureAt = now;
    const firstAt = secondsOf(record.firstFailureAt) ?? now;
    if (now - firstAt > YOUNG_SECONDS) return;
    if (outcomes.failures === 0) outcomes.firstFailureAt = now;
    const note = this.notes.notes.find((one) => one.group === group);
    const since = note?.since ?? outcomes.firstFailureAt;
    const before = secondsOf(record.lastFailureAt);
    if (before === undefined || before < since) outcomes.records++;
    if (before !== undefined || status === 'DEAD') outcomes.isTelling = true;
    outcomes.failures++;
  }

  /** A group fails, or is noted: only then successes are counted by their destinations. */
  private hasGroups(): boolean {
    return this.outcomes.size > 1 || this.notes.notes.some(({ group }) => group !== WHOLE_QUEUE);
  }

  /** The record's destination. Where it has none, or its name cannot be had, the whole queue is watched alone. */
  private groupOf(record: BacklogRecord): string | undefined {
    try {
      const name: unknown = this.deps.destination?.(copyForHandler(record));
      if (typeof name !== 'string' || name === WHOLE_QUEUE) return undefined;
      return name.slice(0, MAX_GROUP_LENGTH).replace(/\p{Surrogate}/gu, '\ufffd');
    } catch {
      return undefined;
    }
  }

  private outcomesOf(group: string): GroupOutcomes {
    const known = this.outcomes.get(group);
    if (known) return known;
    const none = {
      successes: 0,
      failures: 0,
      records: 0,
      isTelling: false,
      firstFailureAt: 0,
      lastFailureAt: 0,
    };
    this.outcomes.set(group, none);
    this.hasOutcomes = true;
    return none;
  }

  private now(): number {
    return Math.floor(this.deps.clock.now() / 1000);
  }
}

function secondsOf(time: string | undefined): number | undefined {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
}
