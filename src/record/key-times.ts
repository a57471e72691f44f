import { setLatest } from './key-meter.js';

/** Time by which the attempts of a key may be ahead of its part, without making it busy. */
const MAX_AHEAD_MS = 5_000;
/** Time after which a key is as any other, however long its attempts took. */
const FORGIVEN_MS = 3_600_000;

interface KeyTime {
  /** Time by which the attempts of the key were ahead, at `at`. */
  readonly aheadMs: number;
  readonly at: number;
  readonly underWay: number;
}

/**
 * The time that the attempts of each key take. A key is busy when they take more than its part of the attempts at once, by five
 * seconds. An attempt under way counts for as long as it has lasted.
 */
export class KeyTimes {
  /** The key that was met last is the last. */
  private readonly times = new Map<string, KeyTime>();

  /** @param part attempts that a key may have under way all the time */
  constructor(private readonly part: number) {}

  /**
   * Counts an attempt that begins (1), or has ended (-1).
   *
   * @param key a short name of the key, such as its hash
   * @param now epoch milliseconds
   * @returns whether the key is busy
   */
  add(key: string, change: 1 | -1, now: number): boolean {
    const { aheadMs: before, at, underWay } = this.times.get(key) ?? { aheadMs: 0, at: now, underWay: 0 };
    // Clocks are set back.
    const passedMs = Math.max(0, now - at);
    const usedMs = (passedMs * underWay) / this.part;
    const aheadMs = Math.min(Math.max(0, before + usedMs - passedMs), FORGIVEN_MS);
    setLatest(this.times, key, { aheadMs, at: now, underWay: Math.max(0, underWay + change) });
    return aheadMs > MAX_AHEAD_MS;
  }
}
