import { workDigest } from '../src/record/completion.js';
import type { BacklogRecord } from '../src/record/index.js';

/** The token of the attempt of `outsideWaiting`. */
export const WAITING_TOKEN = `1.${'t0ken'.repeat(4)}aB`;

/** An item as a run leaves it whose attempt ended as `Pending`: it waits for its end from outside until then. */
export function outsideWaiting<Item extends { readonly id: string }>(
  item: Item,
  until: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  const work = workDigest(item as unknown as BacklogRecord);
  const pending = { token: WAITING_TOKEN, timeout: 172_800, work, reason: 'waits for approval', ...more };
  return { ...item, dueAt: until, notBefore: { until, pending } };
}
