import type { Item } from '../../src/record/index.js';
import type { Actor } from '../simulation/actor.js';

/** The place of an attempt: a region, or a function. */
type Where = string;

interface Underway {
  readonly where: Where;
  readonly actor: Actor;
  readonly startedAt: number;
}

interface WitnessDeps {
  readonly now: () => number;
  /** Tells whether nothing that happens to this record is a violation. */
  readonly isExcused: (id: string, actors: readonly Actor[]) => boolean;
  /** Only one of two regions attempts anything at a time. */
  readonly isOnePlaceAtATime: boolean;
}

/** Sees each attempt and each success that is written, and notes what must never be. */
export class Witness {
  readonly violations: string[] = [];
  /** When attempts started, by place. */
  readonly startedAt = new Map<Where, number[]>();
  /** Records whose work was begun again after the end of an attempt whose success was written. */
  readonly repeated = new Set<string>();
  /** Longest time from the moment at which a record could be attempted to the start of its attempt. */
  longestWaitMs = 0;
  private readonly underway = new Map<string, Underway[]>();
  private readonly succeeded = new Map<string, { readonly where: Where; readonly at: number }>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly deps: WitnessDeps) {}

  attemptsOf(id: string): number {
    return this.counts.get(id) ?? 0;
  }

  /** Returns what notes the attempt's end. */
  begins(id: string, where: Where, actor: Actor, dueAtMs = this.deps.now()): () => void {
    const { now } = this.deps;
    this.longestWaitMs = Math.max(this.longestWaitMs, now() - dueAtMs);
    const others = this.others(id);
    const attempt = { where, actor, startedAt: now() };
    const success = this.succeeded.get(id);
    if (success) this.repeated.add(id);
    if (success && !this.isExcused(id, [actor])) {
      this.report(`${id} is attempted in ${where} after its success in ${success.where}`, success.at);
    }
    for (const other of others) {
      if (!this.isExcused(id, [actor, other.actor]))
        this.report(`${id} is attempted in ${where} and in ${other.where} at once`, other.startedAt);
    }
    if (this.deps.isOnePlaceAtATime) this.checkPlaces(id, attempt);
    this.counts.set(id, this.attemptsOf(id) + 1);
    this.startedAt.set(where, [...(this.startedAt.get(where) ?? []), now()]);
    this.underway.set(id, [...others, attempt]);
    return () =>
      this.underway.set(
        id,
        this.others(id).filter((other) => other !== attempt),
      );
  }

  /** A record was written, in its region. */
  wrote({ id, status }: Item, where: Where): void {
    if (status === 'SUCCESS' && !this.succeeded.has(String(id)))
      this.succeeded.set(String(id), { where, at: this.deps.now() });
  }

  hasSucceeded(id: string): boolean {
    return this.succeeded.has(id);
  }

  /** Ids under attempt in a place. */
  underwayIn(where: Where): string[] {
    return [...this.underway.keys()].filter((id) => this.others(id).some((other) => other.where === where));
  }

  report(what: string, since = this.deps.now()): void {
    this.violations.push(`${what} (${minutes(since)}, now ${minutes(this.deps.now())})`);
  }

  private isExcused(id: string, actors: readonly Actor[]): boolean {
    return this.deps.isExcused(id, actors);
  }

  private checkPlaces(id: string, { where }: Underway): void {
    for (const [other] of this.underway) {
      const elsewhere = this.others(other).find((attempt) => attempt.where !== where);
      if (elsewhere && other !== id)
        this.report(
          `${id} is attempted in ${where} while ${other} is in ${elsewhere.where}`,
          elsewhere.startedAt,
        );
    }
  }

  /** The attempts of a record that are under way: those of a sandbox that was killed are not any more. */
  private others(id: string): Underway[] {
    return (this.underway.get(id) ?? []).filter(({ actor }) => !actor.killed);
  }
}

/** A time of the world, which begins at midnight. */
function minutes(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
