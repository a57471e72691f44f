// The specification: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
}

type Root = Readonly<Record<string, unknown>> & {
  readonly _aws: { readonly Timestamp: number; readonly CloudWatchMetrics: readonly Directive[] };
};

export interface EmfMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly unit: string | undefined;
  readonly values: readonly number[];
  readonly at: number;
}

const MAX_METRICS = 100;
const MAX_VALUES = 100;
const MAX_DIMENSIONS = 30;

/**
 * The data points of a line, one per metric and set of dimensions. A line that is not in this format has none. One that is,
 * but breaks its rules, throws: CloudWatch would drop its metrics and say nothing.
 */
export function readEmf(line: string): EmfMetric[] {
  const root = emfRoot(line);
  if (!root) return [];
  const { Timestamp: at, CloudWatchMetrics: directives } = root._aws;
  return directives.flatMap(({ Namespace: namespace, Dimensions: sets, Metrics: metrics }) => {
    if (!namespace) throw invalid('a directive without a namespace');
    if (metrics.length > MAX_METRICS) throw invalid(`${metrics.length} metrics in a directive`);
    if (sets.length === 0) throw invalid('a directive without a set of dimensions');
    return sets.flatMap((set) => {
      const dimensions = dimensionsOf(root, set);
      return metrics.map(({ Name: name, Unit: unit }) => ({
        namespace,
        name,
        dimensions,
        unit,
        values: valuesOf(root, name),
        at,
      }));
    });
  });
}

function emfRoot(line: string): Root | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  let root: Partial<Root>;
  try {
    root = JSON.parse(line);
  } catch {
    return undefined;
  }
  return Array.isArray(root._aws?.CloudWatchMetrics) ? (root as Root) : undefined;
}

function dimensionsOf(root: Root, names: readonly string[]): Record<string, string> {
  if (names.length > MAX_DIMENSIONS) throw invalid(`${names.length} dimensions in a set`);
  return Object.fromEntries(
    names.map((name) => {
      const value = root[name];
      if (typeof value !== 'string' || value === '') throw invalid(`no text for the dimension ${name}`);
      return [name, value];
    }),
  );
}

function valuesOf(root: Root, name: string): number[] {
  const values = [root[name]].flat();
  if (values.length > MAX_VALUES) throw invalid(`${values.length} values of ${name}`);
  for (const value of values)
    if (typeof value !== 'number') throw invalid(`no number for the metric ${name}`);
  return values as number[];
}

function invalid(what: string): Error {
  return new Error(`not in the embedded metric format: ${what}`);
}
