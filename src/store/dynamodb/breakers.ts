import { MAX_OPEN_BREAKERS } from '../buckets.js';
import type { BreakerState, BreakerStore } from '../store.js';
import { parseBreakers } from './breaker-states.js';
import { isMap, queueKey } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import type { Table } from './table.js';

/** The breakers that are not closed, in their queue's item, which every page reads. */
export class DynamoDbBreakers implements BreakerStore {
  constructor(private readonly table: Table) {}

  async set(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    if (await this.write(queue, destination, next, read)) return true;
    if (read !== undefined || next === undefined) return false;
    const { breakers } = (await this.table.get(queueKey(queue))) ?? {};
    const stored = parseBreakers(breakers);
    if (stored.has(destination) || stored.size >= MAX_OPEN_BREAKERS) return false;
    if (!isMap(breakers)) await this.create(queue);
    return this.write(queue, destination, next, read);
  }

  /** Creates the map of breakers: a path below a map can only be written once the map is there. */
  private async create(queue: string): Promise<void> {
    const expressions = new Expressions();
    const isNone = `NOT ${isMapIn(expressions, expressions.name('breakers'))}`;
    await this.table.update(queueKey(queue), expressions.update({ breakers: {} }, [], isNone));
  }

  private async write(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    const expressions = new Expressions();
    const breakers = expressions.name('breakers');
    const path = `${breakers}.${expressions.name(storedName(destination))}`;
    const token = `${path}.${expressions.name('token')}`;
    // The answer to a first try was lost, and the client has repeated it.
    const isDone = next ? `${token} = ${expressions.value(next.token)}` : `attribute_not_exists(${path})`;
    const isAsRead = read
      ? hasToken(expressions, token, read)
      : `attribute_not_exists(${path}) AND size(${breakers}) < ${expressions.value(MAX_OPEN_BREAKERS)}`;
    const answer = await this.table.update(queueKey(queue), {
      UpdateExpression: next ? `SET ${path} = ${expressions.value(next)}` : `REMOVE ${path}`,
      ConditionExpression: and(isMapIn(expressions, breakers), or(isAsRead, isDone)),
      ...expressions.placeholders(),
    });
    return answer.written;
  }
}

/** The key of a destination. It is never `__proto__`: the SDK could not read an item that has such a key. */
function storedName(destination: string): string {
  return /^(%|__proto__$)/.test(destination) ? `%${destination}` : destination;
}

function isMapIn(expressions: Expressions, path: string): string {
  return `attribute_type(${path}, ${expressions.value('M')})`;
}

/** The condition that a breaker has the token that was read. An invalid token is read as an empty one. */
function hasToken(expressions: Expressions, path: string, { token }: BreakerState): string {
  const isSame = `${path} = ${expressions.value(token)}`;
  return token === '' ? or(isSame, `NOT attribute_type(${path}, ${expressions.value('S')})`) : isSame;
}
