import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../support/clock.js';
import { grantedTo, type KeySlots } from '../key-slots.js';
import type { KeySlotStore, KeySlotsAsk, LostRun } from '../store.js';
import { type Attributes, toValue } from './attribute-values.js';
import { isMap, isTimeUntil } from './control-values.js';
import { Expressions, type Update } from './expressions.js';
import { MAX_LEASE_MS } from './lease-item.js';
import type { ConditionalUpdate, Table } from './table.js';

/** Writes that are tried: other runs change the slots meanwhile. A run that was never quick enough asks again. */
const MAX_TRIES = 8;
/** The longest of its waits is half a second to one: a run that waits does not attempt records of busy keys. */
const MAX_BACKOFF = 4;

/** Above, a number raised by 1 may be the same one. */
const MAX_REV = Number.MAX_SAFE_INTEGER - 1;

/** The item as it was read or written. */
interface StoredRuns {
  readonly runs: unknown;
  /** The number as it is stored, valid or not; absent with the item. */
  readonly rev: AttributeValue | undefined;
}

/** The runs as they are to be. Absent: they stay as they are. */
interface Change {
  readonly runs?: ReadonlyMap<string, KeySlots>;
}

/** The item as this process saw it last, as a guess for the condition of the next write. */
interface Known {
  readonly stored: StoredRuns;
  /** No other process had written before that. Otherwise a read costs less than a write that fails. */
  readonly isQuiet: boolean;
}

/**
 * Slots of keys, by run: one item per queue in the control table, so that a request is one conditional write. Such a write is
 * one unit while the item has less than 1 KB: that is 80 keys of three runs together, or 90 of one.
 *
 *     key   keys#<queue>
 *     rev   a number that each write raises, on the condition that it is as it was read
 *     runs  by run: { until (real time, epoch milliseconds), slots ("<short name of a key>:<count>,…") }
 *
 * A `rev` that is absent or damaged begins at the time, so that no number comes twice. For the same reason the item stays when
 * no run has slots: a write that arrives late must not find the number that it was made for.
 */
export class DynamoDbKeySlots implements KeySlotStore {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly table: Table,
    private readonly clock: Clock,
  ) {}

  async take(queue: string, ask: KeySlotsAsk): Promise<ReadonlyMap<string, number> | undefined> {
    const granted = await this.change(queue, ask.now, (runs) => grantedTo(runs, ask));
    return granted?.slots;
  }

  async release(queue: string, run: string): Promise<void> {
    await this.change(
      queue,
      0,
      without((other) => other === run),
    );
  }

  /** Makes one read for all queues, and one write for each in which the run has slots. */
  async end(queues: readonly string[], { holderPrefix }: LostRun): Promise<number> {
    if (queues.length === 0) return 0;
    const items = await this.table.getManyStored(queues.map(itemKey));
    const isLost = (run: string) => run.startsWith(holderPrefix);
    const ended = queues.map(async (queue) => {
      const stored = storedIn(items.get(itemKey(queue)) ?? {});
      if (![...this.parse(stored, 0).keys()].some(isLost)) return 0;
      await this.change(queue, 0, without(isLost), stored);
      return 1;
    });
    return (await Promise.all(ended)).reduce<number>((sum, count) => sum + count, 0);
  }

  /**
   * Makes one write, while no other process writes; otherwise a read and a write. Where there is no change, it makes one read.
   *
   * @param now the time of the request, if it knows one
   * @returns the change that was made. Undefined: too many others were quicker
   */
  private async change<Made extends Change>(
    queue: string,
    now: number,
    changeOf: (runs: ReadonlyMap<string, KeySlots>) => Made,
    read?: StoredRuns,
  ): Promise<Made | undefined> {
    const known = this.known.get(queue);
    let isGuess = read === undefined && known?.isQuiet === true;
    let stored = read ?? (known?.isQuiet ? known.stored : await this.read(queue));
    const isQuiet = known === undefined || known.stored.rev?.N === stored.rev?.N;
    for (let tries = 0; ; tries++) {
      let change = changeOf(this.parse(stored, now));
      if (!change.runs && isGuess) {
        stored = await this.read(queue);
        change = changeOf(this.parse(stored, now));
      }
      isGuess = false;
      if (!change.runs) return change;
      const answer = await this.write(queue, stored, change.runs);
      if (answer.written) {
        this.known.set(queue, { stored: storedIn(answer.stored), isQuiet: isQuiet && tries === 0 });
        return change;
      }
      if (tries + 1 === MAX_TRIES) return undefined;
      // The item that a failed write has found is old after a wait: it is read again.
      if (tries > 0) await this.table.backOff(Math.min(tries - 1, MAX_BACKOFF));
      stored = tries === 0 && answer.inTheWay ? storedIn(answer.inTheWay) : await this.read(queue);
    }
  }

  /** Writes the runs if the item is as it was read: a request that comes again, or late, finds another `rev`. */
  private write(queue: string, { rev }: StoredRuns, next: ReadonlyMap<string, KeySlots>) {
    const expressions = new Expressions();
    const isAsRead = isValidRev(rev)
      ? `${expressions.name('rev')} = ${expressions.stored(rev)}`
      : `NOT (${expressions.name('rev')} BETWEEN ${expressions.value(0)} AND ${expressions.value(MAX_REV)})`;
    const runs = Object.fromEntries([...next].map(([run, slots]) => [run, formatSlots(slots)]));
    const set = { runs, rev: isValidRev(rev) ? Number(rev.N) + 1 : this.clock.wall() };
    return this.update(queue, expressions.update(set, [], isAsRead));
  }

  private async update(queue: string, update: Update): Promise<ConditionalUpdate> {
    try {
      return await this.table.update(itemKey(queue), update, true, true);
    } catch (error) {
      // The SDK cannot read an item with a key `__proto__` in an error: it is read again, by another request.
      if (!((error as Error).cause instanceof TypeError)) throw error;
      return { written: false, inTheWay: undefined };
    }
  }

  private async read(queue: string): Promise<StoredRuns> {
    return storedIn((await this.table.getStored(itemKey(queue))) ?? {});
  }

  /** A request may be older than the slots that others have by now: their ends are measured by the clock. */
  private parse({ runs }: StoredRuns, now: number): ReadonlyMap<string, KeySlots> {
    return parseRuns(runs, Math.max(now, this.clock.wall()) + MAX_LEASE_MS);
  }
}

function without(isEnded: (run: string) => boolean): (runs: ReadonlyMap<string, KeySlots>) => Change {
  return (runs) => {
    const left = new Map([...runs].filter(([run]) => !isEnded(run)));
    return left.size < runs.size ? { runs: left } : {};
  };
}

function itemKey(queue: string): string {
  return `keys#${queue}`;
}

function isValidRev(rev: AttributeValue | undefined): rev is AttributeValue.NMember {
  return rev?.N !== undefined && Number(rev.N) >= 0 && Number(rev.N) <= MAX_REV;
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
    const isSound = slots.size > 0 && isTimeUntil(until, latest) && run !== '__proto__';
    if (isSound) runs.set(run, { until, slots });
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
