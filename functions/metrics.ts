import { isIdle, type RunSummary } from '../src/worker/summary.js';
import type { MetricsLevel } from './metrics-level.js';
import type { QueueSettings } from './settings.js';

export const METRICS_NAMESPACE = 'DynamoBacklog';

/** The metrics that alarms need. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'Attempted',
  'Failed',
  'Dead',
  'UnknownTask',
  'OldestDueAge',
  'OldestHeldAge',
  'UnknownQueue',
  'Refused',
  'Unprocessed',
  'NotIndexed',
  'SourcesStopped',
  'FailingSeconds',
  'RemovedQueueWaiting',
]);

/** Metrics whose zero says that something is over. */
const WRITTEN_AS_ZERO: ReadonlySet<string> = new Set(['FailingSeconds']);

/** @inline */
type Values = Readonly<Record<string, number | undefined>>;

/** Metrics with the same dimensions. */
interface Group {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly counts?: Values;
  readonly seconds?: Values;
}

/**
 * Writes one line in CloudWatch's embedded metric format: what is not zero, as every metric costs by the hour in which
 * it is written, and every line by its bytes. Alarms and the dashboard read a metric that is missing as zero.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
function write(level: MetricsLevel, ...groups: readonly Group[]) {
  if (level === 'off') return;
  const line: Record<string, unknown> = Object.assign({}, ...groups.map(({ dimensions }) => dimensions));
  const directives = groups.flatMap(({ dimensions, counts = {}, seconds = {} }) => {
    const worth = Object.entries({ ...counts, ...seconds }).filter(
      ([name, value]) =>
        value !== undefined &&
        (value !== 0 || WRITTEN_AS_ZERO.has(name)) &&
        (level === 'full' || ESSENTIAL.has(name)),
    );
    if (worth.length === 0) return [];
    Object.assign(line, Object.fromEntries(worth));
    const metrics = worth.map(([Name]) => ({
      Name,
      Unit: Object.hasOwn(counts, Name) ? 'Count' : 'Seconds',
    }));
    return { Namespace: METRICS_NAMESPACE, Dimensions: [Object.keys(dimensions)], Metrics: metrics };
  });
  if (directives.length === 0) return;
  // console.log would not do: Lambda makes a text of its lines.
  const head = { _aws: { Timestamp: Date.now(), CloudWatchMetrics: directives } };
  process.stdout.write(`${JSON.stringify({ ...head, ...line })}\n`);
}

/**
 * Writes the metrics of a run.
 *
 * @inline
 */
export type EmitMetrics = (summary: RunSummary, table: string) => void;

/** The metrics of a run and its queue. An idle run counts nothing. */
export function runMetrics(summary: RunSummary): { readonly counts: Values; readonly seconds: Values } {
  const { attempted, succeeded, failed, dead, snoozed, pending, cancelled, unknownTask, probes } = summary;
  const counts = isIdle(summary)
    ? {}
    : {
        Attempted: attempted,
        Succeeded: succeeded,
        Failed: failed,
        Dead: dead,
        Snoozed: snoozed,
        Pending: pending,
        Cancelled: cancelled,
        UnknownTask: unknownTask,
        Probes: probes,
      };
  return {
    counts: { ...counts, CaughtUp: summary.caughtUp?.length },
    seconds: { LagSeconds: summary.lagSeconds, FailingSeconds: summary.failingSeconds },
  };
}

/**
 * Metrics of a run that found something, or made up for a missed one. An idle poll stays silent: every line costs.
 *
 * @param ownAlarms those of the queue itself; the others are alarms of all queues. Undefined: there are none of these
 */
export function emitMetrics(
  summary: RunSummary,
  table: string,
  level: MetricsLevel,
  ownAlarms?: QueueSettings['ownAlarms'],
): void {
  // Metrics by the table alone, for alarms of the whole backlog.
  const dead = ownAlarms?.includes('dead') === false ? summary.dead : undefined;
  const failing = ownAlarms?.includes('failures') === false ? summary.failingSeconds : undefined;
  write(
    level,
    { dimensions: { Table: table, Queue: summary.queue }, ...runMetrics(summary) },
    {
      dimensions: { Table: table },
      // The intake's metric and its alarm: DynamoDB takes no change of these, and people have to look.
      counts: { Refused: summary.refused, Dead: dead },
      seconds: { FailingSeconds: failing },
    },
  );
}

/** The metrics of a batch of the intake. Counts are of records. */
export interface IntakeMetrics {
  /** Records that were indexed. */
  readonly indexed: number;
  /** Records with an invalid attribute, which was replaced, or without a payload. */
  readonly repaired: number;
  /** The number of indexed records whose queue no rule serves. They wait for one. */
  readonly unknownQueue: number;
  /** Records that cannot be handled: dead, with the reason. */
  readonly quarantined: number;
  /** Records that cannot be handled, and that DynamoDB takes no change of. */
  readonly refused: number;
  /** Records that came back from runs which failed or were lost. */
  readonly redelivered: number;
  /** Records that no event had reached: the sweep found them, and they had to be indexed. */
  readonly notIndexed: number;
  /** Records that come again, as DynamoDB or another service did not answer. */
  readonly unprocessed: number;
}

/**
 * Writes the metrics of a batch.
 *
 * @inline
 */
export type EmitIntakeMetrics = (intake: IntakeMetrics, table: string) => void;

/** Metrics of a batch in which there was something to do. */
export function emitIntakeMetrics(intake: IntakeMetrics, table: string, level: MetricsLevel): void {
  write(level, {
    dimensions: { Table: table },
    counts: {
      Indexed: intake.indexed,
      Repaired: intake.repaired,
      UnknownQueue: intake.unknownQueue,
      // One metric and its alarm for both: in either case no run attempts the record, and people have to look at it.
      Refused: intake.quarantined + intake.refused,
      Redelivered: intake.redelivered,
      NotIndexed: intake.notIndexed,
      Unprocessed: intake.unprocessed,
    },
  });
}

/** The monitor's values of a queue. Unknown ones are left out. */
export interface QueueGauges {
  /** The lateness of the record that is due for longest, in the backlog's seconds; 0 if none is due. */
  readonly oldestDueAge: number;
  /** Time for which records have failed without recovery; 0: they have recovered lately. Undefined: nothing to say. */
  readonly failingSeconds?: number | undefined;
  /** Records that wait for an attempt, now or later. */
  readonly waiting?: number | undefined;
  /** The number of them that are due. Unknown for a progressive queue, whose tiers say when. */
  readonly due?: number | undefined;
  /** The number of waiting records that have failed, about. */
  readonly inRetry?: number | undefined;
  /** Records that were given up, and are still in the index. */
  readonly dead?: number | undefined;
}

/** Metrics of what waits in a queue. */
export function emitGauges(
  { oldestDueAge, failingSeconds, waiting, due, inRetry, dead }: QueueGauges,
  { table, queue }: { table: string; queue: string },
  level: MetricsLevel,
): void {
  write(level, {
    dimensions: { Table: table, Queue: queue },
    counts: { Waiting: waiting, Due: due, InRetry: inRetry, DeadRecords: dead },
    seconds: { OldestDueAge: oldestDueAge, FailingSeconds: failingSeconds },
  });
}

/** Waiting records of one key of a queue, estimated if not all were read. */
export interface KeyGauges {
  /** The key, as a dimension has it. */
  readonly dimension: string;
  /** Records that wait for an attempt, now or later. */
  readonly waiting: number;
  /** Waiting records that have failed. */
  readonly inRetry: number;
}

/** Metrics of the worst keys of a queue, each on a line of its own, and of the most that any one key has. */
export function emitKeyGauges(
  { worst, most }: { readonly worst: readonly KeyGauges[]; readonly most: Omit<KeyGauges, 'dimension'> },
  { table, queue }: { table: string; queue: string },
  level: MetricsLevel,
): void {
  const emit = (dimensions: Record<string, string>, { waiting, inRetry }: Omit<KeyGauges, 'dimension'>) =>
    write(level, { dimensions, counts: { KeyWaiting: waiting, KeyInRetry: inRetry } });
  emit({ Table: table, Queue: queue }, most);
  for (const { dimension: Key, ...gauges } of worst) emit({ Table: table, Queue: queue, Key }, gauges);
}

/** Ages of a queue that few have: of the record that waits longest for its end from outside, of the line that is held for longest. */
export type QueueAge = 'OldestPending' | 'OldestHeldAge';

/** An age of a queue, in seconds. */
export function emitAge(
  name: QueueAge,
  seconds: number,
  { table, queue }: { table: string; queue: string },
  level: MetricsLevel,
): void {
  write(level, { dimensions: { Table: table, Queue: queue }, seconds: { [name]: seconds } });
}

/** The greatest values of all queues without alarms of their own. */
export interface TableGauges {
  readonly oldestDueAge: number;
  /** Undefined: no queue has anything to say. */
  readonly failingSeconds: number | undefined;
  /** The longest time for which a line is held; 0: none is. */
  readonly oldestHeldAge: number;
}

/** Metrics by the table alone. */
export function emitTableGauges(gauges: TableGauges, table: string, level: MetricsLevel): void {
  const { oldestDueAge: OldestDueAge, failingSeconds: FailingSeconds, oldestHeldAge: OldestHeldAge } = gauges;
  write(level, { dimensions: { Table: table }, seconds: { OldestDueAge, FailingSeconds, OldestHeldAge } });
}

/** The number of the intake's event source mappings that are disabled or do not work. */
export function emitSourcesStopped(count: number, table: string, level: MetricsLevel): void {
  write(level, { dimensions: { Table: table }, counts: { SourcesStopped: count } });
}

/** The number of records that wait in queues which no function serves any more. */
export function emitRemovedQueues(count: number, table: string, level: MetricsLevel): void {
  write(level, { dimensions: { Table: table }, counts: { RemovedQueueWaiting: count } });
}
