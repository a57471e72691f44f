import PQueue from 'p-queue';
import type { BacklogRecord } from '../record/index.js';
import { isOfOneRecord } from '../store/errors.js';
import type { Clock } from '../support/clock.js';

/** Spaces permits evenly. */
export class RateLimiter {
  /** Real time of the next free permit. */
  nextAt = 0;

  constructor(
    private readonly perSecond: number | undefined,
    private readonly clock: Clock,
  ) {}

  /** Real milliseconds until the next free permit. */
  waitMs(): number {
    return Math.max(0, this.nextAt - this.clock.wall());
  }

  /** Acquires the next free permit, and resolves when it comes, or the signal is aborted. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (this.perSecond === undefined) return;
    const waitMs = this.waitMs();
    this.nextAt = this.clock.wall() + waitMs + 1000 / this.perSecond;
    if (waitMs > 0) await this.clock.sleep(waitMs, signal);
  }
}

/**
 * A change of one record.
 *
 * @inline
 */
interface OfOneRecord {
  /** The record as it was read. */
  readonly record: BacklogRecord;
}

/** Writes of many records, so many of them at once. */
export class Writes {
  private readonly queue: PQueue;

  constructor(
    concurrency: number,
    private readonly onRefused: (id: string, reason: string) => void,
  ) {
    this.queue = new PQueue({ concurrency });
  }

  /**
   * If the store refuses the write of one record, the others go on. If it cannot be used or reached, no further write
   * begins, and its error is thrown.
   */
  async each<One extends OfOneRecord>(
    all: readonly One[],
    write: (one: One, mayGoOn: () => boolean) => Promise<void>,
  ): Promise<void> {
    let trouble: { readonly cause: unknown } | undefined;
    const mayGoOn = () => trouble === undefined;
    const writeOne = async (one: One) => {
      try {
        if (mayGoOn()) await write(one, mayGoOn);
      } catch (cause) {
        if (isOfOneRecord(cause)) this.onRefused(one.record.id, (cause as Error).message);
        else trouble ??= { cause };
      }
    };
    await this.queue.addAll(all.map((one) => () => writeOne(one)));
    if (trouble) throw (trouble as { readonly cause: unknown }).cause;
  }
}
