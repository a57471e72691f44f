const EVERY_MS = 50;
const MB = 1024 * 1024;
const QUARTERS = 4;

/** The memory of a process while a quarter of the attempts was made, in MB. */
export interface Quarter {
  /** The peak of its resident memory since its start. */
  readonly rss: number;
  /** The most that its heap had, and buffers outside of it. */
  readonly heap: number;
}

/** The memory of a process at work. */
export interface Measured {
  /** Resident memory before the work, in MB. */
  readonly before: number;
  readonly quarters: readonly Quarter[];
  /** The heap without garbage before the work and behind it, buffers outside of it included, in MB. */
  readonly kept: readonly [number, number];
}

/** Looks at the memory of this process every 50 ms, and whenever it is asked to. */
export class Samples {
  private readonly quarters: Quarter[] = [];
  private readonly timer = setInterval(() => this.look(), EVERY_MS).unref();
  private readonly before = process.memoryUsage().rss / MB;
  private readonly keptBefore = keptMb();
  private heap = 0;
  private done = 0;

  /** @param attempts that will be made */
  constructor(private readonly attempts: number) {}

  /** An attempt is under way. */
  readonly attempted = (): void => {
    this.done++;
    if (this.done % Math.ceil(this.attempts / QUARTERS) === 0 || this.done === this.attempts)
      this.endQuarter();
  };

  end(): Measured {
    clearInterval(this.timer);
    if (this.done !== this.attempts) throw new Error(`expected ${this.attempts} attempts, got ${this.done}`);
    return { before: this.before, quarters: this.quarters, kept: [this.keptBefore, keptMb()] };
  }

  private look(): void {
    const { heapUsed, external } = process.memoryUsage();
    this.heap = Math.max(this.heap, (heapUsed + external) / MB);
  }

  private endQuarter(): void {
    this.look();
    this.quarters.push({ rss: process.resourceUsage().maxRSS / 1024, heap: this.heap });
    this.heap = 0;
  }
}

/** Needs `--expose-gc`. */
function keptMb(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}
