import { readEmf } from '../../cloudwatch/emf.js';
import type { MetricId } from '../../cloudwatch/metric-data.js';

/** Values of a metric at one time. */
export type Measured = MetricId & { readonly unit?: string | undefined; readonly values: readonly number[] };

/** Metrics of AWS that the local runtime measures as AWS does. */
const OF_AWS: Readonly<Record<string, readonly string[]>> = {
  'AWS/Lambda': ['Invocations', 'Errors'],
  'AWS/SQS': ['NumberOfMessagesSent'],
};

/** Tells whether the runtime knows the data of a metric: those of functions it reads from their logs. */
export function isMeasured({ namespace, name }: MetricId): boolean {
  return !namespace.startsWith('AWS/') || OF_AWS[namespace]?.includes(name) === true;
}

/** The metrics in a line of a log. One that CloudWatch would drop has none. */
export function readMetrics(line: string): Measured[] {
  try {
    return readEmf(line).filter(({ values }) => values.every(Number.isFinite));
  } catch {
    return [];
  }
}

/** An invocation of a function that has ended. */
export function ofInvocation(functionName: string, hasFailed: boolean): Measured[] {
  const common = { namespace: 'AWS/Lambda', dimensions: { FunctionName: functionName } };
  return [
    { ...common, name: 'Invocations', values: [1] },
    { ...common, name: 'Errors', values: [hasFailed ? 1 : 0] },
  ];
}

/** A message that was put into a queue. */
export function ofMessage(queue: string): Measured {
  return {
    namespace: 'AWS/SQS',
    name: 'NumberOfMessagesSent',
    dimensions: { QueueName: queue },
    values: [1],
  };
}
