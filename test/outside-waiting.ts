import { digest } from '../src/record/completion-token.js';
import { toAttributeValue } from '../src/store/dynamodb/attribute-values.js';
import { isOnDynamoDbLocal } from './store/test-store.js';

type Item = Readonly<Record<string, unknown>>;

const FOR_TEST = isOnDynamoDbLocal ? 'dynamodb' : 'memory';

/** The token of the attempt of `outsideWaiting`. A store in memory has the values of an item as they are. */
export function waitingToken(item: Item, store: 'memory' | 'dynamodb' = FOR_TEST): string {
  const stored = (value: unknown) =>
    store === 'memory' || value === undefined ? value : toAttributeValue(value);
  const work = digest([item.payload, item.queue, item.task].map(stored), 16);
  return `1.${'t0ken'.repeat(4)}aB.${work}.${digest([item.rev], 8)}`;
}

/** An item as a run leaves it whose attempt ended as `Pending`: it waits for its end from outside until then. */
export function outsideWaiting<Given extends Item>(item: Given, until: string, more: Item = {}) {
  const pending = { token: waitingToken(item), timeout: 172_800, reason: 'waits for approval', ...more };
  return { ...item, dueAt: until, notBefore: { until, pending } };
}
