import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.js';
import { InvalidRecordError } from '../../errors.js';
import {
  type BacklogRecord,
  type Item,
  isQuarantine,
  parseRecord,
  type RecordChange,
  smallerQuarantines,
} from '../../record/index.js';
import { checkItem } from '../item-limits.js';
import { isItemTooLarge, isValidationError } from './errors.js';
import { and, Expressions, or, type Update } from './expressions.js';
import type { Table } from './table.js';

export interface ItemChange {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** Single records: put, read, settle. */
export class DynamoDbRecords {
  constructor(
    private readonly table: Table,
    private readonly clock: Clock,
  ) {}

  async insert(item: Item): Promise<'inserted' | 'duplicate'> {
    checkItem(item);
    const id = String(item.id);
    if (await this.put(item)) return 'inserted';
    // Ours, if the answer to a first try was lost and the client has repeated it.
    const { rev } = item;
    if (rev === undefined) return 'duplicate';
    const stored = await this.table.get(id, 'rev');
    return stored?.rev === rev ? 'inserted' : 'duplicate';
  }

  async get(id: string): Promise<BacklogRecord | undefined> {
    const item = await this.table.get(id);
    return item && this.parse(item);
  }

  async getMany(ids: readonly string[]): Promise<BacklogRecord[]> {
    const items = await this.table.getMany(ids);
    return [...new Set(ids)].flatMap((id) => {
      const item = items.get(id);
      return item ? [this.parse(item)] : [];
    });
  }

  parse(item: Item): BacklogRecord {
    return parseRecord(item, this.clock.now());
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
    const answer = await this.table.update(record.id, settleUpdate(record, change, rev, fence));
    if (answer.written) return 'settled';
    const stored = answer.inTheWay ? answer.inTheWay.rev?.S : (await this.table.get(record.id, 'rev'))?.rev;
    if (stored === rev) return 'settled';
    const stamp = `${rev}~`;
    if (record.rev !== undefined || (typeof stored === 'string' && stored !== stamp)) return 'changed';
    return (await this.stamp(record, stamp))
      ? this.change({ ...record, rev: stamp }, change, rev, fence)
      : 'changed';
  }

  /**
   * Gives a record without a `rev` one, so that it can be settled by it: dynalite never finds two documents equal,
   * and a record that can never be settled would be attempted for ever. Whether the payload is still the one that
   * was read is seen in the answer to the very write; an overwrite after it removes the `rev` again.
   */
  async stamp(record: BacklogRecord, rev: string): Promise<boolean> {
    if (!samePayload(await this.table.get(record.id), record)) return false;
    const expressions = new Expressions();
    const condition = and(expressions.exists('id'), withoutRev(expressions));
    const answer = await this.table.update(record.id, expressions.update({ rev }, [], condition), true);
    const item = answer.written ? answer.item : await this.table.get(record.id);
    return item?.rev === rev && samePayload(item, record);
  }

  private async put(item: Item): Promise<boolean> {
    try {
      return await this.table.putNew(item);
    } catch (error) {
      const { cause } = error as Error;
      if (!isValidationError(cause)) throw error;
      const reason = `record ${item.id}: DynamoDB refuses it: ${(cause as Error).message}`;
      throw new InvalidRecordError(reason, { cause });
    }
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
 * record that the library has never written has no `rev`: there its payload stands in. (One that a producer wrote
 * with another type reads as none.)
 */
function asRead(record: BacklogRecord, expressions: Expressions): string {
  if (record.rev !== undefined) return expressions.equal('rev', record.rev);
  const payload =
    record.payload === undefined
      ? expressions.absent('payload')
      : expressions.equal('payload', record.payload);
  return and(expressions.exists('id'), withoutRev(expressions), payload);
}

function withoutRev(expressions: Expressions): string {
  return or(
    expressions.absent('rev'),
    `NOT attribute_type(${expressions.name('rev')}, ${expressions.value('S')})`,
  );
}

function samePayload(item: Item | undefined, record: BacklogRecord): boolean {
  return item !== undefined && isDeepStrictEqual(item.payload, record.payload);
}

function withoutErrors(change: RecordChange): RecordChange {
  const { lastError: _, errors: __, ...set } = change.set;
  return { ...change, set };
}

/** What fits into the room of the index keys that it removes. */
function bareEnd(change: RecordChange): RecordChange {
  const remove = ['lane', 'dueAt', 'notBefore'] as const;
  return change.set.status === 'SUCCESS'
    ? { set: { status: 'SUCCESS' }, remove }
    : { set: { status: 'DEAD', deadReason: 'too large' }, remove };
}
