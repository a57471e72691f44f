import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { MetricsLevel } from '../../functions/metrics-level.js';
import type { QueueFunction } from '../functions/workers.js';
import type { Queue } from '../props/queue.js';
import type { Tick } from '../triggers/tick.js';

/** The parts of a backlog that alarms and the dashboard watch. */
export interface Watched {
  readonly tableName: string;
  readonly controlTableName: string;
  readonly queues: readonly Queue[];
  readonly metrics: MetricsLevel;
  /** The functions of the queues, each once. */
  readonly functions: readonly WatchedFunction[];
  /** Log groups of the functions that attempt records, as far as they are made here. */
  readonly logGroups: readonly ILogGroup[];
  readonly monitorLogs: ILogGroup | undefined;
  readonly eventDlq: IQueue;
  readonly scheduleDeadLetters: IQueue | undefined;
  readonly intake: IFunction | undefined;
  readonly sweep: IFunction | undefined;
  readonly recordEvents: IFunction | undefined;
  /** That function tells others of ends. */
  readonly sendsEvents: boolean;
  /** That function counts the members of groups. */
  readonly countsGroups: boolean;
  readonly monitor: IFunction | undefined;
  readonly completionFunction: IFunction | undefined;
}

/** The parts that a Backlog has made and that are watched. */
export type Made = Pick<
  Watched,
  'eventDlq' | 'scheduleDeadLetters' | 'intake' | 'sweep' | 'recordEvents' | 'monitor' | 'completionFunction'
> & {
  readonly table: { readonly tableName: string };
  readonly controlTable: { readonly tableName: string };
};

export function watchedIn(
  backlog: Made,
  {
    assigned,
    ticks,
    ...known
  }: Pick<Watched, 'queues' | 'metrics' | 'sendsEvents' | 'countsGroups'> & {
    readonly assigned: readonly QueueFunction[];
    readonly ticks: readonly Tick[];
  },
): Watched {
  const { eventDlq, scheduleDeadLetters, intake, sweep, recordEvents, monitor, completionFunction } = backlog;
  return {
    ...known,
    ...{ eventDlq, scheduleDeadLetters, intake, sweep, recordEvents, monitor, completionFunction },
    tableName: backlog.table.tableName,
    controlTableName: backlog.controlTable.tableName,
    functions: watchedFunctions(assigned, ticks),
    logGroups: [...new Set(assigned.flatMap(({ worker }) => worker.logGroup ?? []))],
    monitorLogs: logGroupOf(monitor),
  };
}

/** A function with how often it is started. */
export interface WatchedFunction {
  readonly name: string;
  readonly lambda: IFunction;
  /** Seconds between two starts by the most frequent of its rules; undefined: no rule of it is enabled. */
  readonly every: number | undefined;
  readonly timeoutSeconds: number;
}

/** The log group beside a function that is made here. A function of the user's own is not asked, as CDK would make one. */
function logGroupOf(lambda: IFunction | undefined): ILogGroup | undefined {
  const found = lambda?.node.scope?.node.tryFindChild('Logs');
  return found instanceof LogGroup ? found : undefined;
}

/** Each function once, with its most frequent rule. */
function watchedFunctions(assigned: readonly QueueFunction[], ticks: readonly Tick[]): WatchedFunction[] {
  const byName = new Map(assigned.map(({ worker }) => [worker.name, worker]));
  return [...byName.values()].map(({ name, lambda, timeoutSeconds }) => {
    const enabled = ticks.filter((tick) => tick.lambda === lambda && tick.enabled);
    return {
      name,
      lambda,
      timeoutSeconds,
      every: enabled.length === 0 ? undefined : Math.min(...enabled.map(({ every }) => every)),
    };
  });
}
