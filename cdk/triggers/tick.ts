import type { Rule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { BacklogEvent } from '../../functions/event.js';

/** Ticks of a function, each with rules of its own: a rule adds about 450 bytes to the function's policy, which holds 20 KB. */
export const MAX_TICKS = 40;

/** The full minutes of the clock. */
export const EACH_FULL_MINUTE = 'cron(* * * * ? *)';

/** A repeated start of a function. A rule or a schedule is made of it. */
export interface Tick {
  readonly scope: Construct;
  /** The id of the construct; unique in its scope. */
  readonly id: string;
  readonly description: string;
  /** Seconds between two starts. */
  readonly every: number;
  /** Each start is at a full minute, `every` being one. Default: a minute after the one before, whenever the first was. */
  readonly isAtFullMinute?: boolean | undefined;
  readonly enabled: boolean;
  readonly lambda: IFunction;
  /** Constant events, each an invocation of its own. */
  readonly events: readonly (BacklogEvent | QueuesEvent | SweepEvent | MonitorEvent)[];
}

/** Several queues whose turns come together, with their weights. The rest is the same for all of them. */
export interface QueuesEvent extends Pick<BacklogEvent, 'tier' | 'catchUp' | 'part'> {
  readonly queues: Readonly<Record<string, number>>;
}

/** The event of the sweep. It says no more than why the function was started. */
export interface SweepEvent {
  readonly sweep: true;
}

/** The event of the monitor. It says no more than why the function was started. */
export interface MonitorEvent {
  readonly monitor: true;
}

/** The rules or the schedules that start the functions, never both. */
export interface Triggers {
  readonly rules: readonly Rule[];
  readonly schedules: readonly CfnSchedule[];
  /** The queue for events that the schedules could not deliver; rules have the dead-letter queue for events. */
  readonly scheduleDeadLetters: SqsQueue | undefined;
}
