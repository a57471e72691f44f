import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import { type Random, systemRandom } from '../../support/random.js';
import { toItem } from './attribute-values.js';
import { Expressions, type Update } from './expressions.js';
import { type OnConsumed, Table } from './table.js';

export interface RawItemsDeps {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Name of the partition key. Default: `id`. */
  readonly keyName?: string | undefined;
  readonly clock: Clock;
  readonly random?: Random | undefined;
  readonly onConsumed?: OnConsumed | undefined;
}

/** A part of a table that is read by itself. */
export interface Segment {
  /** The segment's number, from 0. */
  readonly number: number;
  readonly of: number;
}

export interface ItemPage {
  readonly items: readonly Item[];
  /** Key behind which the segment goes on; absent at its end. */
  readonly next?: string | undefined;
}

export interface ItemChange {
  readonly set: Readonly<Record<string, unknown>>;
  /** Attributes that DynamoDB copies itself, by their new names: no digit and no type is lost on the way. */
  readonly copy: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** The items of a table as they are there, for tools that look at each of them. The table's only key is a string. */
export class RawItems {
  private readonly table: Table;
  private readonly keyName: string;

  constructor({ client, table, keyName = 'id', clock, random = systemRandom, onConsumed }: RawItemsDeps) {
    this.keyName = keyName;
    this.table = new Table({
      client,
      name: table,
      keyName,
      clock,
      random,
      onConsumed,
    });
  }

  /** Reads one page of a segment, eventually consistent: exactly one request. */
  async page(segment: Segment, after: string | undefined, limit: number): Promise<ItemPage> {
    const answer = await this.table.scan({
      Limit: limit,
      ...(segment.of > 1 ? { Segment: segment.number, TotalSegments: segment.of } : {}),
      ...(after === undefined ? {} : { ExclusiveStartKey: { [this.keyName]: { S: after } } }),
    });
    const next = answer.last?.[this.keyName]?.S;
    return { items: answer.items.map(toItem), ...(next === undefined ? {} : { next }) };
  }

  /** Reads an item, strongly. */
  get(key: string): Promise<Item | undefined> {
    return this.table.get(key);
  }

  /** Reads items, strongly; absent ones are left out. */
  async getMany(keys: readonly string[]): Promise<Item[]> {
    return [...(await this.table.getMany(keys)).values()];
  }

  /**
   * Changes an item and gives it a new `rev`, if all of `asRead` is still as it was read (undefined: absent). `written`
   * also if this very write had taken effect before and only its answer was lost.
   */
  async change(
    key: string,
    change: ItemChange,
    asRead: Readonly<Record<string, unknown>>,
    rev: string,
  ): Promise<'written' | 'changed'> {
    const answer = await this.table.update(key, this.updateOf(change, asRead, rev));
    if (answer.written) return 'written';
    return (await this.table.get(key, 'rev'))?.rev === rev ? 'written' : 'changed';
  }

  private updateOf(change: ItemChange, asRead: Readonly<Record<string, unknown>>, rev: string): Update {
    const expressions = new Expressions();
    const copies = Object.entries(change.copy).map(
      ([to, from]) => `${expressions.name(to)} = ${expressions.name(from)}`,
    );
    // None of them needs brackets, and an emulator takes ten times as long to read those.
    const condition = [
      expressions.exists(this.keyName),
      ...Object.entries(asRead).map(([attribute, value]) => isStill(attribute, value, expressions)),
      ...Object.entries(change.copy).flatMap(([to, from]) => [
        expressions.absent(to),
        expressions.exists(from),
      ]),
    ].join(' AND ');
    const update = expressions.update({ ...change.set, rev }, change.remove, condition);
    return {
      ...update,
      UpdateExpression: update.UpdateExpression.replace(
        'SET ',
        ['SET ', ...copies.map((copy) => `${copy}, `)].join(''),
      ),
    };
  }
}

/** The condition that an attribute is as it was read. Of a document, only that it is there: emulators find no two equal. */
function isStill(attribute: string, value: unknown, expressions: Expressions): string {
  if (value === undefined) return expressions.absent(attribute);
  if (value === null) return `attribute_type(${expressions.name(attribute)}, ${expressions.value('NULL')})`;
  const isNumber = typeof value === 'object' && 'value' in value && typeof value.value === 'string';
  if (typeof value === 'object' && !isNumber) return expressions.exists(attribute);
  return expressions.equal(attribute, value);
}
