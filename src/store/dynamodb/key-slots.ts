import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../support/clock.js';
import { grantedTo, type KeySlots } from '../key-slots.js';
import type { KeySlotStore, KeySlotsAsk, LostRun } from '../store.js';
import { type Attributes, toValue } from './attribute-values.js';
import { isMap, isTimeUntil, LAST_TIME } from './control-values.js';
import { and, Expressions } from './expressions.js';
import { MAX_LEASE_MS } from './lease-item.js';
import type { Table } from './table.js';

/** Writes that are tried: other runs change the slots meanwhile. A run that was never quick enough asks again. */
const MAX_TRIES = 8;
/** The longest of its waits is half a second to one: a run that waits does not attempt records of busy keys. */
const MAX_BACKOFF = 4;

/** The item as it was read or written. */
interface StoredRuns {
  readonly runs: unknown;
  /** The number as it is stored, valid or not; absent with the item. */
  readonly rev: AttributeValue | undefined;
}

/**
 * Slots of keys, by run: one item per queue in the control table, so that a request is one conditional write.
 *
 *     key   keys#<queue>
 *     rev   a number that each write raises, on the condition that it is as it was read
 *     runs  by run: { until (real time, epoch milliseconds), slots ("<short name of a key>:<count>,…") }
 *
 * The item stays when no run has slots. Were it removed, `rev` would begin again, and a write that arrives late could find
 * the number that it was made for.
 */
export class DynamoDbKeySlots implements KeySlotStore {
  /** The items that this process wrote last, by queue. Other runs may have changed them: they are a guess, on condition. */
  private readonly written = new Map<string, StoredRuns>();

  constructor(
    private readonly table: Table,
    private readonly clock: Clock,
  ) {}

  async take(queue: string, ask: KeySlotsAsk): Promise<ReadonlyMap<string, number> | undefined> {
    let stored = this.written.get(queue);
    let isGuess = stored !== undefined;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 1) {
        await this.table.backOff(Math.min(tries - 2, MAX_BACKOFF));
        // Others have written in between.
        stored = undefined;
      }
      stored ??= await this.read(queue);
      let granted = grantedTo(this.parse(stored, ask.now), ask);
      if (!granted.runs && isGuess) {
        stored = await this.read(queue);
        granted = grantedTo(this.parse(stored, ask.now), ask);
      }
      isGuess = false;
      if (!granted.runs) return granted.slots;
      const before = await this.write(queue, stored, granted.runs);
      if (before === 'written') return granted.slots;
      stored = before;
    }
    return undefined;
  }

  /** Needs no other run's slots, so no other run is in its way. */
  async release(queue: string, run: string): Promise<void> {
    const expressions = new Expressions();
    const path = `${expressions.name('runs')}.${expressions.name(run)}`;
    const rev = expressions.name('rev');
    const answer = await this.table.update(
      itemKey(queue),
      {
        UpdateExpression: `SET ${rev} = ${rev} + ${expressions.value(1)} REMOVE ${path}`,
        // A number that cannot be raised is damaged: the next request of a run writes another one.
        ConditionExpression: and(
          `attribute_exists(${path})`,
          `${rev} BETWEEN ${expressions.value(0)} AND ${expressions.value(Number.MAX_SAFE_INTEGER - 1)}`,
        ),
        ...expressions.placeholders(),
      },
      true,
    );
    if (answer.written) this.written.set(queue, storedIn(answer.stored));
  }

  /** Makes one read for all queues, and one write for each run that has slots. */
  async end(queues: readonly string[], { holderPrefix }: LostRun): Promise<number> {
    if (queues.length === 0) return 0;
    const items = await this.table.getMany(queues.map(itemKey));
    const its = queues.map((queue) => {
      const runs = parseRuns(items.get(itemKey(queue))?.runs, LAST_TIME);
      return { queue, runs: [...runs.keys()].filter((run) => run.startsWith(holderPrefix)) };
    });
    await Promise.all(its.flatMap(({ queue, runs }) => runs.map((run) => this.release(queue, run))));
    return its.filter(({ runs }) => runs.length > 0).length;
  }

  /** Writes the runs if the item is as it was read; otherwise returns it as it is, or undefined if that is not known. */
  private async write(
    queue: string,
    { rev: read }: StoredRuns,
    next: ReadonlyMap<string, KeySlots>,
  ): Promise<'written' | StoredRuns | undefined> {
    const expressions = new Expressions();
    const runs = Object.fromEntries([...next].map(([run, slots]) => [run, formatSlots(slots)]));
    const rev = expressions.name('rev');
    const isAsRead = read ? `${rev} = ${expressions.stored(read)}` : expressions.absent('rev');
    const set = { runs, rev: this.revAfter(read) };
    const answer = await this.table.update(itemKey(queue), expressions.update(set, [], isAsRead), true, true);
    if (!answer.written) return answer.inTheWay && storedIn(answer.inTheWay);
    this.written.set(queue, storedIn(answer.stored));
    return 'written';
  }

  /** A number begins at the time: above all those of an item that was removed. */
  private revAfter(read: AttributeValue | undefined): number {
    const rev = Number(read?.N);
    return Number.isSafeInteger(rev + 1) && rev >= 0 ? rev + 1 : this.clock.wall();
  }

  private async read(queue: string): Promise<StoredRuns> {
    return storedIn((await this.table.getStored(itemKey(queue))) ?? {});
  }

  /** A request may be older than the slots that others have by now: their ends are measured by the clock. */
  private parse({ runs }: StoredRuns, now: number): ReadonlyMap<string, KeySlots> {
    return parseRuns(runs, Math.max(now, this.clock.wall()) + MAX_LEASE_MS);
  }
}

function itemKey(queue: string): string {
  return `keys#${queue}`;
}

function storedIn({ runs, rev }: Attributes): StoredRuns {
  return { runs: runs && toValue(runs), rev };
}

function formatSlots({ until, slots }: KeySlots): Record<string, unknown> {
  return { until, slots: [...slots].map(([key, count]) => `${key}:${count}`).join(',') };
}

/** Reads the runs. Slots that no run can have taken are left out: they would never run out. */
function parseRuns(stored: unknown, latest: number): ReadonlyMap<string, KeySlots> {
  const runs = new Map<string, KeySlots>();
  for (const [run, value] of Object.entries(isMap(stored) ? stored : {})) {
    const { until, slots: text } = isMap(value) ? value : {};
    const slots = parseSlots(text);
    // The SDK could not read an item that has a key `__proto__`.
    if (slots.size > 0 && isTimeUntil(until, latest) && run !== '__proto__') runs.set(run, { until, slots });
  }
  return runs;
}

function parseSlots(text: unknown): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  for (const part of typeof text === 'string' ? text.split(',') : []) {
    const [, key, count] = /^([0-9a-z]{1,7}):([1-9]\d{0,8})$/.exec(part) ?? [];
    if (key !== undefined) slots.set(key, Number(count));
  }
  return slots;
}
