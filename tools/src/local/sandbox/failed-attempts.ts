/** An attempt that threw, as it is shown. */
export interface FailedAttempt {
  readonly text: string;
  readonly record: string;
  readonly queue?: string | undefined;
  readonly stack: readonly string[];
}

/** Answers of a destination, and outcomes that a handler chose, are no mistakes in its code. */
const NO_MISTAKES: ReadonlySet<unknown> = new Set(['HttpError', 'RetryAfter', 'Dead', 'Snooze', 'Cancel']);
const MAX_WAITING = 1_000;

/** Joins the two lines of an attempt that threw: the place where it threw, and the outcome. */
export class FailedAttempts {
  /** Stacks by function and record. */
  readonly #stacks = new Map<string, readonly string[]>();

  /** @returns the attempt, at the second of its lines */
  add(functionName: string, line: Readonly<Record<string, unknown>>): FailedAttempt | undefined {
    const { message, id, stack, queue, error, reason } = line;
    if (typeof id !== 'string') return undefined;
    const key = `${functionName} ${id}`;
    if (message === 'attempt threw' && typeof stack === 'string') {
      // An attempt whose outcome could not be written has no second line.
      if (this.#stacks.size >= MAX_WAITING) this.#stacks.clear();
      this.#stacks.set(key, stack.split('\n'));
      return undefined;
    }
    const found = this.#stacks.get(key);
    if (message !== 'attempt failed' || found === undefined) return undefined;
    this.#stacks.delete(key);
    if (NO_MISTAKES.has(error)) return undefined;
    const text = [error, reason].filter((part) => typeof part === 'string').join(': ');
    return { text, record: id, ...(typeof queue === 'string' ? { queue } : {}), stack: found };
  }
}
