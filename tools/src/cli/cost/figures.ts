import type { FunctionTime, Measured } from '../../cost/measured-bill.js';
import type { MetricSum } from '../cloudwatch/metric-sums.js';
import type { MetricUse } from './metric-list.js';
import type { StackParts } from './stack-parts.js';

/** The sum of one metric of the bill, with its use. */
export interface Figure extends MetricSum {
  readonly use: MetricUse;
}

const NO_DATA = 'CloudWatch has none';

type Read = Pick<Measured, 'attempts' | 'units' | 'runs' | 'helpers' | 'logBytes' | 'metricHours'>;

/** Adds the figures up. A part of which CloudWatch has nothing is not known, and not zero. */
export function figuresOf(
  parts: StackParts,
  figures: readonly Figure[],
): Read & { readonly notes: string[] } {
  const notes: string[] = [];
  const missing = (what: string, why = NO_DATA) => {
    notes.push(`not read: ${what} (${why}); taken from the model`);
    return undefined;
  };
  const pick = (of: MetricUse['of']) => figures.filter(({ use }) => use.of === of);
  const sumOf = (some: readonly Figure[]) => some.reduce((sum, figure) => sum + figure.sum, 0);
  const hasData = (some: readonly Figure[]) => some.some(({ hours }) => hours > 0);

  const [writes, reads, logs, requests] = [pick('writes'), pick('reads'), pick('logs'), pick('requests')];
  const isUnitsRead = hasData([...writes, ...reads]);
  const functions = timesOf(figures);
  const unserved = parts.elsewhere.filter(({ isProcess }) => !isProcess).map(({ queue }) => queue);
  const areLogsKnown = parts.functions.every(({ logGroup }) => logGroup !== undefined);
  const isRunsRead = unserved.length === 0 && (parts.functions.length === 0 || hasData(requests));
  return {
    attempts: attemptsOf(parts, pick('own'), notes),
    units: isUnitsRead ? { writes: sumOf(writes), reads: sumOf(reads) } : missing('units of DynamoDB'),
    runs: isRunsRead
      ? functions.runs
      : missing(
          'runs of Lambda',
          unserved.length > 0 ? `no function of the stack serves ${unserved}` : NO_DATA,
        ),
    helpers: hasData(requests) ? functions.helpers : missing('intake and monitor'),
    logBytes:
      areLogsKnown && hasData(logs)
        ? sumOf(logs)
        : missing('logs', areLogsKnown ? NO_DATA : 'a log group is not of this stack'),
    metricHours: pick('own').reduce((sum, { hours }) => sum + hours, 0),
    notes,
  };
}

/** Attempts that runs counted. Of zero, nothing is written. */
function attemptsOf(
  { records, metrics, elsewhere }: StackParts,
  figures: readonly Figure[],
  notes: string[],
): Measured['attempts'] {
  const byName = (name: string, queue?: string) =>
    figures.filter(
      ({ use }) =>
        use.of === 'own' &&
        use.name === name &&
        use.queue !== undefined &&
        (queue === undefined || use.queue === queue),
    );
  const sumOf = (...names: string[]) =>
    names.flatMap((name) => byName(name)).reduce((sum, figure) => sum + figure.sum, 0);
  if (metrics === 'off') {
    notes.push("not read: attempts (metrics: 'off')");
    return undefined;
  }
  const silent = elsewhere.filter(({ queue }) =>
    byName('Attempted', queue).every(({ hours }) => hours === 0),
  );
  if (silent.length > 0)
    notes.push(
      `not read: attempts of ${silent.map(({ queue }) => queue).join(', ')} (CloudWatch has no metrics of what is not in the stack)`,
    );
  const queues = [...records.values()].flat();
  if (queues.length > 0 && silent.length === queues.length) return undefined;
  const made = sumOf('Attempted');
  // The ends of attempts that were neither retried nor dead are not known with fewer metrics.
  const last = metrics === 'full' ? sumOf('Succeeded', 'Dead', 'Cancelled') : made - sumOf('Failed');
  return { made, last: Math.min(made, Math.max(0, last)) };
}

function timesOf(figures: readonly Figure[]): {
  readonly runs: FunctionTime;
  readonly helpers: FunctionTime;
} {
  const timeOf = (isRun: boolean): FunctionTime => {
    const time = { requests: 0, seconds: 0, arm: 0, x86: 0 };
    for (const { use, sum } of figures) {
      if (!('fn' in use) || use.fn.isRun !== isRun) continue;
      if (use.of === 'requests') {
        time.requests += sum;
        continue;
      }
      const seconds = sum / 1_000;
      time.seconds += seconds;
      time[use.fn.isArm ? 'arm' : 'x86'] += (seconds * use.fn.memoryMb) / 1_024;
    }
    return time;
  };
  return { runs: timeOf(true), helpers: timeOf(false) };
}
