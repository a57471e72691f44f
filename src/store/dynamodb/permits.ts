import type { Permits } from '../store.js';
import { and, Expressions, or } from './expressions.js';
import { queueKey } from './queue-key.js';
import type { Table } from './table.js';

/** Others take turns meanwhile. */
const MAX_TRIES = 10;
/** No run takes turns that come later than its end, which is a quarter of an hour away at the most. */
const LONGEST_AHEAD_MS = 3_600_000;

/** The turns of queues with a pace: where the last one that was taken ends, in the queue's item. */
export class DynamoDbPermits {
  constructor(private readonly table: Table) {}

  async take(queue: string, turns: Permits): Promise<number | undefined> {
    const { count, intervalMs, now, latest } = turns;
    const lengthMs = count * intervalMs;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.begin(queue, now, lengthMs, intervalMs)) return now;
      const behind = await this.append(queue, lengthMs, now, latest);
      if (behind.first !== undefined) return behind.first;
      if (latest !== undefined && behind.nextTurn !== undefined && behind.nextTurn > latest) return undefined;
    }
    return undefined;
  }

  /** No run has a turn that is still to come, or the stored turn is invalid. */
  private async begin(queue: string, now: number, lengthMs: number, intervalMs: number): Promise<boolean> {
    const expressions = new Expressions();
    const nextTurn = expressions.name('nextTurn');
    const condition = or(
      expressions.absent('nextTurn'),
      `${nextTurn} <= ${expressions.value(now)}`,
      `NOT attribute_type(${nextTurn}, ${expressions.value('N')})`,
      `${nextTurn} > ${expressions.value(now + LONGEST_AHEAD_MS + 2 * Math.max(lengthMs, intervalMs))}`,
    );
    const update = expressions.update({ nextTurn: now + lengthMs }, [], condition);
    return (await this.table.update(queueKey(queue), update)).written;
  }

  private async append(queue: string, lengthMs: number, now: number, latest: number | undefined) {
    const expressions = new Expressions();
    const nextTurn = expressions.name('nextTurn');
    const clauses = [
      `${nextTurn} > ${expressions.value(now)}`,
      ...(latest === undefined ? [] : [`${nextTurn} <= ${expressions.value(latest)}`]),
    ];
    const answer = await this.table.update(
      queueKey(queue),
      {
        UpdateExpression: `SET ${nextTurn} = ${nextTurn} + ${expressions.value(lengthMs)}`,
        ConditionExpression: and(...clauses),
        ...expressions.placeholders(),
      },
      true,
      true,
    );
    if (answer.written) return { first: Number(answer.item.nextTurn) - lengthMs };
    const stored = answer.inTheWay?.nextTurn?.N;
    return { nextTurn: stored === undefined ? undefined : Number(stored) };
  }
}
