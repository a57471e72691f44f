/** What attempts came to. Counts are of attempts. */
export interface AttemptSummary {
  /** Attempts that began. */
  readonly attempted: number;
  /** Those that succeeded. */
  readonly succeeded: number;
  /** Those that failed, and are to be tried again. */
  readonly failed: number;
  /** Records that were given up, for whatever reason. */
  readonly dead: number;
  /** Put off by `Snooze`. */
  readonly snoozed: number;
  /** Given up by `Cancel`. */
  readonly cancelled: number;
}

export const NO_ATTEMPTS: AttemptSummary = {
  attempted: 0,
  succeeded: 0,
  failed: 0,
  dead: 0,
  snoozed: 0,
  cancelled: 0,
};

/** What has been added since. */
export function difference(now: AttemptSummary, before: AttemptSummary): AttemptSummary {
  const entries = Object.entries(now).map(([name, count]) => [
    name,
    count - before[name as keyof AttemptSummary],
  ]);
  return Object.fromEntries(entries) as unknown as AttemptSummary;
}
