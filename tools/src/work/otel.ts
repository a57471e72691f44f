import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from 'dynamo-backlog';
import { type GaugeReader, type MeterProvider, observeQueues } from 'dynamo-backlog/engine';
import { type EmitMetrics, runMetrics } from '../../../functions/metrics.js';

/** The part of the module `@opentelemetry/api` that counts runs. */
export interface InstrumentsApi {
  readonly metrics: {
    getMeter(
      name: string,
      version?: string,
    ): {
      createCounter(name: string, options: object): Instrument<'add'>;
      createHistogram(name: string, options: object): Instrument<'record'>;
    };
  };
}

/** The part of the module `@opentelemetry/api` that is used. */
export interface MetricsApi extends InstrumentsApi {
  readonly metrics: InstrumentsApi['metrics'] & MeterProvider;
}

type Instrument<Method extends string> = {
  readonly [name in Method]: (value: number, attributes: Record<string, string>) => void;
};

/**
 * Loads the user's own `@opentelemetry/api`, to which the SDK was given that is to export the metrics.
 *
 * @param path of the user's module, whose packages come first
 * @throws ConfigurationError that says what to install
 */
export async function metricsApi(path: string): Promise<MetricsApi> {
  for (const from of [pathToFileURL(path).href, pathToFileURL(`${process.cwd()}/`).href]) {
    try {
      const file = createRequire(from).resolve('@opentelemetry/api');
      const module = (await import(pathToFileURL(file).href)) as MetricsApi & { default?: MetricsApi };
      return module.metrics ? module : (module.default as MetricsApi);
    } catch {}
  }
  throw new ConfigurationError(
    '--metrics otel: expected the package @opentelemetry/api beside your module: npm install @opentelemetry/api, with an ' +
      'SDK that NODE_OPTIONS="--import ./telemetry.mjs" starts',
  );
}

/** Instruments by the metric of the functions whose values they record. A gauge stands for `FailingSeconds`. */
export const COUNTERS: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  Attempted: { name: 'backlog.attempts.made', unit: '{attempt}' },
  Succeeded: { name: 'backlog.attempts.succeeded', unit: '{attempt}' },
  Failed: { name: 'backlog.attempts.failed', unit: '{attempt}' },
  Dead: { name: 'backlog.attempts.dead', unit: '{attempt}' },
  Snoozed: { name: 'backlog.attempts.snoozed', unit: '{attempt}' },
  Pending: { name: 'backlog.attempts.pending', unit: '{attempt}' },
  Cancelled: { name: 'backlog.attempts.cancelled', unit: '{attempt}' },
  UnknownTask: { name: 'backlog.records.unknown_task', unit: '{record}' },
  Probes: { name: 'backlog.attempts.probes', unit: '{attempt}' },
  Refused: { name: 'backlog.records.refused', unit: '{record}' },
  CaughtUp: { name: 'backlog.runs.caught_up', unit: '{run}' },
};

/** Counters of what the runs of a process do, and a histogram of their lateness, as instruments of OpenTelemetry. */
export function openTelemetryMetrics(api: InstrumentsApi, version: string): EmitMetrics {
  const meter = api.metrics.getMeter('dynamo-backlog', version);
  const counters = new Map(
    Object.entries(COUNTERS).map(([metric, { name, unit }]) => [metric, meter.createCounter(name, { unit })]),
  );
  const lag = meter.createHistogram('backlog.run.lag', { unit: 's' });
  return (summary, table) => {
    const attributes = { table, queue: summary.queue };
    const { counts, seconds } = runMetrics(summary);
    for (const [metric, value = 0] of Object.entries({ ...counts, Refused: summary.refused })) {
      if (value > 0) counters.get(metric)?.add(value, attributes);
    }
    if (seconds.LagSeconds) lag.record(seconds.LagSeconds, attributes);
  };
}

/** Hands the gauges of the queues to OpenTelemetry; they are read when an SDK asks for them. */
export function openTelemetryGauges(api: MetricsApi, gauges: Pick<GaugeReader, 'read'>): void {
  observeQueues(api.metrics, () => gauges.read());
}
