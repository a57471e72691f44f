export type { Answer, Answers } from '../src/delivery/settings.js';
export type { RetryPolicy, Tier } from '../src/policies/index.js';
export { Backlog } from './backlog.js';
export type { GrantInsertOptions } from './grant-insert.js';
export type {
  BacklogProps,
  DeliveryProps,
  HeaderSecret,
  ProgressiveProps,
  QueueProps,
  SecretField,
} from './props.js';
