/** Counts of attempts, by outcome. */
export interface AttemptSummary {
  /** Attempts that began. */
  readonly attempted: number;
  /** Attempts that succeeded. */
  readonly succeeded: number;
  /** Attempts that failed, and whose records are tried again. */
  readonly failed: number;
  /** Records that were given up, for whatever reason. */
  readonly dead: number;
  /** Records that were put off by `Snooze`. */
  readonly snoozed: number;
  /** Records whose attempt ended as `Pending`. */
  readonly pending: number;
  /** Records that were given up by `Cancel`. */
  readonly cancelled: number;
}

export const NO_ATTEMPTS: AttemptSummary = {
  attempted: 0,
  succeeded: 0,
  failed: 0,
  dead: 0,
  snoozed: 0,
  pending: 0,
  cancelled: 0,
};

/** The counts since then. */
export function difference(now: AttemptSummary, before: AttemptSummary): AttemptSummary {
  const entries = Object.entries(now).map(([name, count]) => [
    name,
    count - before[name as keyof AttemptSummary],
  ]);
  return Object.fromEntries(entries) as unknown as AttemptSummary;
}
