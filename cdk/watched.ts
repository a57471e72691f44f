import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { MetricsLevel } from '../functions/metrics-level.js';
import type { Queue } from './queue.js';

/** What alarms and the dashboard watch. */
export interface Watched {
  readonly tableName: string;
  readonly controlTableName: string;
  readonly queues: readonly Queue[];
  readonly metrics: MetricsLevel;
  /** Those of the queues, by the name of the function's construct. */
  readonly functions: readonly WatchedFunction[];
  /** Of the functions that attempt records, as far as they are made here. */
  readonly logGroups: readonly ILogGroup[];
  readonly monitorLogs: ILogGroup | undefined;
  readonly eventDlq: IQueue;
  readonly scheduleDeadLetters: IQueue | undefined;
  readonly intake: IFunction | undefined;
  readonly sweep: IFunction | undefined;
  readonly monitor: IFunction | undefined;
}

/** A function with how often it is started. */
export interface WatchedFunction {
  readonly name: string;
  readonly lambda: IFunction;
  /** Seconds between two starts by the most frequent of its rules; undefined: no rule of it is enabled. */
  readonly every: number | undefined;
  readonly timeoutSeconds: number;
}
