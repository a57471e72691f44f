export type { Answer, Answers } from '../src/delivery/settings.js';
export type { RetryPolicy, Tier } from '../src/policies/index.js';
export { Backlog } from './backlog.js';
export type { DeliveryProps, HeaderSecret, SecretField } from './delivery-props.js';
export type { GrantInsertOptions } from './grant-insert.js';
export type { BacklogProps, HistoryProps, ProgressiveProps, QueueProps } from './props.js';
