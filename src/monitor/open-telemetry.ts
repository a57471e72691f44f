import { VERSION } from '../support/version.js';
import { KEY_GAUGES, type KeyGaugeValues } from './key-gauges.js';
import { type GaugeDefinition, QUEUE_GAUGES, type QueueGaugeValues } from './queue-gauges.js';

/** The result to which a callback of OpenTelemetry reports. */
export interface ObservableResult {
  /** Reports the value of one gauge. */
  observe(gauge: never, value: number, attributes: Record<string, string>): void;
}

/** The part of a meter of OpenTelemetry that is used. */
export interface Meter {
  /** Makes a gauge. */
  createObservableGauge(name: string, options: object): unknown;
  /** Has the callback called at each export. */
  addBatchObservableCallback(
    callback: (result: ObservableResult) => void | Promise<void>,
    observables: never[],
  ): void;
}

/** The part of a provider of meters that is used; `metrics` of `@opentelemetry/api` fits as well. */
export interface MeterProvider {
  /** The meter of a library. */
  getMeter(name: string, version?: string): Meter;
  /** Exports what is not exported yet. Of the SDK alone. */
  forceFlush?(options?: { timeoutMillis?: number }): Promise<void>;
}

/**
 * Hands gauges of queues to OpenTelemetry, which asks for them each time that it exports. Without an SDK it never asks,
 * so nothing is read.
 *
 * @param read gives the present values. A rejection is for the SDK: it exports no gauge then
 */
export function observeQueues(
  provider: MeterProvider,
  read: () => readonly QueueGaugeValues[] | Promise<readonly QueueGaugeValues[]>,
): void {
  observeGauges(provider, QUEUE_GAUGES, read);
}

/** Hands gauges of keys to OpenTelemetry, in the same way. */
export function observeKeys(provider: MeterProvider, read: () => readonly KeyGaugeValues[]): void {
  observeGauges(provider, KEY_GAUGES, read);
}

/** Values of gauges, by field, beside the attributes that tell them from others. */
type Observed<Field extends string> = { readonly values: { readonly [Name in Field]?: number | undefined } };

function observeGauges<Field extends string>(
  provider: MeterProvider,
  definitions: Readonly<Record<Field, GaugeDefinition>>,
  read: () => readonly Observed<Field>[] | Promise<readonly Observed<Field>[]>,
): void {
  const meter = provider.getMeter('dynamo-backlog', VERSION);
  const gauges = (Object.keys(definitions) as Field[]).map((field) => {
    const { name, ...options } = definitions[field];
    return [field, meter.createObservableGauge(name, options) as never] as const;
  });
  const observe = async (result: ObservableResult) => {
    for (const { values, ...attributes } of await read()) {
      for (const [field, gauge] of gauges) {
        const value = values[field];
        if (value !== undefined) result.observe(gauge, value, attributes as Record<string, string>);
      }
    }
  };
  meter.addBatchObservableCallback(
    observe,
    gauges.map(([, gauge]) => gauge),
  );
}

/** The key by which all copies of `@opentelemetry/api` 1.x of a process share what is registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** The provider that an SDK has registered in this process, such as one of a Lambda layer. Undefined: none. */
export function registeredMeterProvider(): MeterProvider | undefined {
  const registered = (globalThis as { [REGISTERED]?: { metrics?: MeterProvider } })[REGISTERED];
  return registered?.metrics;
}
