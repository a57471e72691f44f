export type { RetryPolicy, Tier } from '../src/policies/index.js';
export { Backlog } from './backlog.js';
export type { GrantInsertOptions } from './grant-insert.js';
export type { BacklogProps, HistoryProps, ProgressiveProps, QueueProps } from './props.js';
