/**
 * The construct `Backlog` and its props, for CDK apps.
 *
 * @packageDocumentation
 */
export type { Answers } from '../src/delivery/settings.js';
export type { RetryPolicy, Tier } from '../src/policies/index.js';
export { Backlog } from './backlog.js';
export type { WorkEnvironmentOptions } from './functions/work-environment.js';
export type { AlarmActions, QueueAlarms } from './props/alarm-props.js';
export type { BacklogProps } from './props/backlog-props.js';
export type { CompletionUrlProps } from './props/completion-url-props.js';
export type { DeliveryProps, HeaderSecret } from './props/delivery-props.js';
export type { EntryFunctionProps, FunctionProps } from './props/function-props.js';
export type { IntakeProps } from './props/intake-props.js';
export type { HistoryProps, ProgressiveProps, QueueProps, TierProps } from './props/queue-props.js';
export type { QueueEventsProps, RecordEventsProps } from './props/record-events-props.js';
export type { RecurringProps } from './props/recurring-props.js';
export type { ISharedBacklog } from './props/shared-parts.js';
export type { WorkerProps } from './props/worker-props.js';
export type { BacklogAttributes, StackAttributes } from './sharing/backlog-attributes.js';
export type { AddQueueOptions, IBacklog } from './sharing/backlog-base.js';
export type { GrantInsertOptions } from './sharing/grant-insert.js';
export type { GrantRecurringOptions } from './sharing/grant-recurring.js';
