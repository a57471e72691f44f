import {
  type AttributeValue,
  type BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandOutput,
  BatchGetItemCommand,
  type ConditionalCheckFailedException,
  type ConsumedCapacity,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import type { Random } from '../../support/random.js';
import { StoreThrottledError } from '../errors.js';
import { type Attributes, toAttributes, toItem } from './attribute-values.js';
import { isConditionFailed, translated } from './errors.js';
import type { Condition, Update } from './expressions.js';

/**
 * The cost of one request, as DynamoDB reports it. Failed conditions cost as much, but are not reported.
 *
 * @inline
 */
export interface Consumed {
  /** The operation, such as `Query` or `UpdateItem`. */
  readonly operation: string;
  /** The table's name. */
  readonly table: string;
  /** The kind of the units. */
  readonly kind: 'read' | 'write';
  /** Read or write units, those of the index included. */
  readonly units: number;
}

/** @inline */
export type OnConsumed = (consumed: Consumed) => void;

export interface TableDeps {
  readonly client: DynamoDBClient;
  readonly name: string;
  /** Name of the partition key. */
  readonly keyName: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each request with its cost. */
  readonly onConsumed?: OnConsumed | undefined;
}

export type ConditionalUpdate =
  | { readonly written: true; readonly item: Item; readonly stored: Attributes }
  /** The item that did not fulfil the condition, if it was asked for; emulators may leave it out. */
  | { readonly written: false; readonly inTheWay: Attributes | undefined };

/** Items as DynamoDB has them. */
export interface StoredPage {
  readonly items: readonly Attributes[];
  readonly count: number;
  /** The key to go on behind; absent at the end. */
  readonly last: Record<string, AttributeValue> | undefined;
}

const READS = new Set(['Query', 'Scan', 'GetItem', 'BatchGetItem']);
/** DynamoDB's limit of keys in one BatchGetItem. */
const BATCH_KEYS = 100;
/** Batch reads that bring nothing at all, one after the other, before it counts as throttled. */
const MAX_FRUITLESS_READS = 6;
const BACKOFF_MS = 50;

/** The requests that this library makes of one table, with errors translated and capacity reported. */
export class Table {
  readonly name: string;
  /** Asks for the cost of a request. Empty if there is no listener. */
  private readonly cost: { readonly ReturnConsumedCapacity?: 'INDEXES' };

  constructor(private readonly deps: TableDeps) {
    this.name = deps.name;
    this.cost = deps.onConsumed ? { ReturnConsumedCapacity: 'INDEXES' } : {};
  }

  /** Reads an item, strongly. */
  async get(key: string, only?: string): Promise<Item | undefined> {
    const stored = await this.getStored(key, only);
    return stored && toItem(stored);
  }

  /** Reads an item as DynamoDB has it, strongly. */
  async getStored(key: string, only?: string): Promise<Attributes | undefined> {
    const projection = only
      ? { ProjectionExpression: '#only', ExpressionAttributeNames: { '#only': only } }
      : {};
    const answer = await this.send('GetItem', () =>
      this.deps.client.send(
        new GetItemCommand({
          TableName: this.name,
          Key: this.keyOf(key),
          ConsistentRead: true,
          ...projection,
          ...this.cost,
        }),
      ),
    );
    return answer.Item;
  }

  /** Puts an item whose key is not there yet; false if it is. */
  async putNew(item: Item): Promise<boolean> {
    const command = new PutItemCommand({
      TableName: this.name,
      Item: toAttributes(item),
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': this.deps.keyName },
      ...this.cost,
    });
    try {
      await this.send('PutItem', () => this.deps.client.send(command));
      return true;
    } catch (error) {
      if (isConditionFailed((error as Error).cause)) return false;
      throw error;
    }
  }

  /**
   * Updates an item if the condition holds. With `returnNew`, the answer holds the whole item as it is now.
   *
   * @param returnOld the answer holds the item that did not fulfil the condition. Not for items of others: the SDK
   *   cannot read one that has a key `__proto__` in an error
   */
  async update(
    key: string,
    update: Update,
    returnNew = false,
    returnOld = false,
  ): Promise<ConditionalUpdate> {
    const command = new UpdateItemCommand({
      TableName: this.name,
      Key: this.keyOf(key),
      ...update,
      ...(returnNew ? { ReturnValues: 'ALL_NEW' as const } : {}),
      ...(returnOld ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const } : {}),
      ...this.cost,
    });
    try {
      const answer = await this.send('UpdateItem', () => this.deps.client.send(command));
      const stored = answer.Attributes ?? {};
      return { written: true, item: toItem(stored), stored };
    } catch (error) {
      const { cause } = error as Error;
      if (!isConditionFailed(cause)) throw error;
      return { written: false, inTheWay: (cause as ConditionalCheckFailedException).Item };
    }
  }

  /** Runs statements of PartiQL. The caller makes the command, so that no other function loads it. */
  execute(command: BatchExecuteStatementCommand): Promise<BatchExecuteStatementCommandOutput> {
    Object.assign(command.input, this.cost);
    return this.send('BatchExecuteStatement', () => this.deps.client.send(command));
  }

  /** Removes an item if the condition holds. */
  async delete(key: string, condition: Condition): Promise<boolean> {
    const command = new DeleteItemCommand({
      TableName: this.name,
      Key: this.keyOf(key),
      ...condition,
      ...this.cost,
    });
    try {
      await this.send('DeleteItem', () => this.deps.client.send(command));
      return true;
    } catch (error) {
      if (isConditionFailed((error as Error).cause)) return false;
      throw error;
    }
  }

  async query(input: Omit<QueryCommandInput, 'TableName'>): Promise<StoredPage> {
    const command = new QueryCommand({ TableName: this.name, ...input, ...this.cost });
    return pageOf(await this.send('Query', () => this.deps.client.send(command)));
  }

  async scan(input: Omit<ScanCommandInput, 'TableName'>): Promise<StoredPage> {
    const command = new ScanCommand({ TableName: this.name, ...input, ...this.cost });
    return pageOf(await this.send('Scan', () => this.deps.client.send(command)));
  }

  /** Reads the items of these keys, strongly, by key; absent ones are left out. */
  async getMany(keys: readonly string[]): Promise<Map<string, Item>> {
    const stored = await this.getManyStored(keys);
    return new Map([...stored].map(([key, item]) => [key, toItem(item)]));
  }

  /** Reads items as DynamoDB has them, by key; absent ones are left out. Default: strongly. */
  async getManyStored(
    keys: readonly string[],
    consistency: 'strong' | 'eventual' = 'strong',
  ): Promise<Map<string, Attributes>> {
    const unique = [...new Set(keys)];
    const chunks: string[][] = [];
    for (let i = 0; i < unique.length; i += BATCH_KEYS) chunks.push(unique.slice(i, i + BATCH_KEYS));
    const items = await Promise.all(chunks.map((chunk) => this.getChunk(chunk, consistency)));
    return new Map(items.flat().map((item) => [item[this.deps.keyName]?.S ?? '', item]));
  }

  /** Reads the items of up to 100 keys. An answer may lack some, at 16 MB or when DynamoDB throttles: they are asked for again. */
  private async getChunk(keys: readonly string[], consistency: 'strong' | 'eventual'): Promise<Attributes[]> {
    const items: Attributes[] = [];
    let pending: Record<string, AttributeValue>[] = keys.map((key) => this.keyOf(key));
    for (let fruitless = 0; pending.length > 0; ) {
      const request = { [this.name]: { Keys: pending, ConsistentRead: consistency === 'strong' } };
      const answer = await this.send('BatchGetItem', () =>
        this.deps.client.send(new BatchGetItemCommand({ RequestItems: request, ...this.cost })),
      );
      const found = answer.Responses?.[this.name] ?? [];
      items.push(...found);
      const left = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
      fruitless = left.length < pending.length ? 0 : fruitless + 1;
      pending = left;
      if (fruitless >= MAX_FRUITLESS_READS) {
        throw new StoreThrottledError(
          `BatchGetItem (table ${this.name}): ${left.length} keys are left unread`,
        );
      }
      if (fruitless > 0) await this.backOff(fruitless);
    }
    return items;
  }

  /** Waits before the next try, each process for a time of its own: others may be at the same item. */
  backOff(attempt: number): Promise<void> {
    const { clock, random } = this.deps;
    return clock.sleep(BACKOFF_MS * 2 ** attempt * (0.5 + random() / 2));
  }

  private keyOf(key: string): Record<string, AttributeValue> {
    return { [this.deps.keyName]: { S: key } };
  }

  private async send<Answer extends { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined }>(
    operation: string,
    request: () => Promise<Answer>,
  ): Promise<Answer> {
    const answer = await translated(operation, this.name, request);
    const { onConsumed } = this.deps;
    if (!onConsumed || !answer.ConsumedCapacity) return answer;
    for (const { TableName: table = '', CapacityUnits: units = 0 } of [answer.ConsumedCapacity].flat()) {
      onConsumed({ operation, table, kind: READS.has(operation) ? 'read' : 'write', units });
    }
    return answer;
  }
}

function pageOf(answer: Pick<QueryCommandOutput, 'Items' | 'Count' | 'LastEvaluatedKey'>): StoredPage {
  return { items: answer.Items ?? [], count: answer.Count ?? 0, last: answer.LastEvaluatedKey };
}
