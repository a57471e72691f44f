/** The levels of metrics that the functions write: each costs $0.30 a month, for the hours in which it is written. */
export const METRICS_LEVELS = ['full', 'essential', 'off'] as const;

/** @inline */
export type MetricsLevel = (typeof METRICS_LEVELS)[number];
