import type { Item } from '../../record/index.js';
import type { QueueState, TierRun, WayState } from '../store.js';
import { parseBreakers } from './breakers.js';
import { and, Expressions, or } from './expressions.js';
import { queueKey } from './queue-key.js';
import type { Table } from './table.js';

/**
 * One item per queue in the control table.
 *
 *     key              queue#<name>
 *     paused           true while an operator has stopped it
 *     pausedAt         since when, ISO-8601
 *     way, waySince    how it retries, and since when (real time, epoch milliseconds)
 *     tiers            by the tier's number: { at, complete } of the last run
 *     breakers         by destination, of those that are not closed: { until, since, token } (the backlog's time)
 *     slots            by run: { count, onArrival, until } of its attempts under way, where the queue has a limit for all
 *     slotsTaken       how many these are together, and
 *     slotsOnArrival   of runs on arrivals
 *     nextTurn         when the next attempt of a queue with a pace may start (real time, epoch milliseconds)
 */
export class DynamoDbQueues {
  constructor(private readonly table: Table) {}

  async read(queue: string): Promise<QueueState> {
    return parseQueueState(await this.table.get(queueKey(queue)));
  }

  async setWay(queue: string, next: WayState, read: WayState | undefined): Promise<boolean> {
    const expressions = new Expressions();
    const isWay = ({ way, since }: WayState) =>
      and(expressions.equal('way', way), expressions.equal('waySince', since));
    const asRead = read ? isWay(read) : expressions.absent('way');
    const doneAlready = isWay(next);
    const set = { way: next.way, waySince: next.since };
    const answer = await this.table.update(
      queueKey(queue),
      expressions.update(set, [], or(asRead, doneAlready)),
    );
    return answer.written;
  }

  async recordTierRun(queue: string, tier: string, run: TierRun): Promise<void> {
    if (await this.writeTier(queue, tier, run)) return;
    await this.createTiers(queue);
    await this.writeTier(queue, tier, run);
  }

  /** A path below a map can only be written once the map is there. */
  private async writeTier(queue: string, tier: string, { at, complete }: TierRun): Promise<boolean> {
    const expressions = new Expressions();
    const path = `${expressions.name('tiers')}.${expressions.name(tier)}`;
    const answer = await this.table.update(queueKey(queue), {
      UpdateExpression: `SET ${path} = ${expressions.value({ at, complete })}`,
      ConditionExpression: expressions.exists('tiers'),
      ...expressions.placeholders(),
    });
    return answer.written;
  }

  private async createTiers(queue: string): Promise<void> {
    const expressions = new Expressions();
    const absent = expressions.absent('tiers');
    await this.table.update(queueKey(queue), expressions.update({ tiers: {} }, [], absent));
  }
}

export function parseQueueState(item: Item | undefined): QueueState {
  const { paused, pausedAt, way, waySince, tiers, breakers } = item ?? {};
  return {
    paused: paused === true,
    ...(paused === true && typeof pausedAt === 'string' ? { pausedAt } : {}),
    way: way === 'retry' || way === 'progressive' ? { way, since: Number(waySince ?? 0) } : undefined,
    tiers: new Map(Object.entries(tiers ?? {}).map(([tier, run]) => [tier, parseTierRun(run)])),
    breakers: parseBreakers(breakers),
  };
}

function parseTierRun(run: unknown): TierRun {
  const { at, complete } = (run ?? {}) as { at?: unknown; complete?: unknown };
  return { at: Number(at ?? 0), complete: complete === true };
}
