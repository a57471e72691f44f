const FRESH_MS = 5 * 60_000;
const AFTER_TROUBLE_MS = 30_000;

export interface RememberedDeps {
  /** Real time, epoch milliseconds. */
  readonly now: () => number;
  /** It could not be had anew, and what was had before goes on. */
  readonly onTrouble: (error: Error) => void;
}

/**
 * What somebody else says, for five minutes, asked for once by however many wait for it. What is there goes on where it
 * cannot be had anew.
 */
export function remembered<Value>(
  load: () => Promise<Value>,
  { now, onTrouble }: RememberedDeps,
): () => Promise<Value> {
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

  return async () => {
    // A clock that was set back tells nothing of its age.
    const age = known && now() - known.at;
    if (known && age !== undefined && age >= 0 && age < known.freshMs) return known.value;
    underWay ??= refresh().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
