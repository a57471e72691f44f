import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { asWritten } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import { type Random, systemRandom } from '../../support/random.js';
import type { Found } from '../operator-store.js';
import type { Attributes } from './attribute-values.js';
import { isConditionFailed, translated } from './errors.js';
import { type Condition, Expressions } from './expressions.js';
import type { Segment } from './raw-items.js';
import { conditionOf, DynamoDbRecords } from './records.js';
import { type OnConsumed, Table } from './table.js';

/** A record, and its item in DynamoDB's own values. */
export interface StoredItem extends Found {
  readonly stored: Attributes;
}

export interface StoredItemsDeps {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  readonly random?: Random | undefined;
  readonly onConsumed?: OnConsumed | undefined;
}

/**
 * The records of a table in DynamoDB's own values, to be compared with those of another table and copied from there:
 * no digit, no type and no byte is lost on the way.
 */
export class StoredItems {
  private readonly table: Table;
  private readonly records: DynamoDbRecords;

  constructor(private readonly deps: StoredItemsDeps) {
    const { client, table: name, clock, random = systemRandom, onConsumed } = deps;
    this.table = new Table({ client, name, keyName: 'id', clock, random, onConsumed });
    this.records = new DynamoDbRecords(this.table, clock);
  }

  /** Reads one page of a segment, eventually consistent: exactly one request. `next`: continue behind that id. */
  async page({ number, of }: Segment, after: string | undefined) {
    const answer = await this.table.scan({
      Segment: number,
      TotalSegments: of,
      ...(after === undefined ? {} : { ExclusiveStartKey: { id: { S: after } } }),
    });
    return { items: answer.items.map((stored) => this.read(stored)), next: answer.last?.id?.S };
  }

  /** Reads items, by id; absent ones are left out. Default: strongly. */
  async getMany(
    ids: readonly string[],
    consistency: 'strong' | 'eventual' = 'strong',
  ): Promise<ReadonlyMap<string, StoredItem>> {
    const items = await this.table.getManyStored(ids, consistency);
    return new Map([...items].map(([id, stored]) => [id, this.read(stored)]));
  }

  /** Puts an item whose id is not there. */
  async putNew(stored: Attributes): Promise<'written' | 'changed'> {
    const expressions = new Expressions();
    const ConditionExpression = expressions.absent('id');
    return this.put(stored, { ConditionExpression, ...expressions.placeholders() });
  }

  /** Puts an item in the place of a record that is still as it was read. */
  async replace({ record }: StoredItem, by: Attributes, rev: string): Promise<'written' | 'changed'> {
    // A record without `rev` is fenced by all its attributes: compared once, to write a `rev` that is the fence then.
    const isBare = record.rev === undefined;
    if (isBare && !(await this.records.stamp(record, rev, await this.table.getStored(record.id))))
      return 'changed';
    const fenced = isBare ? asWritten(record, { set: {}, remove: [] }, rev) : record;
    const isReplaced = await this.records.whileAsRead(
      fenced,
      async (compare) => (await this.put(by, conditionOf(fenced, compare))) === 'written',
    );
    return isReplaced ? 'written' : 'changed';
  }

  private async put(stored: Attributes, condition: Condition): Promise<'written' | 'changed'> {
    const { client, table } = this.deps;
    const command = new PutItemCommand({ TableName: table, Item: { ...stored }, ...condition });
    try {
      await translated('PutItem', table, () => client.send(command));
      return 'written';
    } catch (error) {
      if (isConditionFailed((error as Error).cause)) return 'changed';
      throw error;
    }
  }

  private read(stored: Attributes): StoredItem {
    return { ...this.records.find(stored), stored };
  }
}
