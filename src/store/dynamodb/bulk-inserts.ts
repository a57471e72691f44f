import {
  BatchExecuteStatementCommand,
  type BatchStatementError,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../record/index.js';
import { itemBytes } from '../../record/item-size.js';
import { InvalidRecordError } from '../../support/errors.js';
import { type StoreError, StoreThrottledError, StoreUnavailableError } from '../errors.js';
import { checkItem } from '../item-limits.js';
import type { RecordStore } from '../store.js';
import { toAttributeValue } from './attribute-values.js';
import {
  isAccessDenied,
  isNotFound,
  isUnknownOperation,
  isValidationError,
  translateError,
} from './errors.js';

/** The result of one item's insertion. */
export type InsertAnswer =
  | 'inserted'
  | 'duplicate'
  /** The item can never be stored. */
  | { readonly invalid: InvalidRecordError }
  /** The item may be stored if it is sent again. */
  | { readonly passing: StoreError }
  | { readonly trouble: unknown };

/** DynamoDB's limits of one BatchExecuteStatement and of a statement's text. */
const BULK_ITEMS = 25;
const MAX_STATEMENT_CHARACTERS = 8192;
/** Limit of a request, far below that of DynamoDB, JSON and base64 included. More at once gains nothing. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** Number of failed bulk requests, from the first one on, after which each item is put by itself. */
const MAX_FRUITLESS = 3;

const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded']);
const REFUSED = new Set<string | undefined>(['AccessDenied', 'ResourceNotFound', 'ValidationError']);
const UNSETTLED = new Set(['InternalServerError', 'TransactionConflict']);

export interface BulkInsertsDeps {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** The store that inserts the items that no bulk request takes. */
  readonly single: Pick<RecordStore, 'insert'>;
}

/**
 * Inserts many items in few requests: PartiQL's INSERT, unlike BatchWriteItem, replaces nothing that is there, and
 * says so of each item. If that is denied or unknown, each item is put by itself from then on.
 */
export class DynamoDbBulkInserts {
  private works = false;
  private fruitless = 0;
  /** Items that an earlier request, whose answer tells nothing, may have brought in. */
  private readonly inDoubt = new WeakSet<Item>();

  constructor(private readonly deps: BulkInsertsDeps) {}

  /**
   * Stores new items; ids that exist already are left alone. Never throws; the answers are in the order of the items.
   */
  async insert(items: readonly Item[]): Promise<InsertAnswer[]> {
    const answers = new Map<Item, InsertAnswer>();
    for (const item of items) {
      const invalid = problemOf(item);
      if (invalid) answers.set(item, { invalid });
    }
    for (const request of this.requestsOf(items.filter((item) => !answers.has(item)))) {
      const these = await this.insertTogether(request);
      for (const [i, item] of request.entries()) answers.set(item, these[i] as InsertAnswer);
    }
    return items.map((item) => answers.get(item) as InsertAnswer);
  }

  /** Splits items into requests. None holds an id twice: DynamoDB would refuse the whole request. */
  private requestsOf(items: readonly Item[]): Item[][] {
    const requests: Item[][] = [];
    let ids = new Set<unknown>();
    let bytes = 0;
    for (const item of items) {
      const size = itemBytes(item);
      const last = requests.at(-1);
      if (last && last.length < BULK_ITEMS && bytes + size <= MAX_REQUEST_BYTES && !ids.has(item.id)) {
        last.push(item);
        bytes += size;
        ids.add(item.id);
      } else {
        requests.push([item]);
        bytes = size;
        ids = new Set([item.id]);
      }
    }
    return requests;
  }

  private async insertTogether(items: readonly Item[]): Promise<InsertAnswer[]> {
    const statements = items.map((item) => statementOf(item, this.deps.table));
    const tooLong = statements.some(({ Statement }) => Statement.length > MAX_STATEMENT_CHARACTERS);
    if (tooLong || items.length === 1 || this.fruitless >= MAX_FRUITLESS) return this.insertSingly(items);
    try {
      const { Responses = [], $metadata } = await this.deps.client.send(
        new BatchExecuteStatementCommand({ Statements: statements }),
      );
      const isRepeated = ($metadata.attempts ?? 1) > 1;
      this.note(Responses.map(({ Error: error }) => error));
      return await Promise.all(
        items.map((item, i) => {
          const response = Responses[i];
          if (!response) return this.insertSingle(item);
          return response.Error ? this.answerOf(item, response.Error, isRepeated) : 'inserted';
        }),
      );
    } catch (error) {
      return this.insertAfter(error, items);
    }
  }

  private async answerOf(
    item: Item,
    { Code, Message: message = '' }: BatchStatementError,
    isRepeated: boolean,
  ): Promise<InsertAnswer> {
    const code: string = Code ?? 'no code';
    const text = `BatchExecuteStatement (table ${this.deps.table}): ${code} ${message}`;
    if (THROTTLED.has(code)) return { passing: new StoreThrottledError(text) };
    if (UNSETTLED.has(code)) {
      this.inDoubt.add(item);
      return { passing: new StoreUnavailableError(text) };
    }
    // Ours, perhaps, if a try before had arrived: the single one looks.
    const isOthers = code === 'DuplicateItem' && !isRepeated && !this.inDoubt.has(item);
    return isOthers ? 'duplicate' : this.insertSingle(item);
  }

  /** Inserts the items of a request that was refused as a whole, or has no answer. */
  private async insertAfter(error: unknown, items: readonly Item[]): Promise<InsertAnswer[]> {
    const isPermanent = isUnknownOperation(error) || isAccessDenied(error);
    if (isPermanent || isValidationError(error) || isNotFound(error)) {
      if (!this.works) this.fruitless += isPermanent ? MAX_FRUITLESS : 1;
      return this.insertSingly(items);
    }
    const translated = translateError(error, 'BatchExecuteStatement', this.deps.table);
    if (translated instanceof StoreThrottledError) return items.map(() => ({ passing: translated }));
    for (const item of items) this.inDoubt.add(item);
    return items.map(() => ({ trouble: translated }));
  }

  private note(errors: readonly (BatchStatementError | undefined)[]): void {
    if (this.works) return;
    const codes = errors.map((error) => error?.Code);
    if (codes.some((code) => code === undefined || code === 'DuplicateItem')) {
      this.works = true;
      this.fruitless = 0;
    } else if (codes.every((code) => code === 'AccessDenied')) this.fruitless = MAX_FRUITLESS;
    else if (codes.every((code) => REFUSED.has(code))) this.fruitless++;
  }

  private insertSingly(items: readonly Item[]): Promise<InsertAnswer[]> {
    return Promise.all(items.map((item) => this.insertSingle(item)));
  }

  private insertSingle(item: Item): Promise<InsertAnswer> {
    return insertSingle(item, this.deps.single);
  }
}

export async function insertSingle(item: Item, records: Pick<RecordStore, 'insert'>): Promise<InsertAnswer> {
  try {
    return await records.insert(item);
  } catch (error) {
    if (error instanceof InvalidRecordError) return { invalid: error };
    return error instanceof StoreThrottledError ? { passing: error } : { trouble: error };
  }
}

function problemOf(item: Item): InvalidRecordError | undefined {
  try {
    checkItem(item);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRecordError) return error;
    throw error;
  }
}

/** An INSERT with a parameter per attribute: DynamoDB refuses a whole item as one parameter. */
function statementOf(item: Item, table: string) {
  const attributes = Object.entries(item).filter(([, value]) => value !== undefined);
  const names = attributes.map(([name]) => `'${name.replaceAll("'", "''")}': ?`);
  return {
    Statement: `INSERT INTO "${table}" VALUE {${names.join(', ')}}`,
    Parameters: attributes.map(([, value]) => toAttributeValue(value)),
  };
}
