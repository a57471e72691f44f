import {
  GAUGE_FIELDS,
  type GaugeDefinition,
  QUEUE_GAUGES,
  type QueueGaugeValues,
} from 'dynamo-backlog/engine';

/** The media type of the format. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Name of a gauge in Prometheus, as OpenTelemetry translates it: one dashboard fits both ways.
 * https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export function prometheusName({ name, unit }: GaugeDefinition): string {
  return `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`;
}

/**
 * Gauges in the text format of Prometheus. A gauge without a known value has no sample.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function prometheusText(queues: readonly QueueGaugeValues[]): string {
  // The same series twice would make Prometheus refuse all of them.
  const byLabels = new Map(queues.map((one) => [labelsOf(one), one.values]));
  const lines = GAUGE_FIELDS.flatMap((field) => {
    const name = prometheusName(QUEUE_GAUGES[field]);
    const samples = [...byLabels].flatMap(([labels, { [field]: value }]) =>
      value === undefined ? [] : [`${name}${labels} ${value}`],
    );
    return samples.length === 0
      ? []
      : [`# HELP ${name} ${QUEUE_GAUGES[field].description}`, `# TYPE ${name} gauge`, ...samples];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function labelsOf({ table, queue }: QueueGaugeValues): string {
  return `{table="${labelValue(table)}",queue="${labelValue(queue)}"}`;
}

/** Characters that a terminal obeys, or reorders text by. They are shown by their number. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const TRICKS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A name is foreign text: any service may have written it into the control table. */
function labelValue(text: string): string {
  return text
    .replace(TRICKS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`));
}
