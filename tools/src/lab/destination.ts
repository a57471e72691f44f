import type { Scenario } from './scenario.js';

type Limits = Pick<Scenario, 'outage' | 'capacityPerSecond'>;

/** The destination of a simulation's attempts. It receives them in the order of their start. */
export class Destination {
  private second = -1;
  private taken = 0;

  constructor(
    private readonly limits: Limits,
    private readonly failing: ReadonlySet<string>,
  ) {}

  /** The reason why an attempt fails; `undefined` where it succeeds. An outage uses no capacity. */
  refuses(id: string, atMs: number): Error | undefined {
    const { outage, capacityPerSecond = Number.POSITIVE_INFINITY } = this.limits;
    if (outage && atMs >= outage.fromMs && atMs < outage.toMs) return OUTAGE;
    const second = Math.floor(atMs / 1000);
    if (second !== this.second) {
      this.second = second;
      this.taken = 0;
    }
    if (++this.taken > capacityPerSecond) return OVER_CAPACITY;
    return this.failing.has(id) ? FAILING : undefined;
  }
}

// The errors are made once: the stack of an error takes longer than the rest of an attempt.
const OUTAGE = new Error('outage');
const OVER_CAPACITY = new Error('over capacity');
const FAILING = new Error('never succeeds');
