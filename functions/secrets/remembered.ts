const FRESH_MS = 5 * 60_000;
const AFTER_TROUBLE_MS = 30_000;

export interface RememberedDeps {
  /** Real time, epoch milliseconds. */
  readonly now: () => number;
  /** The value could not be loaded again, and the previous one stays in use. */
  readonly onTrouble: (error: Error) => void;
}

/**
 * A loaded value, kept for five minutes. All callers that wait for it share one call. If it cannot be loaded again, the
 * previous value stays in use.
 *
 * @returns gives the value; given milliseconds, one that is not older than that, unless it cannot be loaded
 */
export function remembered<Value>(
  load: () => Promise<Value>,
  { now, onTrouble }: RememberedDeps,
): (maxAgeMs?: number) => Promise<Value> {
  let known: { readonly value: Value; readonly at: number; readonly freshMs: number } | undefined;
  let underWay: Promise<Value> | undefined;

  const refresh = async (): Promise<Value> => {
    try {
      known = { value: await load(), at: now(), freshMs: FRESH_MS };
    } catch (error) {
      if (!known) throw error;
      known = { value: known.value, at: now(), freshMs: AFTER_TROUBLE_MS };
      onTrouble(error as Error);
    }
    return known.value;
  };

  return async (maxAgeMs = FRESH_MS) => {
    // After the clock was set back, the age is unknown.
    const age = known && now() - known.at;
    if (known && age !== undefined && age >= 0 && age < Math.min(known.freshMs, maxAgeMs)) return known.value;
    underWay ??= refresh().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
