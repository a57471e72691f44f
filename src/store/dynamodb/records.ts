import {
  AsRead,
  asWritten,
  type BacklogRecord,
  type Item,
  isQuarantine,
  parseRecord,
  type RecordChange,
  smallerQuarantines,
} from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import type { Found } from '../operator-store.js';
import { type Settle, type Settled, SettleGroups } from '../settle-groups.js';
import type { RecordStore } from '../store.js';
import { type Attributes, toItem } from './attribute-values.js';
import { isItemTooLarge } from './errors.js';
import { and, Expressions } from './expressions.js';
import {
  asRead,
  type Comparison,
  fencedOf,
  fitsCondition,
  isSame,
  isStill,
  isStillAlike,
  storedOf,
} from './fence.js';
import type { Table } from './table.js';

export interface ItemChange {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

const NOTHING = { set: {}, remove: [] } as const;

/** Single records: put, read, settle. */
export class DynamoDbRecords implements RecordStore {
  private readonly groups: SettleGroups | undefined;

  /** @param inGroups changes that are written at the same time are written by one request */
  constructor(
    protected readonly table: Table,
    private readonly clock: Clock,
    inGroups = false,
  ) {
    if (inGroups) this.groups = new SettleGroups((settles) => this.together(settles), clock);
  }

  async insert(item: Item): Promise<'inserted' | 'duplicate'> {
    // Only producers need it: it is no part of what a handler loads at its cold start.
    const { insert } = await import('./insert.js');
    return insert(item, this.table);
  }

  async get(id: string): Promise<BacklogRecord | undefined> {
    const stored = await this.table.getStored(id);
    return stored && this.find(stored).record;
  }

  async getMany(ids: readonly string[]): Promise<BacklogRecord[]> {
    const items = await this.table.getManyStored(ids);
    return [...new Set(ids)].flatMap((id) => {
      const stored = items.get(id);
      return stored ? [this.find(stored).record] : [];
    });
  }

  find(stored: Attributes): Found {
    const item = toItem(stored);
    return { item, record: parseRecord(item, this.clock.now(), new AsRead(fencedOf(stored))) };
  }

  settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<Settled> {
    return this.write(record, change, rev, () => this.settleAlone(record, change, rev));
  }

  change(record: BacklogRecord, change: ItemChange, rev: string): Promise<Settled> {
    return this.write(record, change, rev, () => this.changeAlone(record, change, rev));
  }

  private write(
    record: BacklogRecord,
    change: ItemChange,
    rev: string,
    alone: () => Promise<Settled>,
  ): Promise<Settled> {
    return this.groups ? this.groups.write({ record, change, rev, alone }) : alone();
  }

  private async together(settles: readonly Settle[]): Promise<readonly boolean[] | undefined> {
    // A run that writes one record at a time needs none of it.
    const { settleMany } = await import('./settle-many.js');
    return settleMany(settles, this.table);
  }

  /** Settles a record. If it has no room left, less is written, down to its bare status: it must not come for ever. */
  private async settleAlone(record: BacklogRecord, change: RecordChange, rev: string): Promise<Settled> {
    let smaller: RecordChange[] | undefined;
    for (let attempt = change; ; ) {
      try {
        return await this.changeAlone(record, attempt, rev);
      } catch (error) {
        if (!isItemTooLarge((error as Error).cause)) throw error;
        smaller ??= smallerThan(change);
        const next = smaller.shift();
        if (!next) throw error;
        attempt = next;
      }
    }
  }

  /** Writes all of a change or nothing. */
  private async changeAlone(record: BacklogRecord, change: ItemChange, rev: string): Promise<Settled> {
    const update = async (compare: Comparison) => {
      const expressions = new Expressions();
      const set = { ...change.set, rev };
      const remove = change.remove.filter((attribute) => change.set[attribute] === undefined);
      const condition = asRead(record, expressions, compare);
      return (await this.table.update(record.id, expressions.update(set, remove, condition))).written;
    };
    if (record.rev !== undefined)
      return (await this.whileAsRead(record, update, rev)) ? 'settled' : 'changed';
    if (fitsCondition(record) && (await update(isStill))) return 'settled';
    const found = await this.table.getStored(record.id);
    if (found?.rev?.S === rev) return 'settled';
    const stamp = `${rev}~`;
    const isStamped = await this.stamp(record, stamp, found);
    return isStamped ? this.changeAlone(asWritten(record, NOTHING, stamp), change, rev) : 'changed';
  }

  /**
   * Writes what is conditional on a record that has a `rev`. Some emulators never find two documents equal: there those
   * that were read are compared here.
   *
   * @param rev of this write, which may have taken effect before
   * @returns false: the record has changed since it was read
   */
  async whileAsRead(
    record: BacklogRecord,
    write: (compare: Comparison) => Promise<boolean>,
    rev?: string,
  ): Promise<boolean> {
    if (await write(isStill)) return true;
    const found = await this.table.getStored(record.id);
    if (rev !== undefined && found?.rev?.S === rev) return true;
    return found !== undefined && isSame(record, found) && write(isStillAlike);
  }

  /**
   * Gives a `rev` to a record that has none, so that it can be settled by it. This is for records that have too many
   * attributes to name each in a condition, and for emulators that never find two documents equal. A record that can
   * never be settled would be attempted for ever. The answer to this write shows whether the record is still as it was
   * read; an overwrite after it removes the `rev` again.
   */
  async stamp(record: BacklogRecord, rev: string, found: Attributes | undefined): Promise<boolean> {
    if (found === undefined || !isSame(record, found, rev)) return false;
    const expressions = new Expressions();
    const condition = and(expressions.exists('id'), isStillAlike('rev', storedOf(record).rev, expressions));
    const answer = await this.table.update(record.id, expressions.update({ rev }, [], condition), true);
    const after = answer.written ? answer.stored : await this.table.getStored(record.id);
    return after?.rev?.S === rev && isSame(record, after, rev);
  }
}

/** Smaller changes for an item that has no room for that one, in the order in which to try them. */
function smallerThan(change: RecordChange): RecordChange[] {
  if (isQuarantine(change)) return smallerQuarantines(change);
  return [withoutHistory(change), withoutErrors(change), bareEnd(change)];
}

/** Removes the whole history, also that of earlier attempts. */
function withoutHistory({ set: { history: _, ...set }, remove }: RecordChange): RecordChange {
  return { set, remove: [...remove, 'history'] };
}

function withoutErrors(change: RecordChange): RecordChange {
  const { set, remove } = withoutHistory(change);
  const { lastError: _, ...rest } = set;
  return { set: rest, remove: [...remove, 'lastError'] };
}

/** The smallest end of a record: it fits into the room of the index keys that it removes. */
function bareEnd(change: RecordChange): RecordChange {
  const remove = ['lane', 'dueAt', 'notBefore'] as const;
  return change.set.status === 'SUCCESS'
    ? { set: { status: 'SUCCESS' }, remove }
    : { set: { status: 'DEAD', deadReason: 'too large' }, remove };
}
