import { age } from 'dynamo-backlog/engine';
import type { RuntimeStatus } from './status.js';

/** Two programs that read the same clock one after the other differ by less. */
const SAME_TIME_MS = 5_000;

/**
 * Says by how much producers outside of the runtime are off: they stamp real time, so delays, dates and ages of their
 * records are wrong by the difference.
 *
 * @returns undefined while the backlog's time is the real one
 */
export function otherClocks({
  aheadMs = 0,
  speed,
}: Pick<RuntimeStatus, 'aheadMs' | 'speed'>): string | undefined {
  if (speed === 1 && Math.abs(aheadMs) < SAME_TIME_MS) return undefined;
  return `your programs stamp real time: their delays are off by ${age(Math.abs(aheadMs))}`;
}
