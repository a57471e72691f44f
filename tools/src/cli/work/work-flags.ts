/** Destinations of a worker's metrics: lines on stdout for CloudWatch Logs, OpenTelemetry, or nowhere. */
export const METRICS_KINDS = ['emf', 'otel', 'off'] as const;

/** Flags of `backlog work`. Lengths of time are in milliseconds. */
export interface WorkCommandFlags {
  readonly handler: string;
  readonly table?: string | undefined;
  readonly controlTable?: string | undefined;
  /** Queues with their weights. */
  readonly queue?: ReadonlyMap<string, number> | undefined;
  /** Default: 5 s. */
  readonly every?: number | undefined;
  readonly attemptTimeout?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Default: 20 s. */
  readonly grace?: number | undefined;
  readonly healthPort?: number | undefined;
  /** Default: 127.0.0.1. */
  readonly healthHost?: string | undefined;
  readonly metricsPort?: number | undefined;
  /** Default: 127.0.0.1. */
  readonly metricsHost?: string | undefined;
  readonly metrics: (typeof METRICS_KINDS)[number];
  readonly sweep?: boolean | undefined;
}
