import type { Clock } from '../../clock.js';
import {
  AsRead,
  attributesToFence,
  type BacklogRecord,
  type Item,
  isQuarantine,
  parseRecord,
  type RecordChange,
  smallerQuarantines,
} from '../../record/index.js';
import type { Found } from '../operator-store.js';
import { type Attributes, toItem } from './attribute-values.js';
import { isItemTooLarge } from './errors.js';
import { and, Expressions, type Update } from './expressions.js';
import { isSameValue } from './same-value.js';
import type { Table } from './table.js';

export interface ItemChange {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** What a condition names of a record at most, and twice as many operators. */
const MAX_FENCED = 120;

/** Single records: put, read, settle. */
export class DynamoDbRecords {
  constructor(
    private readonly table: Table,
    private readonly clock: Clock,
  ) {}

  async insert(item: Item): Promise<'inserted' | 'duplicate'> {
    // Only producers need it: it is no part of what a handler loads at its cold start.
    const { insert } = await import('./insert.js');
    return insert(item, this.table);
  }

  async get(id: string): Promise<BacklogRecord | undefined> {
    const stored = await this.table.getStored(id);
    return stored && this.parse(stored);
  }

  async getMany(ids: readonly string[]): Promise<BacklogRecord[]> {
    const items = await this.table.getManyStored(ids);
    return [...new Set(ids)].flatMap((id) => {
      const stored = items.get(id);
      return stored ? [this.parse(stored)] : [];
    });
  }

  parse(stored: Attributes): BacklogRecord {
    return this.find(stored).record;
  }

  find(stored: Attributes): Found {
    const item = toItem(stored);
    return { item, record: parseRecord(item, this.clock.now(), new AsRead(stored)) };
  }

  /** A record that has no room left is settled with less, down to the bare end of it: it must not come for ever. */
  async settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'> {
    const smaller = isQuarantine(change)
      ? smallerQuarantines(change)
      : [withoutErrors(change), bareEnd(change)];
    for (let attempt = change; ; ) {
      try {
        return await this.change(record, attempt, rev);
      } catch (error) {
        const next = smaller.shift();
        if (!next || !isItemTooLarge((error as Error).cause)) throw error;
        attempt = next;
      }
    }
  }

  /** Writes all of a change or nothing. */
  async change(
    record: BacklogRecord,
    change: ItemChange,
    rev: string,
    fence: Fence = asRead,
  ): Promise<'settled' | 'changed'> {
    const { id } = record;
    const isBare = record.rev === undefined;
    if (!isBare || fitsCondition(storedOf(record))) {
      const answer = await this.table.update(id, settleUpdate(record, change, rev, fence));
      if (answer.written) return 'settled';
    }
    const found = await this.table.getStored(id, isBare ? undefined : 'rev');
    if (found?.rev?.S === rev) return 'settled';
    const stamp = `${rev}~`;
    if (!isBare || !(await this.stamp(record, stamp, found))) return 'changed';
    return this.change({ ...record, rev: stamp }, change, rev, fence);
  }

  /**
   * Gives a `rev` to a record that has none, so that it can be settled by it. This is for records that have too many
   * attributes to name each in a condition, and for dynalite, which never finds two documents equal. A record that can
   * never be settled would be attempted for ever. The answer to this write shows whether the record is still as it was
   * read; an overwrite after it removes the `rev` again.
   */
  async stamp(record: BacklogRecord, rev: string, found: Attributes | undefined): Promise<boolean> {
    const read = storedOf(record);
    if (found === undefined || !isSame(found, read, rev)) return false;
    const expressions = new Expressions();
    const condition = and(expressions.exists('id'), isStillAlike('rev', read.rev, expressions));
    const answer = await this.table.update(record.id, expressions.update({ rev }, [], condition), true);
    const after = answer.written ? answer.stored : await this.table.getStored(record.id);
    return after?.rev?.S === rev && isSame(after, read, rev);
  }
}

function settleUpdate(record: BacklogRecord, change: ItemChange, rev: string, fence: Fence): Update {
  const expressions = new Expressions();
  return expressions.update(
    { ...change.set, rev },
    change.remove.filter((attribute) => change.set[attribute] === undefined),
    fence(record, expressions),
  );
}

/** The condition under which a record counts as being as it was read. */
export type Fence = (record: BacklogRecord, expressions: Expressions) => string;

/** An operator decides by the status, which people change by hand and leave `rev` as it is. */
export function asReadAndStatus(record: BacklogRecord, expressions: Expressions): string {
  const isReadable = record.problems.length === 0;
  const read = asRead(record, expressions);
  return isReadable ? and(read, expressions.equal('status', record.status)) : read;
}

/**
 * Every write of the library renews `rev`; a producer's overwrite removes it, and a deletion removes everything. A
 * record that the library has never written has no `rev`: there all that its attempt depended on stands in, as DynamoDB
 * returned it. (One that a producer wrote with another type reads as none.)
 */
function asRead(record: BacklogRecord, expressions: Expressions): string {
  if (record.rev !== undefined) return expressions.equal('rev', record.rev);
  const read = storedOf(record);
  return and(...attributesToFence(read).map((name) => isStill(name, read[name], expressions)));
}

function isStill(name: string, read: Attributes[string] | undefined, expressions: Expressions): string {
  if (read === undefined) return expressions.absent(name);
  return `${expressions.name(name)} = ${expressions.stored(read)}`;
}

/** The same, but of documents the type alone: dynalite finds no two of them equal. */
function isStillAlike(name: string, read: Attributes[string] | undefined, expressions: Expressions): string {
  const type = read?.M ? 'M' : read?.L ? 'L' : undefined;
  if (type === undefined) return isStill(name, read, expressions);
  return `attribute_type(${expressions.name(name)}, ${expressions.value(type)})`;
}

function storedOf(record: BacklogRecord): Attributes {
  return AsRead.of(record) as Attributes;
}

/** DynamoDB takes expressions of 4 KB and 300 operators: two for each attribute. */
function fitsCondition(read: Attributes): boolean {
  return attributesToFence(read).length <= MAX_FENCED;
}

/** As it was read, or with this `rev` as the only change. */
function isSame(found: Attributes, read: Attributes, rev: string): boolean {
  return attributesToFence(read).every((name) => {
    const [one, other] = [found[name], read[name]];
    if (one === other || (name === 'rev' && one?.S === rev)) return true;
    return one !== undefined && other !== undefined && isSameValue(one, other);
  });
}

function withoutErrors(change: RecordChange): RecordChange {
  const { lastError: _, history: __, ...set } = change.set;
  return { ...change, set };
}

/** What fits into the room of the index keys that it removes. */
function bareEnd(change: RecordChange): RecordChange {
  const remove = ['lane', 'dueAt', 'notBefore'] as const;
  return change.set.status === 'SUCCESS'
    ? { set: { status: 'SUCCESS' }, remove }
    : { set: { status: 'DEAD', deadReason: 'too large' }, remove };
}
