import { hasEnded, type OrderRules } from '../../src/lines/rules.js';
import type { BacklogRecord, Item } from '../../src/record/index.js';

interface Known {
  readonly key: string;
  readonly seq: number;
  readonly cameAt: number;
}

/** Looks on, and reports attempts of one key that overlap, or come before their turn. */
export class Witness {
  readonly violations: string[] = [];
  private readonly known = new Map<string, Known>();
  /** The attempt that is under way, by key. */
  private readonly underway = new Map<string, { readonly id: string; readonly actor: string }>();
  /** Records that were brought back after their end: they are late by nature. */
  private readonly back = new Set<string>();
  /** Keys of which numbers were left out. */
  private readonly skipped = new Set<string>();

  constructor(
    private readonly record: (id: string) => BacklogRecord | undefined,
    private readonly now: () => number,
    private readonly rules: OrderRules | undefined,
    private readonly excusesLeftOut: boolean,
  ) {}

  report(violation: string): void {
    this.violations.push(violation);
  }

  comes(id: string, key: string, seq: number): void {
    this.known.set(id, { key, seq, cameAt: this.now() });
  }

  raised(id: string): void {
    this.back.add(id);
  }

  /** Sees a line written: numbers of it may be left out. */
  seesLine(line: string, { leftOut }: Item): void {
    if (leftOut) this.skipped.add(line.slice('line#q#'.length));
  }

  dies(actor: string): void {
    for (const [key, one] of this.underway) if (one.actor === actor) this.underway.delete(key);
  }

  /** @returns what ends the attempt */
  begins(actor: string, { id, key = '' }: BacklogRecord): () => void {
    const mine = this.known.get(id);
    const other = this.underway.get(key);
    if (other)
      this.report(`${id} is attempted by ${actor} while ${other.id} is by ${other.actor}, at ${this.now()}`);
    for (const [before, { key: itsKey, seq }] of this.known) {
      if (mine && itsKey === key && seq < mine.seq) this.mustHaveEnded(before, id, key);
    }
    const own = { id, actor };
    this.underway.set(key, own);
    return () => {
      if (this.underway.get(key) === own) this.underway.delete(key);
    };
  }

  private mustHaveEnded(before: string, id: string, key: string): void {
    if (!this.rules || hasEnded(this.record(before), this.rules) || this.back.has(before)) return;
    // Left out, it comes late.
    if (this.excusesLeftOut && this.skipped.has(key)) return;
    // Of two records of one number, the line knows of the second one only when its event has come.
    const hasTwin = this.known.has(`${before}-twin`);
    if (before.endsWith('-twin') || hasTwin) return;
    this.report(`${id} is attempted before ${before}, at ${this.now()}`);
  }
}
