import type { BreakerState } from '../store.js';
import { Expressions, or } from './expressions.js';
import { queueKey } from './queue-key.js';
import type { Table } from './table.js';

/** The item is read with every page: more destinations than these are left in peace by those who find it out only. */
const MAX_OPEN = 50;

/** The breakers that are not closed, in their queue's item. */
export class DynamoDbBreakers {
  constructor(private readonly table: Table) {}

  async set(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    if (await this.write(queue, destination, next, read)) return true;
    if (read !== undefined || next === undefined) return false;
    // A path below a map can only be written once the map is there.
    const expressions = new Expressions();
    const absent = expressions.absent('breakers');
    const { written } = await this.table.update(
      queueKey(queue),
      expressions.update({ breakers: {} }, [], absent),
    );
    return written && this.write(queue, destination, next, read);
  }

  private async write(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    const expressions = new Expressions();
    const breakers = expressions.name('breakers');
    const path = `${breakers}.${expressions.name(destination)}`;
    const token = `${path}.${expressions.name('token')}`;
    // The answer to a first try was lost, and the client has repeated it.
    const isDone = next ? `${token} = ${expressions.value(next.token)}` : `attribute_not_exists(${path})`;
    const isAsRead = read
      ? `${token} = ${expressions.value(read.token)}`
      : `attribute_not_exists(${path}) AND size(${breakers}) < ${expressions.value(MAX_OPEN)}`;
    const answer = await this.table.update(queueKey(queue), {
      UpdateExpression: next ? `SET ${path} = ${expressions.value(next)}` : `REMOVE ${path}`,
      ConditionExpression: `${expressions.exists('breakers')} AND ${or(isAsRead, isDone)}`,
      ...expressions.placeholders(),
    });
    return answer.written;
  }
}

export function parseBreakers(stored: unknown): ReadonlyMap<string, BreakerState> {
  if (typeof stored !== 'object' || stored === null) return new Map();
  return new Map(Object.entries(stored).map(([destination, state]) => [destination, parseState(state)]));
}

function parseState(state: unknown): BreakerState {
  const { until, since, token } = (state ?? {}) as Record<string, unknown>;
  return { until: Number(until ?? 0), since: Number(since ?? 0), token: String(token ?? '') };
}
