/** Records of one key that may come, or fail, without making it busy: so many at once, and one a second after them. */
const MAX_AHEAD_MS = 10_000;
/** Time of a key's budget that one record takes. */
const RECORD_MS = 1_000;
/** Time after which a key is as any other, however many of its records have come. */
const FORGIVEN_MS = 3_600_000;
/** Keys that are known at a time. */
const MAX_KEYS = 10_000;

/**
 * The pace at which records of each key come. A key has a budget of one record a second, and may be ten records ahead of it;
 * beyond that it is busy. (The virtual time of start-time fair queueing: Goyal, Vin and Cheng, 1997.)
 */
export class KeyMeter {
  /** The time up to which each key has used its budget, epoch milliseconds: the key that was met last is the last. */
  private readonly usedUntil = new Map<string, number>();

  /**
   * Counts one record.
   *
   * @param key a short name of the key, such as its hash
   * @param now epoch milliseconds
   * @returns whether the key is busy
   */
  add(key: string, now: number): boolean {
    const usedUntil = Math.min(Math.max(now, this.usedUntil.get(key) ?? 0) + RECORD_MS, now + FORGIVEN_MS);
    setLatest(this.usedUntil, key, usedUntil);
    return usedUntil - now > MAX_AHEAD_MS;
  }
}

/** Sets the value of a key, as the latest one. Of too many keys, the one that was not met for longest is forgotten, and begins again. */
export function setLatest<Value>(values: Map<string, Value>, key: string, value: Value): void {
  values.delete(key);
  values.set(key, value);
  if (values.size <= MAX_KEYS) return;
  for (const oldest of values.keys()) {
    values.delete(oldest);
    break;
  }
}
