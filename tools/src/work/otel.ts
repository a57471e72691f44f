import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from 'dynamo-backlog';
import { type GaugeReader, type MeterProvider, observeQueues } from 'dynamo-backlog/engine';
import { type EmitMetrics, METRICS_NAMESPACE, runMetrics } from '../../../functions/metrics.js';

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

/** The metrics of the functions, under the same names, as instruments of OpenTelemetry. */
export function openTelemetryMetrics(api: InstrumentsApi, version: string): EmitMetrics {
  const meter = api.metrics.getMeter(METRICS_NAMESPACE, version);
  const counters = new Map<string, Instrument<'add'>>();
  const histograms = new Map<string, Instrument<'record'>>();
  const instrumentOf = <One>(known: Map<string, One>, name: string, create: () => One): One => {
    const one = known.get(name) ?? create();
    known.set(name, one);
    return one;
  };
  return (summary, table) => {
    const attributes = { Table: table, Queue: summary.queue };
    const { counts, seconds } = runMetrics(summary);
    for (const [name, value = 0] of Object.entries({ ...counts, Refused: summary.refused })) {
      if (value === 0) continue;
      instrumentOf(counters, name, () => meter.createCounter(name, { unit: '1' })).add(value, attributes);
    }
    for (const [name, value = 0] of Object.entries(seconds)) {
      if (value === 0) continue;
      const create = () => meter.createHistogram(name, { unit: 's' });
      instrumentOf(histograms, name, create).record(value, attributes);
    }
  };
}

/** Hands the gauges of the queues to OpenTelemetry; they are read when an SDK asks for them. */
export function openTelemetryGauges(api: MetricsApi, gauges: Pick<GaugeReader, 'read'>): void {
  observeQueues(api.metrics, () => gauges.read());
}
