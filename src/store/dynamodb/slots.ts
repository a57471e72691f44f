import { StoreThrottledError } from '../errors.js';
import { type Slots, slotsFor } from '../slots.js';
import type { SlotsAsk } from '../store.js';
import { Expressions } from './expressions.js';
import { queueKey } from './queue-key.js';
import type { Table } from './table.js';

/** Others come and go meanwhile. */
const MAX_TRIES = 10;

/**
 * Attempts that the runs of a queue may have under way at a time, in the queue's item: `slots` by run, and
 * `slotsRev`, new at every change.
 */
export class DynamoDbSlots {
  constructor(private readonly table: Table) {}

  async take(queue: string, ask: SlotsAsk): Promise<number> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = await this.table.get(queueKey(queue));
      const taken = parseSlots(item?.slots);
      const count = slotsFor(taken, ask);
      if (count === 0) return 0;
      const current = [...taken].filter(([run, { until }]) => run !== ask.run && until >= ask.now);
      const { onArrival, until } = ask;
      const next = { ...Object.fromEntries(current), [ask.run]: { count, onArrival, until } };
      if (await this.write(queue, next, item?.slotsRev)) return count;
    }
    throw new StoreThrottledError(`queue ${queue}: too many runs ask for attempts at the same time`);
  }

  async release(queue: string, run: string): Promise<void> {
    const expressions = new Expressions();
    const path = `${expressions.name('slots')}.${expressions.name(run)}`;
    const rev = expressions.name('slotsRev');
    await this.table.update(queueKey(queue), {
      UpdateExpression: `SET ${rev} = ${rev} + ${expressions.value(1)} REMOVE ${path}`,
      ConditionExpression: `attribute_exists(${path})`,
      ...expressions.placeholders(),
    });
  }

  private async write(queue: string, slots: Record<string, Slots>, read: unknown): Promise<boolean> {
    const expressions = new Expressions();
    const isAsRead =
      read === undefined ? expressions.absent('slotsRev') : expressions.equal('slotsRev', read);
    const update = expressions.update({ slots, slotsRev: Number(read ?? 0) + 1 }, [], isAsRead);
    return (await this.table.update(queueKey(queue), update)).written;
  }
}

function parseSlots(stored: unknown): ReadonlyMap<string, Slots> {
  if (typeof stored !== 'object' || stored === null) return new Map();
  return new Map(Object.entries(stored as Record<string, Slots>));
}
