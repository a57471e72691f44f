/** When a rule fires, as EventBridge reads its schedule expression. All times in epoch milliseconds. */
export interface Schedule {
  /** The first firing after `after`. A rate counts from the rule's creation; a cron ignores it. */
  next(after: number, createdAt: number): number | undefined;
  /** The time between two firings where it is constant. */
  readonly everyMs?: number | undefined;
}
