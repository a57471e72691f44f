/** Counts events in windows of equal length, from 0 on. Events come in the order of time. */
export class Windows {
  /** The most in any one window. */
  peak = 0;
  private total = 0;
  private squares = 0;
  private first: number | undefined;
  private current = 0;
  private count = 0;

  constructor(private readonly lengthMs: number) {}

  add(atMs: number): void {
    const window = Math.floor(atMs / this.lengthMs);
    this.first ??= window;
    if (window !== this.current) this.count = 0;
    this.current = window;
    // The square of a count grows by the odd numbers.
    this.squares += 2 * this.count + 1;
    this.count++;
    this.total++;
    this.peak = Math.max(this.peak, this.count);
  }

  /**
   * Variance / mean of the counts, empty windows between the first event and the last included: 1 where chance alone
   * spreads them, 0 where all windows are alike. `undefined` without an event.
   */
  dispersion(): number | undefined {
    if (this.first === undefined) return undefined;
    const windows = this.current - this.first + 1;
    const mean = this.total / windows;
    return (this.squares / windows - mean * mean) / mean;
  }
}

/** The deviation of waits from their base: |wait / base - 1|. */
export class Deviation {
  greatest: number | undefined;
  private sum = 0;
  private count = 0;

  get mean(): number | undefined {
    return this.count === 0 ? undefined : this.sum / this.count;
  }

  add(wait: number, base: number): void {
    // A base of nothing has no relative deviation.
    if (base <= 0) return;
    const deviation = Math.abs(wait / base - 1);
    this.sum += deviation;
    this.count++;
    this.greatest = Math.max(this.greatest ?? 0, deviation);
  }
}
