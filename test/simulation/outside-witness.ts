import type { CompletionResult, OutsideEnd } from '../../src/client/complete.js';
import { PENDING_TIMED_OUT, parseCompletion } from '../../src/record/completion.js';
import type { BacklogRecord, Item, RecordChange } from '../../src/record/index.js';
import type { OperatorChange } from '../../src/store/operator-store.js';
import type { Actor } from './actor.js';

/** Two clocks that differ by 2 s each, and a little for their rounding. */
const SKEW_MS = 4_100;

/** A call from outside, and what it has written. */
interface Call {
  readonly id: string;
  readonly token: string;
  readonly end: OutsideEnd;
  hasEffect: boolean;
}

export interface OutsideWitnessDeps {
  readonly report: (violation: string) => void;
  /** A record waits for its end from outside until then, epoch milliseconds. Minus infinity: no longer. */
  readonly waits: (id: string, until: number) => void;
  /** Records are changed by hand, and may be what they were before. */
  readonly edits: boolean;
}

/** Knows what must never be of ends from outside. */
export class OutsideWitness {
  readonly counts = { done: 0, failed: 0, kept: 0, refused: 0, timedOut: 0, prolonged: 0, workChanged: 0 };
  /** Work of each record that was attempted. */
  private readonly attempted = new Map<string, Set<string>>();
  /** Tokens of attempts, by actor and record. */
  private readonly tokens = new Map<string, string>();
  /** The end that each token has been given. */
  private readonly ends = new Map<string, 'done' | 'failed'>();
  /** Tokens whose failures have been counted. */
  private readonly failed = new Set<string>();

  constructor(private readonly deps: OutsideWitnessDeps) {}

  /** @param work the work that was read, before a handler could change it */
  begins(actor: Actor, id: string, work: string, token: string): void {
    this.attempted.set(id, (this.attempted.get(id) ?? new Set()).add(work));
    this.tokens.set(`${actor.name} ${id}`, token);
  }

  calls(id: string, token: string, end: OutsideEnd): Call {
    return { id, token, end, hasEffect: false };
  }

  /** A call has changed its record. */
  changes(call: Call, { set, remove }: OperatorChange, before: Item | undefined): void {
    const { id, token, end } = call;
    const { until, pending } = (before?.notBefore ?? {}) as { until?: string; pending?: { token: string } };
    const ends = set.status === 'SUCCESS' || set.completion !== undefined;
    if (pending?.token !== token) this.deps.report(`${id}: ended by the old token ${token}`);
    if (before?.status === 'SUCCESS') this.deps.report(`${id}: ended outside after its success`);
    if (ends && !this.isAttempted(id, before))
      this.deps.report(`${id}: work that was not attempted was ended`);
    if (ends && until !== before?.dueAt) this.deps.report(`${id}: ended outside, but put off differently`);
    if (remove.includes('notBefore') && !ends) {
      this.counts.workChanged++;
      this.deps.waits(id, Number.NEGATIVE_INFINITY);
    } else if (ends && end.type !== 'heartbeat') {
      this.gives(call, end.type);
      this.counts[end.type]++;
      // The failure is due at once.
      this.deps.waits(id, Number.NEGATIVE_INFINITY);
    } else {
      call.hasEffect = true;
      this.counts.prolonged++;
      this.deps.waits(id, Date.parse(set.dueAt ?? ''));
    }
  }

  /** A call has noted its end beside an attempt. */
  notes(call: Call, before: Item | undefined): void {
    const { id, end } = call;
    if (before?.status === 'SUCCESS') this.deps.report(`${id}: an end was noted after its success`);
    if (end.type === 'heartbeat') this.deps.report(`${id}: a heartbeat was noted`);
    else this.gives(call, end.type);
    this.counts.kept++;
  }

  private gives(call: Call, type: 'done' | 'failed'): void {
    const { id, token } = call;
    const other = this.ends.get(token);
    if (other !== undefined && other !== type && !this.deps.edits)
      this.deps.report(`${id}: was ${type} outside after it was ${other}`);
    this.ends.set(token, type);
    call.hasEffect = true;
  }

  answers({ id, token, end, hasEffect }: Call, { accepted, reason }: CompletionResult): void {
    if (!accepted) this.counts.refused++;
    // A failure is of an old token once another write has followed that of the run, or the record was changed by hand behind the note.
    const isOfOldToken = reason === 'oldToken' && end.type === 'failed';
    const isOver = isOfOldToken && (this.failed.has(token) || this.deps.edits);
    if (!accepted && hasEffect && !isOver) this.deps.report(`${id}: refused (${reason}), but ${end.type}`);
    const isEnd = accepted && end.type !== 'heartbeat';
    const hasEnded = this.ends.get(token) === end.type || this.succeeded.has(token);
    if (isEnd && !hasEnded) this.deps.report(`${id}: ${end.type} was accepted, but nothing was written`);
  }

  /** Tokens of attempts that have written a success themselves. */
  private readonly succeeded = new Set<string>();

  /** A settle of a run took effect. */
  settles(
    actor: Actor,
    { id }: BacklogRecord,
    change: RecordChange,
    before: Item | undefined,
    now: number,
  ): void {
    const { status, attempts, lastError, notBefore } = change.set;
    const own = this.tokens.get(`${actor.name} ${id}`);
    const given = parseCompletion(before?.completion);
    if (change.countedAs === 'pending' && typeof notBefore === 'object')
      this.deps.waits(id, Date.parse(notBefore.until));
    if (attempts === undefined) return;
    const isSuccess = status === 'SUCCESS' || change.countedAs === 'succeeded';
    if (isSuccess && own !== undefined) this.succeeded.add(own);
    if (isSuccess && !this.isAttempted(id, before))
      this.deps.report(`${id}: succeeded without an attempt of its work`);
    if (given && given.token === own) {
      const isWritten = given.error ? lastError?.name === 'FailedOutside' : status === 'SUCCESS';
      if (!isWritten) this.deps.report(`${id}: the end of its attempt was dropped, it is ${status}`);
    }
    if (lastError?.name === 'FailedOutside') this.countsOnce(id, given?.token, change, before);
    if (lastError?.name !== PENDING_TIMED_OUT) return;
    const wait = (before?.notBefore ?? {}) as { until?: string; pending?: { token: string } };
    this.counts.timedOut++;
    this.countsOnce(id, wait.pending?.token, change, before);
    const earlyMs = Date.parse(wait.until ?? '') - SKEW_MS - now;
    if (earlyMs > 0 && !actor.hasJumped) this.deps.report(`${id}: timed out ${earlyMs} ms too early`);
    if (this.ends.has(wait.pending?.token ?? '') && !this.deps.edits)
      this.deps.report(`${id}: timed out after its end`);
  }

  /** A failure outside counts once. */
  private countsOnce(
    id: string,
    token: string | undefined,
    { set }: RecordChange,
    before: Item | undefined,
  ): void {
    if (token === undefined) this.deps.report(`${id}: failed outside without a token`);
    else if (this.failed.has(token) && !this.deps.edits) this.deps.report(`${id}: failed outside twice`);
    if (token !== undefined) this.failed.add(token);
    const expected = Number(before?.failures ?? 0) + 1;
    if (set.failures !== expected) this.deps.report(`${id}: has ${set.failures} failures, not ${expected}`);
  }

  private isAttempted(id: string, item: Item | undefined): boolean {
    return item !== undefined && this.attempted.get(id)?.has(workOf(item)) === true;
  }
}

export function workOf({ payload, queue = 'default', task }: Item | BacklogRecord): string {
  return JSON.stringify([payload, queue, task], (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}
