/**
 * For CDK apps: the construct `Backlog` and its props.
 *
 * @packageDocumentation
 */
export type { Answers } from '../src/delivery/settings.js';
export type { RetryPolicy, Tier } from '../src/policies/index.js';
export type { AlarmActions, FailureAlarm, QueueAlarms } from './alarm-props.js';
export { Backlog } from './backlog.js';
export type { BacklogAttributes, StackAttributes } from './backlog-attributes.js';
export type { AddQueueOptions, IBacklog } from './backlog-base.js';
export type { DeliveryProps, HeaderSecret } from './delivery-props.js';
export type { EntryFunctionProps, FunctionProps } from './function-props.js';
export type { GrantInsertOptions } from './grant-insert.js';
export type { IntakeProps } from './intake-props.js';
export type { BacklogProps } from './props.js';
export type { HistoryProps, ProgressiveProps, QueueProps, TierProps } from './queue-props.js';
export type { ISharedBacklog } from './shared-parts.js';
export type { WorkEnvironmentOptions } from './work-environment.js';
export type { WorkerProps } from './worker-props.js';
