import type {
  AttributeValue,
  ConditionalCheckFailedException,
  ConsumedCapacity,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../clock.js';
import type { Random } from '../../random.js';
import type { Item } from '../../record/index.js';
import { StoreThrottledError } from '../errors.js';
import type { CapacityMeter } from './capacity.js';
import { isConditionFailed, translated } from './errors.js';
import type { Update } from './expressions.js';

export interface TableParts {
  readonly documents: DynamoDBDocumentClient;
  readonly name: string;
  /** Name of the partition key. */
  readonly keyName: string;
  readonly meter: CapacityMeter;
  readonly clock: Clock;
  readonly random: Random;
}

export type ConditionalUpdate =
  | { readonly written: true; readonly item: Item }
  /** The item that did not fulfil the condition, not unmarshalled; emulators may leave it out. */
  | { readonly written: false; readonly inTheWay: Readonly<Record<string, AttributeValue>> | undefined };

/** DynamoDB's limit of keys in one BatchGetItem. */
const BATCH_KEYS = 100;
/** Batch reads that bring nothing at all, one after the other, before it counts as throttled. */
const MAX_FRUITLESS_READS = 6;
const BACKOFF_MS = 50;

/** The requests that this library makes of one table, with errors translated and capacity reported. */
export class Table {
  constructor(private readonly parts: TableParts) {}

  get name(): string {
    return this.parts.name;
  }

  async get(key: string, only?: string): Promise<Item | undefined> {
    const projection = only
      ? { ProjectionExpression: '#only', ExpressionAttributeNames: { '#only': only } }
      : {};
    const answer = await this.send('GetItem', () =>
      this.parts.documents.send(
        new GetCommand({
          TableName: this.name,
          Key: this.keyOf(key),
          ConsistentRead: true,
          ...projection,
          ...this.parts.meter.parameters(),
        }),
      ),
    );
    return answer.Item;
  }

  /** Puts an item whose key is not there yet; false if it is. */
  async putNew(item: Item): Promise<boolean> {
    const command = new PutCommand({
      TableName: this.name,
      Item: { ...item },
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': this.parts.keyName },
      ...this.parts.meter.parameters(),
    });
    try {
      await this.send('PutItem', () => this.parts.documents.send(command));
      return true;
    } catch (error) {
      if (isConditionFailed((error as Error).cause)) return false;
      throw error;
    }
  }

  /** Updates an item if the condition holds. With `returnNew`, the answer holds the whole item as it is now. */
  async update(key: string, update: Update, returnNew = false): Promise<ConditionalUpdate> {
    const command = new UpdateCommand({
      TableName: this.name,
      Key: this.keyOf(key),
      ...update,
      ...(returnNew ? { ReturnValues: 'ALL_NEW' as const } : {}),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...this.parts.meter.parameters(),
    });
    try {
      const answer = await this.send('UpdateItem', () => this.parts.documents.send(command));
      return { written: true, item: answer.Attributes ?? {} };
    } catch (error) {
      const { cause } = error as Error;
      if (!isConditionFailed(cause)) throw error;
      return { written: false, inTheWay: (cause as ConditionalCheckFailedException).Item };
    }
  }

  query(input: Omit<QueryCommandInput, 'TableName'>) {
    const command = new QueryCommand({ TableName: this.name, ...input, ...this.parts.meter.parameters() });
    return this.send('Query', () => this.parts.documents.send(command));
  }

  scan(input: Omit<ScanCommandInput, 'TableName'>) {
    const command = new ScanCommand({ TableName: this.name, ...input, ...this.parts.meter.parameters() });
    return this.send('Scan', () => this.parts.documents.send(command));
  }

  /** Items of these keys, read strongly, by key; absent ones are left out. */
  async getMany(keys: readonly string[]): Promise<Map<string, Item>> {
    const unique = [...new Set(keys)];
    const chunks: string[][] = [];
    for (let i = 0; i < unique.length; i += BATCH_KEYS) chunks.push(unique.slice(i, i + BATCH_KEYS));
    const items = await Promise.all(chunks.map((chunk) => this.getChunk(chunk)));
    return new Map(items.flat().map((item) => [String(item[this.parts.keyName]), item]));
  }

  /** An answer holds 16 MB at most, and less when DynamoDB throttles: what is missing is asked for again. */
  private async getChunk(keys: readonly string[]): Promise<Item[]> {
    const items: Item[] = [];
    let pending: Record<string, unknown>[] = keys.map((key) => this.keyOf(key));
    for (let fruitless = 0; pending.length > 0; ) {
      const request = { [this.name]: { Keys: pending, ConsistentRead: true } };
      const answer = await this.send('BatchGetItem', () =>
        this.parts.documents.send(
          new BatchGetCommand({ RequestItems: request, ...this.parts.meter.parameters() }),
        ),
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

  private backOff(attempt: number): Promise<void> {
    const { clock, random } = this.parts;
    return clock.sleep(BACKOFF_MS * 2 ** attempt * (0.5 + random() / 2));
  }

  private keyOf(key: string): Record<string, string> {
    return { [this.parts.keyName]: key };
  }

  private async send<Answer extends { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined }>(
    operation: string,
    request: () => Promise<Answer>,
  ): Promise<Answer> {
    const answer = await translated(operation, this.name, request);
    this.parts.meter.note(operation, answer.ConsumedCapacity);
    return answer;
  }
}
