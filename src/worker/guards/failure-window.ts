const SLICES = 6;

interface Slice {
  readonly from: number;
  successes: number;
  failures: number;
}

/** Counts how attempts of the last while ended, in slices of a sixth of it. */
export class FailureWindow {
  private slices: Slice[] = [];
  private readonly sliceMs: number;

  constructor(private readonly window: number) {
    this.sliceMs = (window * 1000) / SLICES;
  }

  /** @param now epoch milliseconds */
  note(ended: 'success' | 'failure', now: number): void {
    const slice = this.current(now);
    if (ended === 'success') slice.successes++;
    else slice.failures++;
  }

  /** The number of attempts that ended in it, and the share of them that failed, 0 to 1. */
  measure(now: number): { readonly attempts: number; readonly failureRate: number } {
    this.forget(now);
    const failures = this.slices.reduce((sum, slice) => sum + slice.failures, 0);
    const attempts = this.slices.reduce((sum, slice) => sum + slice.successes, failures);
    return { attempts, failureRate: attempts === 0 ? 0 : failures / attempts };
  }

  clear(): void {
    this.slices = [];
  }

  private current(now: number): Slice {
    const last = this.slices.at(-1);
    if (last && now < last.from + this.sliceMs) return last;
    this.forget(now);
    const slice = { from: now, successes: 0, failures: 0 };
    this.slices.push(slice);
    return slice;
  }

  private forget(now: number): void {
    this.slices = this.slices.filter(({ from }) => from + this.sliceMs > now - this.window * 1000);
  }
}
