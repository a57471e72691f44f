import type { PermitStore, Permits } from '../store.js';
import { queueKey } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import type { Table } from './table.js';

/** Writes that are tried: other runs acquire permits meanwhile. */
const MAX_TRIES = 10;
/** A stored time further ahead is invalid. No run acquires permits beyond its end, a quarter of an hour away at the most. */
const MAX_AHEAD_MS = 3_600_000;

/** Time for which the item of a key is kept after the end of its last permit. */
const KEPT_MS = 3_600_000;

/**
 * The permits of queues with a rate limit, and of keys. The end of the last one that was acquired is in the queue's item, or in
 * an item of the key:
 *
 *     key         pace#<queue>#<short name of the key>
 *     nextPermit  real time, epoch milliseconds
 *     expiresAt   epoch seconds: keys come and go, and nothing else removes their items
 */
export class DynamoDbPermits implements PermitStore {
  constructor(private readonly table: Table) {}

  async acquire(queue: string, permits: Permits): Promise<number | undefined> {
    const { count, intervalMs, now, latest } = permits;
    if (latest !== undefined && now > latest) return undefined;
    const lengthMs = count * intervalMs;
    const item = itemOf(queue, permits);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.begin(item, now, lengthMs, intervalMs)) return now;
      const behind = await this.append(item, lengthMs, now, latest);
      if (behind.first !== undefined) return behind.first;
      if (latest !== undefined && behind.stored > latest) return undefined;
    }
    return undefined;
  }

  /** Acquires permits from now on, if no run has one that is still to come, or the stored time is invalid. */
  private async begin(item: Item, now: number, lengthMs: number, intervalMs: number): Promise<boolean> {
    const expressions = new Expressions();
    const nextPermit = expressions.name('nextPermit');
    const condition = or(
      expressions.absent('nextPermit'),
      `${nextPermit} <= ${expressions.value(now)}`,
      `NOT attribute_type(${nextPermit}, ${expressions.value('N')})`,
      `${nextPermit} > ${expressions.value(now + MAX_AHEAD_MS + 2 * Math.max(lengthMs, intervalMs))}`,
    );
    const update = expressions.update(
      { nextPermit: now + lengthMs, expiresAt: item.expiresAt },
      [],
      condition,
    );
    return (await this.table.update(item.key, update)).written;
  }

  private async append(item: Item, lengthMs: number, now: number, latest: number | undefined) {
    const expressions = new Expressions();
    const nextPermit = expressions.name('nextPermit');
    const assignments = [
      `${nextPermit} = ${nextPermit} + ${expressions.value(lengthMs)}`,
      ...(item.expiresAt === undefined ? [] : [expressions.equal('expiresAt', item.expiresAt)]),
    ];
    const clauses = [
      `${nextPermit} > ${expressions.value(now)}`,
      ...(latest === undefined ? [] : [`${nextPermit} <= ${expressions.value(latest)}`]),
    ];
    const answer = await this.table.update(
      item.key,
      {
        UpdateExpression: `SET ${assignments.join(', ')}`,
        ConditionExpression: and(...clauses),
        ...expressions.placeholders(),
      },
      true,
      true,
    );
    if (answer.written) return { first: Number(answer.item.nextPermit) - lengthMs };
    // NaN if DynamoDB did not return the item: that is not later than any time.
    return { stored: Number(answer.inTheWay?.nextPermit?.N) };
  }
}

/** The item with the next permit. */
interface Item {
  readonly key: string;
  /** Undefined: it stays, as it is the queue's. */
  readonly expiresAt: number | undefined;
}

function itemOf(queue: string, { key, count, intervalMs, now, latest = now }: Permits): Item {
  if (key === undefined) return { key: queueKey(queue), expiresAt: undefined };
  const end = Math.max(now, latest) + count * intervalMs;
  return { key: `pace#${queue}#${key}`, expiresAt: Math.ceil((end + KEPT_MS) / 1000) };
}
