import {
  AsRead,
  asWritten,
  attributesToFence,
  type BacklogRecord,
  type Item,
  isQuarantine,
  parseRecord,
  type RecordChange,
  smallerQuarantines,
} from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import type { Found } from '../operator-store.js';
import type { Settled, SettleGroups } from '../settle-groups.js';
import type { RecordStore } from '../store.js';
import { type Attributes, toAttributeValue, toItem } from './attribute-values.js';
import { isItemTooLarge } from './errors.js';
import { and, type Condition, Expressions, or } from './expressions.js';
import type { FencedUpdate } from './group-writes.js';
import { isSameValue } from './same-value.js';
import type { Table } from './table.js';

export interface ItemChange {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** Most attributes of a record that one condition names, with two operators each. */
const MAX_FENCED = 120;
const NOTHING = { set: {}, remove: [] } as const;

/** Single records: put, read, settle. */
export class DynamoDbRecords implements RecordStore {
  /** Changes that are being written by requests of their own. */
  private underWay = 0;
  private groups: Promise<SettleGroups<FencedUpdate>> | undefined;

  /** @param inGroups changes that are written at the same time are written by one request */
  constructor(
    protected readonly table: Table,
    private readonly clock: Clock,
    private readonly inGroups = false,
  ) {}

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
    // An item that has no room left gets less, down to its bare status: it must not come for ever.
    const smaller = () => smallerThan(change).filter((one) => !isFruitless(one, record));
    if (this.underWay === 0 && !this.groups) return this.alone(record, change, rev, smaller);
    return this.inGroup(record, change, rev, () => this.alone(record, change, rev, smaller));
  }

  change(record: BacklogRecord, change: ItemChange, rev: string): Promise<Settled> {
    if (this.underWay === 0 && !this.groups) return this.alone(record, change, rev);
    return this.inGroup(record, change, rev, () => this.alone(record, change, rev));
  }

  /** Writes a change with others that come at the same time. The first that meets another one loads the code of groups. */
  private async inGroup(
    record: BacklogRecord,
    { set, remove }: ItemChange,
    rev: string,
    alone: () => Promise<Settled>,
  ): Promise<Settled> {
    if (!this.inGroups) return alone();
    this.groups ??= import('./group-writes.js').then(({ groupWrites }) =>
      groupWrites(this.table, this.clock),
    );
    const update = { id: record.id, set: { ...set, rev }, remove, fence: () => fenceOf(record) };
    return (await this.groups).write({ ...update, alone });
  }

  /**
   * Writes all of a change or nothing, by requests of its own.
   *
   * @param smaller changes for an item that is too large for this one, in the order in which to try them. Default: none
   */
  private async alone(
    record: BacklogRecord,
    change: ItemChange,
    rev: string,
    smaller: () => readonly ItemChange[] = () => [],
  ): Promise<Settled> {
    const update = async (compare: Comparison) => {
      const expressions = new Expressions();
      const set = { ...change.set, rev };
      const remove = change.remove.filter((attribute) => change.set[attribute] === undefined);
      const wins =
        compare === isStill && change.set.status === 'SUCCESS' && typeof record.notBefore === 'object';
      const condition = asRead(record, expressions, wins ? isStillOrToEnd : compare);
      return (await this.table.update(record.id, expressions.update(set, remove, condition))).written;
    };
    this.underWay++;
    try {
      if (record.rev !== undefined)
        return (await this.whileAsRead(record, update, rev)) ? 'settled' : 'changed';
      if (fitsCondition(record) && (await update(isStill))) return 'settled';
      const found = await this.table.getStored(record.id);
      if (found?.rev?.S === rev) return 'settled';
      const stamp = `${rev}~`;
      if (!(await this.stamp(record, stamp, found))) return 'changed';
      return await this.alone(asWritten(record, NOTHING, stamp), change, rev, smaller);
    } catch (error) {
      const [next, ...rest] = isItemTooLarge((error as Error).cause) ? smaller() : [];
      if (!next) throw error;
      return await this.alone(record, next, rev, () => rest);
    } finally {
      this.underWay--;
    }
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

/** The condition of a write that is no update. */
export function conditionOf(record: BacklogRecord, compare: Comparison): Condition {
  const expressions = new Expressions();
  const ConditionExpression = asRead(record, expressions, compare);
  return { ConditionExpression, ...expressions.placeholders() };
}

/** The condition under which an attribute counts as being as it was read. */
export type Comparison = (
  name: string,
  read: Attributes[string] | undefined,
  expressions: Expressions,
) => string;

/** The condition under which a record counts as being as it was read, or as the library has written it since. */
export function asRead(record: BacklogRecord, expressions: Expressions, compare: Comparison): string {
  const read = storedOf(record);
  const names = attributesToFence(read, record.rev !== undefined);
  return and(...names.map((name) => compare(name, read[name], expressions)));
}

/** The attributes that are compared, as they were read; undefined: absent. */
function fenceOf(record: BacklogRecord): (readonly [string, Attributes[string] | undefined])[] {
  const read = storedOf(record);
  return attributesToFence(read, record.rev !== undefined).map((name) => [name, read[name]]);
}

function isStill(name: string, read: Attributes[string] | undefined, expressions: Expressions): string {
  if (read === undefined) return expressions.absent(name);
  return `${expressions.name(name)} = ${expressions.stored(read)}`;
}

/** The same as `isStill`, but the hold of a long attempt may have been marked since: a success wins over a request to cancel. */
function isStillOrToEnd(
  name: string,
  read: Attributes[string] | undefined,
  expressions: Expressions,
): string {
  const still = isStill(name, read, expressions);
  const until = name === 'notBefore' ? read?.M?.until : undefined;
  if (until === undefined) return still;
  const [mark, end] = [expressions.name(name), expressions.name('until')];
  const isMarked = `attribute_exists(${mark}.${expressions.name('cancel')})`;
  return or(still, and(`${mark}.${end} = ${expressions.stored(until)}`, isMarked));
}

/** The same as `isStill`, but of documents only the type is compared: dynalite finds no two of them equal. */
function isStillAlike(name: string, read: Attributes[string] | undefined, expressions: Expressions): string {
  const type = read?.M ? 'M' : read?.L ? 'L' : undefined;
  if (type === undefined) return isStill(name, read, expressions);
  return `attribute_type(${expressions.name(name)}, ${expressions.value(type)})`;
}

/** The attributes of a record as DynamoDB returned them, with what has been written since. */
function storedOf(record: BacklogRecord): Attributes {
  const { stored, written } = AsRead.of(record);
  const all = { ...(stored as Attributes) };
  for (const [name, value] of Object.entries(written)) {
    if (value === undefined) delete all[name];
    else all[name] = toAttributeValue(value);
  }
  return all;
}

/** The attributes that are compared. Others are not kept: a page has many records, each until it is settled. */
function fencedOf(stored: Attributes): Attributes {
  if (stored.rev?.S === undefined) return stored;
  const names = attributesToFence({}, true).filter((name) => stored[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, stored[name]])) as Attributes;
}

/** Tells whether one condition can name all attributes: DynamoDB takes expressions of 4 KB and 300 operators. */
function fitsCondition(record: BacklogRecord): boolean {
  return attributesToFence(storedOf(record), record.rev !== undefined).length <= MAX_FENCED;
}

/** Tells whether an item is as it was read, or has this `rev` as the only change. */
function isSame(record: BacklogRecord, found: Attributes, rev?: string): boolean {
  const read = storedOf(record);
  return attributesToFence(read, record.rev !== undefined).every((name) => {
    const [one, other] = [found[name], read[name]];
    if (one === other || (name === 'rev' && rev !== undefined && one?.S === rev)) return true;
    return one !== undefined && other !== undefined && isSameValue(one, other);
  });
}

/** Smaller changes for an item that has no room for that one, in the order in which to try them. */
function smallerThan(change: RecordChange): RecordChange[] {
  if (isQuarantine(change)) return smallerQuarantines(change);
  // The result goes first: a record can do without it.
  const { result, ...set } = change.set;
  const rest = result === undefined ? change : { set, remove: [...change.remove, 'result' as const] };
  const smaller = [withoutHistory(rest), withoutErrors(rest), bareEnd(rest)];
  return result === undefined ? smaller : [rest, ...smaller];
}

/**
 * Tells whether a change leaves a record that is not indexed as it is. The stream would bring that write back to the intake,
 * which would write it again, for ever.
 */
function isFruitless({ set }: RecordChange, { status, lane }: BacklogRecord): boolean {
  return lane === undefined && set.lane === undefined && (set.status ?? status) === status;
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
  const remove = ['lane', 'dueAt', 'notBefore', 'result'] as const;
  return change.set.status === 'SUCCESS'
    ? { set: { status: 'SUCCESS' }, remove }
    : { set: { status: 'DEAD', deadReason: 'too large' }, remove };
}
