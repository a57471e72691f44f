import type { AttemptOutcome, BacklogRecord } from '../../record/index.js';
import { StoreError } from '../../store/errors.js';
import type { QueueState } from '../../store/store.js';
import type { Clock } from '../../support/clock.js';
import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard, Left, Refusal, Turn } from './guard.js';

/** The guards of a run's attempts, in the order in which a record passes them. */
export class Gate {
  constructor(
    private readonly guards: readonly Guard[],
    private readonly clock: Clock,
  ) {}

  /** See `Guard.open`. */
  async open(inserted?: number): Promise<StopReason | undefined> {
    for (const guard of this.guards) {
      const why = await guard.open?.(inserted);
      if (why) return why;
    }
    return undefined;
  }

  /** See `Guard.reads`. */
  reads(): (queue: QueueState) => StopReason | undefined {
    const notes = this.guards.flatMap((guard) => guard.reads?.() ?? []);
    return (queue) => {
      let why: StopReason | undefined;
      for (const note of notes) why = note(queue) ?? why;
      return why;
    };
  }

  /** See `Guard.prepare`. */
  async prepare(attempts: number): Promise<void> {
    for (const guard of this.guards) await guard.prepare?.(attempts);
  }

  /** Real milliseconds until the next attempt may begin. */
  waitMs(): number {
    return Math.max(0, this.nextAt() - this.clock.wall());
  }

  /** Returns the reason why no attempt may begin any more, if there is one. */
  stopReason(): StopReason | undefined {
    const startsAt = this.nextAt();
    for (const guard of this.guards) {
      const why = guard.stopReason?.(startsAt);
      if (why) return why;
    }
    return undefined;
  }

  /** Tells whether an attempt may begin, now or at the time of the next permit. */
  mayBegin(): boolean {
    return this.stopReason() === undefined && this.isInTime(this.nextAt());
  }

  /**
   * Leads one record past all guards.
   *
   * @throws StoreError that kept a guard from its answer
   */
  async enter(
    record: BacklogRecord,
    turn: Pick<Turn, 'attemptsLeft' | 'mayBegin'>,
  ): Promise<Entry | Refusal> {
    const admissions: Admission[] = [];
    const entry = new Entry(admissions);
    const full = { ...turn, isInTime: (at: number) => this.isInTime(at) };
    try {
      for (const guard of this.guards) {
        if (!guard.enter) continue;
        const answer = await guard.enter(record, full);
        if (typeof answer === 'string') return await entry.refused(answer);
        admissions.push(answer);
      }
      // An attempt that is late by now must use no permit.
      if (!this.isInTime(this.clock.wall())) return await entry.refused('late');
      for (const { holds } of admissions)
        if (holds && !(await holds())) return await entry.refused('deferred');
    } catch (error) {
      if (error instanceof StoreError) await entry.refused('late');
      throw error;
    }
    // This process may have been frozen while a guard waited.
    return this.isInTime(this.clock.wall()) ? entry : entry.refused('late');
  }

  private isInTime(at: number): boolean {
    return this.guards.every((guard) => guard.covers?.(at) ?? true);
  }

  private nextAt(): number {
    return this.guards.reduce((latest, { nextAt = 0 }) => Math.max(latest, nextAt), 0);
  }
}

/** The leave of all guards for one attempt. */
export class Entry {
  constructor(private readonly admissions: readonly Admission[]) {}

  /** Gives all of it back. */
  async refused<Why extends Refusal>(why: Why): Promise<Why> {
    for (const { abandon } of this.admissions.toReversed()) await abandon?.();
    return why;
  }

  /** See `Admission.detach`. */
  detach(): void {
    for (const { detach } of this.admissions) detach?.();
  }

  /** See `Admission.leave`. */
  leave(outcome: AttemptOutcome): Left {
    const notes: (() => Promise<void>)[] = [];
    let left = outcome;
    for (const { leave } of this.admissions) {
      const { outcome: next = left, note } = leave?.(left) ?? {};
      left = next;
      if (note) notes.push(note);
    }
    const note = async () => {
      for (const write of notes) await write();
    };
    return notes.length > 0 ? { outcome: left, note } : { outcome: left };
  }

  /** See `Admission.ended`. */
  ended(): void {
    for (const { ended } of this.admissions) ended?.();
  }
}
