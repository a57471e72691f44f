import * as z from 'zod/mini';
import type { Clock } from '../clock.js';
import {
  type ConnectionOptions,
  clientAlone,
  clientFor,
  connectionShape,
  tableName,
  withMethod,
} from '../connection.js';
import { ConfigurationError, InvalidRecordError } from '../errors.js';
import type { Random } from '../random.js';
import { type Item, QUEUE_PATTERN } from '../record/index.js';
import { DynamoDbBulkInserts, insertSingle } from '../store/dynamodb/bulk-inserts.js';
import { type BacklogStore, DynamoDbStore } from '../store/index.js';
import { isTask, type Task } from '../tasks/index.js';
import { parseOptions, show } from '../validation.js';
import { availableAtOf, type Delay } from './delay.js';
import { type InsertManyResult, type InsertProgress, insertMany } from './insert-many.js';
import { itemOf, type NewRecord } from './new-record.js';
import { entryOf, isWrapped, type TaskEntry } from './task-entry.js';
import { checkOptions, prepare, type TaskInsertOptions } from './task-record.js';

/** Options of a `BacklogClient`. Only `table` is required. */
export interface BacklogClientOptions extends ConnectionOptions {
  /** Name of the table of records. */
  readonly table: string;
  /**
   * Queues whose records the client itself indexes, or `true` for all: those with `firstAttempt: 'scheduled'`, where that
   * saves a write unit, and all where no intake looks after the table. The client always indexes delayed records.
   * Default: none; the intake handles them.
   */
  readonly indexAtOnce?: boolean | readonly string[] | undefined;
  /** In place of the table, for tests; such as a `MemoryStore`. */
  readonly store?: Pick<BacklogStore, 'insert'> | undefined;
}

/** Options of `insertMany` for records as they are. */
export interface InsertManyOptions extends Delay {
  /** Records under way at once, 1 to 1,000, in requests of up to 25. Default: 100. */
  readonly concurrency?: number | undefined;
  /** Called after every record with the counts so far. */
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
  /**
   * Ends the insertion with an InsertInterruptedError: what is under way is finished, no more is taken from the source,
   * and what is throttled is not sent again.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The same for many records of a task; each of them may say something else.
 *
 * @inline
 */
interface TaskInsertManyOptions<Input = unknown, Priority extends string = string>
  extends Omit<TaskInsertOptions<Input, Priority>, 'id'>,
    InsertManyOptions {}

/** @inline */
type Source<Element> = Iterable<Element> | AsyncIterable<Element>;

/** What became of an insertion. */
export interface InsertResult {
  /** The record's: the one that was given, or the one that the client made. */
  readonly id: string;
  /** False if a record with this id was there already; it was left alone. */
  readonly inserted: boolean;
}

const optionsSchema = z
  .strictObject({
    table: tableName,
    ...connectionShape,
    indexAtOnce: z._default(
      z.union([z.boolean(), z.array(z.string().check(z.regex(QUEUE_PATTERN)))], {
        error: 'expected true, false or names of queues',
      }),
      false,
    ),
    store: z.optional(withMethod<Pick<BacklogStore, 'insert'>>('insert', 'store')),
  })
  .check(clientAlone);

const delaySchema = { delay: z.optional(z.unknown()), at: z.optional(z.unknown()) };
const insertSchema = z.strictObject(delaySchema);
const flowOptions = {
  concurrency: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 100),
  onProgress: z.optional(
    z.custom<(progress: InsertProgress) => void>(
      (value) => typeof value === 'function',
      'expected a function',
    ),
  ),
  signal: z.optional(withMethod<AbortSignal>('addEventListener', 'AbortSignal')),
};
const flowSchema = z.strictObject(flowOptions);
const insertManySchema = z.strictObject({ ...delaySchema, ...flowOptions });

/**
 * Puts records into the backlog. Needs `dynamodb:PutItem` and `dynamodb:GetItem` on the table, and for `insertMany` in
 * few requests `dynamodb:PartiQLInsert`.
 *
 *     const backlog = new BacklogClient({ table: 'orders-backlog' });
 *     await backlog.insert({ id: 'order-7', payload: { amount: 12 }, queue: 'orders' }, { delay: '5m' });
 */
export class BacklogClient {
  private readonly store: Pick<BacklogStore, 'insert'>;
  private readonly bulk: Pick<DynamoDbBulkInserts, 'insert'>;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly indexesAtOnce: (queue: string) => boolean;

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: BacklogClientOptions) {
    const parsed = parseOptions(optionsSchema, options, 'BacklogClient');
    const { table, indexAtOnce, clock, random } = parsed;
    this.clock = clock;
    this.random = random;
    this.indexesAtOnce = (queue) =>
      typeof indexAtOnce === 'boolean' ? indexAtOnce : indexAtOnce.includes(queue);
    const { store } = parsed;
    if (store) {
      this.store = store;
      this.bulk = { insert: (items) => Promise.all(items.map((item) => insertSingle(item, store))) };
      return;
    }
    const client = clientFor(parsed);
    // A producer touches records only.
    const tables = { records: table, control: table };
    this.store = new DynamoDbStore({ client, tables, clock, random });
    this.bulk = new DynamoDbBulkInserts({ client, table, single: this.store });
  }

  /**
   * Inserts one record of a task. An id that is there already is left alone, and is no error.
   *
   * @throws InvalidRecordError for a record that cannot be stored, or whose payload the task's schema refuses,
   *   ConfigurationError for wrong options, StoreError if the table cannot be used or reached
   */
  insert<Input, Priority extends string>(
    task: Task<Input, unknown, Priority>,
    payload: NoInfer<Input>,
    options?: TaskInsertOptions<NoInfer<Input>, NoInfer<Priority>>,
  ): Promise<InsertResult>;
  /**
   * Inserts one record as it is. An id that is there already is left alone, and is no error.
   *
   * @throws InvalidRecordError for a record that cannot be stored, ConfigurationError for wrong options, StoreError if
   *   the table cannot be used or reached
   */
  insert(record: NewRecord, options?: Delay): Promise<InsertResult>;
  async insert(
    first: Task | NewRecord,
    second?: unknown,
    third: TaskInsertOptions<never> = {},
  ): Promise<InsertResult> {
    const item = isTask(first) ? await this.itemOfTask(first, second, third) : this.itemWith(first, second);
    return { id: item.id, inserted: (await this.store.insert(item)) === 'inserted' };
  }

  /**
   * Inserts many records of a task from any source, without reading it ahead. One bad record never stops the others: it
   * is reported in `failed`. The source gives payloads, or `{ payload, ... }` with options of their own.
   *
   * @throws ConfigurationError for wrong options, InsertInterruptedError if the table cannot be used or reached, or at the signal; it says what went in
   */
  insertMany<Input, Priority extends string>(
    task: Task<Input, unknown, Priority>,
    payloads: Source<TaskEntry<NoInfer<Input>, NoInfer<Priority>>>,
    options?: TaskInsertManyOptions<NoInfer<Input>, NoInfer<Priority>>,
  ): Promise<InsertManyResult>;
  /**
   * Inserts many records as they are, from any source, without reading it ahead. One bad record never stops the others:
   * it is reported in `failed`.
   *
   * @throws ConfigurationError for wrong options, InsertInterruptedError if the table cannot be used or reached, or at the
   *   signal; it says what went in
   */
  insertMany(records: Source<NewRecord>, options?: InsertManyOptions): Promise<InsertManyResult>;
  async insertMany(
    first: Task | Source<NewRecord>,
    second?: unknown,
    third: TaskInsertManyOptions<never> = {},
  ): Promise<InsertManyResult> {
    const { clock, random, bulk } = this;
    const insert = (items: readonly Item[]) => bulk.insert(items);
    if (isTask(first)) {
      const { concurrency, onProgress, signal, ...common } = third;
      const flow = parseOptions(flowSchema, { concurrency, onProgress, signal }, 'insertMany');
      if (Object.hasOwn(common, 'id'))
        throw new ConfigurationError('insertMany.id: expected nothing, as it is for each record');
      checkOptions(first, common, clock.now());
      return insertMany(sourceOf(second), {
        ...flow,
        itemOf: (given) => {
          const { payload, options } = entryOf(given, common);
          return this.itemOfTask(first, payload, options);
        },
        // An attribute `id` of a bare payload is not the record's id.
        idOf: (given) => (isWrapped(given) ? given.id : undefined),
        insert,
        clock,
        random,
      });
    }
    const { concurrency, onProgress, signal, ...delay } = parseOptions(
      insertManySchema,
      second ?? {},
      'insertMany',
    );
    const availableAt = availableAtOf(delay as Delay, clock.now());
    const source = sourceOf(first) as Source<NewRecord>;
    const itemOf = (record: NewRecord) => this.itemOf(record, availableAt);
    const idOf = (record: NewRecord | undefined) => record?.id;
    return insertMany(source, { concurrency, onProgress, signal, itemOf, idOf, insert, clock, random });
  }

  private itemWith(record: NewRecord, options: unknown = {}) {
    const delay = parseOptions(insertSchema, options, 'insert') as Delay;
    return this.itemOf(record, availableAtOf(delay, this.clock.now()));
  }

  private async itemOfTask(task: Task, payload: unknown, options: TaskInsertOptions<never>) {
    const { record, availableAt } = await prepare(task, payload, options, this.clock.now());
    return this.itemOf(record, availableAt);
  }

  private itemOf(record: NewRecord, availableAt: number | undefined) {
    const { random, indexesAtOnce } = this;
    try {
      return itemOf(record, { now: this.clock.now(), availableAt, random, indexesAtOnce });
    } catch (error) {
      if (error instanceof InvalidRecordError) throw error;
      // A getter or a proxy of the producer's has thrown.
      throw new InvalidRecordError('record: an attribute of it cannot be read', { cause: error });
    }
  }
}

function sourceOf(given: unknown): Source<unknown> {
  const isSource =
    typeof given === 'object' &&
    given !== null &&
    (Symbol.iterator in given || Symbol.asyncIterator in given);
  if (isSource) return given as Source<unknown>;
  throw new ConfigurationError(
    `insertMany: expected an array, or another source of records, got ${show(given)}`,
  );
}
