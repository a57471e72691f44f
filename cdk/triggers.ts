import type { Rule } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue as SqsQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { BacklogProps } from './props.js';
import { addRules } from './rules.js';
import { addSchedules } from './schedules.js';
import type { Tick } from './tick.js';

/** What starts the functions: rules or schedules, and never both. */
export interface Triggers {
  readonly rules: readonly Rule[];
  readonly schedules: readonly CfnSchedule[];
  /** What the schedules could not deliver; rules have the dead-letter queue for events. */
  readonly scheduleDeadLetters: SqsQueue | undefined;
}

export function addTriggers(
  scope: Construct,
  ticks: readonly Tick[],
  {
    trigger,
    timeZone,
    eventDlq,
    key,
  }: Pick<BacklogProps, 'trigger'> & {
    readonly timeZone?: string | undefined;
    readonly eventDlq: SqsQueue;
    readonly key: IKey | undefined;
  },
): Triggers {
  if (trigger !== 'scheduler') {
    return { rules: addRules(scope, ticks, eventDlq), schedules: [], scheduleDeadLetters: undefined };
  }
  const { deadLetters, schedules } = addSchedules(scope, 'Schedules', ticks, { timeZone, key });
  return { rules: [], schedules, scheduleDeadLetters: deadLetters };
}
