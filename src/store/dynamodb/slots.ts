import { isDeepStrictEqual } from 'node:util';
import { countSlots, mostOnArrival, type Slots, slotsFor } from '../slots.js';
import type { LostRun, SlotStore, SlotsAsk } from '../store.js';
import { isTimeUntil, LAST_TIME, queueKey } from './control-values.js';
import { and, Expressions } from './expressions.js';
import { MAX_LEASE_MS } from './lease-item.js';
import type { Table } from './table.js';

/** Writes that are tried: other runs change the slots meanwhile. A run that was never quick enough asks again. */
const MAX_TRIES = 6;

interface StoredSlots {
  readonly slots: ReadonlyMap<string, Slots>;
  /** The attributes as they are stored, valid or not. */
  readonly raw: { readonly slots: unknown; readonly slotsTaken: unknown; readonly slotsOnArrival: unknown };
}

/**
 * Attempts that the runs of a queue may have under way at a time, in the queue's item: `slots` by run, and how many
 * these are together, in `slotsTaken` and `slotsOnArrival`. By these one conditional write is enough to take some, and
 * runs that take some at the same time are not in each other's way.
 */
export class DynamoDbSlots implements SlotStore {
  constructor(private readonly table: Table) {}

  async take(queue: string, ask: SlotsAsk): Promise<number> {
    const { has = 0 } = ask;
    let count = Math.min(ask.wanted, ask.most, ask.onArrival ? mostOnArrival(ask) : ask.most);
    for (let tries = 0; tries < MAX_TRIES && count > has; tries++) {
      if (tries > 1) await this.table.backOff(tries);
      if (await this.add(queue, ask, count)) return count;
      const stored = await this.read(queue, ask.now + MAX_LEASE_MS);
      // The answer to a first try was lost, and the client has repeated it; or what the run has ran out.
      const own = stored.slots.get(ask.run)?.count ?? 0;
      if (own !== has) return own;
      if (!isConsistent(stored)) await this.repair(queue, stored);
      for (const [run, slots] of stored.slots)
        if (slots.until < ask.now) await this.remove(queue, run, slots);
      count = slotsFor(stored.slots, ask);
    }
    return has;
  }

  /** Renews slots. False: the run has none any more. A request that arrives late does not shorten them. */
  async renew(queue: string, run: string, until: number): Promise<boolean> {
    const expressions = new Expressions();
    const path = `${runPath(expressions, run)}.${expressions.name('until')}`;
    const { written } = await this.table.update(queueKey(queue), {
      UpdateExpression: `SET ${path} = ${expressions.value(until)}`,
      ConditionExpression: `${path} <= ${expressions.value(until)}`,
      ...expressions.placeholders(),
    });
    return written || (await this.read(queue, until + MAX_LEASE_MS)).slots.has(run);
  }

  /** Gives slots back, whatever their end is: a renewal may have been under way. */
  release(
    queue: string,
    run: string,
    { count, onArrival }: Pick<Slots, 'count' | 'onArrival'>,
  ): Promise<void> {
    return this.remove(queue, run, { count, onArrival });
  }

  /** Makes one read for all queues, and one write for each in which the run has slots. */
  async end(queues: readonly string[], { holderPrefix }: LostRun): Promise<number> {
    const items = await this.table.getMany(queues.map(queueKey));
    const its = queues.flatMap((queue) =>
      [...parseSlots(items.get(queueKey(queue))?.slots, LAST_TIME)]
        .filter(([run]) => run.startsWith(holderPrefix))
        .map(([run, slots]) => ({ queue, run, slots })),
    );
    await Promise.all(its.map(({ queue, run, slots }) => this.release(queue, run, slots)));
    return its.length;
  }

  /** @param count slots that the run is to have in all */
  private async add(queue: string, ask: SlotsAsk, count: number): Promise<boolean> {
    const { run, onArrival, until, has = 0 } = ask;
    const expressions = new Expressions();
    const path = runPath(expressions, run);
    const [taken, taken2] = [expressions.name('slotsTaken'), expressions.name('slotsOnArrival')];
    const more = count - has;
    // A sum below 0 is damaged: it would let too many runs in.
    const isFrom0To = (sum: string, most: number) =>
      `${sum} BETWEEN ${expressions.value(0)} AND ${expressions.value(most)}`;
    const hasRoom = and(
      `attribute_type(${expressions.name('slots')}, ${expressions.value('M')})`,
      has > 0
        ? `${path}.${expressions.name('count')} = ${expressions.value(has)}`
        : `attribute_not_exists(${path})`,
      isFrom0To(taken, ask.most - more),
      onArrival
        ? isFrom0To(taken2, mostOnArrival(ask) - more)
        : `attribute_type(${taken2}, ${expressions.value('N')})`,
    );
    // A request that arrives late shortens nothing.
    const own =
      has > 0
        ? `${path}.${expressions.name('count')} = ${expressions.value(count)}`
        : `${path} = ${expressions.value({ count, onArrival, until })}`;
    const sums = [
      `${taken} = ${taken} + ${expressions.value(more)}`,
      `${taken2} = ${taken2} + ${expressions.value(onArrival ? more : 0)}`,
    ];
    const { written } = await this.table.update(queueKey(queue), {
      UpdateExpression: `SET ${own}, ${sums.join(', ')}`,
      ConditionExpression: hasRoom,
      ...expressions.placeholders(),
    });
    return written;
  }

  /** Removes the slots of a run while it still has as many: another process that removes them counts them, too. */
  private async remove(
    queue: string,
    run: string,
    { count, onArrival, until }: Pick<Slots, 'count' | 'onArrival'> & { readonly until?: number },
  ): Promise<void> {
    const expressions = new Expressions();
    const path = runPath(expressions, run);
    const [taken, taken2] = [expressions.name('slotsTaken'), expressions.name('slotsOnArrival')];
    const sums = [
      `${taken} = ${taken} - ${expressions.value(count)}`,
      `${taken2} = ${taken2} - ${expressions.value(onArrival ? count : 0)}`,
    ];
    const isSame = `${path}.${expressions.name('count')} = ${expressions.value(count)}`;
    const isLost =
      until === undefined ? [] : [`${path}.${expressions.name('until')} = ${expressions.value(until)}`];
    await this.table.update(queueKey(queue), {
      UpdateExpression: `SET ${sums.join(', ')} REMOVE ${path}`,
      ConditionExpression: and(
        isSame,
        ...isLost,
        `attribute_exists(${taken})`,
        `attribute_exists(${taken2})`,
      ),
      ...expressions.placeholders(),
    });
  }

  /** Writes the attributes of the slots: for the first run of a queue, or where another program has written them. */
  private async repair(queue: string, { slots, raw }: StoredSlots): Promise<void> {
    const expressions = new Expressions();
    const { slotsTaken: sum } = raw;
    // A run that comes or goes meanwhile changes the sum, if the sum is a number.
    const asRead =
      typeof sum === 'number'
        ? expressions.equal('slotsTaken', sum)
        : `NOT attribute_type(${expressions.name('slotsTaken')}, ${expressions.value('N')})`;
    const { all, onArrival } = countSlots(slots.values());
    const set = { slots: Object.fromEntries(slots), slotsTaken: all, slotsOnArrival: onArrival };
    await this.table.update(queueKey(queue), expressions.update(set, [], asRead));
  }

  private async read(queue: string, latest: number): Promise<StoredSlots> {
    const { slots, slotsTaken, slotsOnArrival } = (await this.table.get(queueKey(queue))) ?? {};
    return { slots: parseSlots(slots, latest), raw: { slots, slotsTaken, slotsOnArrival } };
  }
}

function runPath(expressions: Expressions, run: string): string {
  return `${expressions.name('slots')}.${expressions.name(run)}`;
}

function isConsistent({ slots, raw }: StoredSlots): boolean {
  const { all, onArrival } = countSlots(slots.values());
  return (
    raw.slotsTaken === all &&
    raw.slotsOnArrival === onArrival &&
    isDeepStrictEqual(raw.slots, Object.fromEntries(slots))
  );
}

/** Reads the slots. Those that no run can have taken are left out: they would never expire. */
function parseSlots(stored: unknown, latest: number): ReadonlyMap<string, Slots> {
  if (typeof stored !== 'object' || stored === null) return new Map();
  return new Map(
    Object.entries(stored).filter((entry): entry is [string, Slots] => isSlots(entry[1], latest)),
  );
}

function isSlots(stored: unknown, latest: number): stored is Slots {
  const { count = 0, onArrival, until } = (stored ?? {}) as Partial<Slots>;
  return (
    Number.isSafeInteger(count) && count > 0 && typeof onArrival === 'boolean' && isTimeUntil(until, latest)
  );
}
