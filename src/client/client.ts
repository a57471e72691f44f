import { clientFor } from '../connection.js';
import type { BacklogRecord, Item } from '../record/index.js';
import { DynamoDbBulkInserts, insertSingle } from '../store/dynamodb/bulk-inserts.js';
import { DynamoDbStore } from '../store/index.js';
import { watchAttempts } from '../support/attempt-scope.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import type { Random } from '../support/random.js';
import { parseOptions } from '../support/validation.js';
import { isTask, type Task } from '../tasks/index.js';
import type { CancelResult } from './cancel.js';
import type { CompletionResult, OutsideEnd } from './complete.js';
import { availableAtOf, type Delay } from './delay.js';
import { type InsertManyResult, insertMany } from './insert-many.js';
import { itemOf, type NewRecord } from './new-record.js';
import {
  type BacklogClientOptions,
  type CancelOptions,
  type ClientStore,
  cancelSchema,
  flowSchema,
  type HeartbeatOptions,
  heartbeatSchema,
  type InsertManyOptions,
  idSchema,
  insertManySchema,
  insertSchema,
  type ListOptions,
  type LookUp,
  listSchema,
  optionsSchema,
  type Source,
  sourceOf,
  type TaskInsertManyOptions,
  type WaitOptions,
  waitSchema,
} from './options.js';
import { entryOf, isWrapped, type TaskEntry } from './task-entry.js';
import { checkOptions, prepare, type TaskInsertOptions } from './task-record.js';
import { waitForEnd } from './wait.js';

/** The result of an insertion. */
export interface InsertResult {
  /** The record's id: the one that was given, or the one that the client made. */
  readonly id: string;
  /** The record was inserted. False: a record with this id was there already, and was left alone. */
  readonly inserted: boolean;
}

/**
 * Puts records into the backlog, says what became of one, and takes one back. Inserting needs the rights of the
 * construct's `grantInsert`, `get` and `list` those of `grantRead`, and `cancel` those of `grantCancel`.
 *
 *     const backlog = new BacklogClient({ table: 'orders-backlog' });
 *     await backlog.insert({ id: 'order-7', payload: { amount: 12 }, queue: 'orders' }, { delay: '5m' });
 */
export class BacklogClient {
  private readonly records: ClientStore['records'];
  private readonly lookUp: () => Promise<LookUp>;
  private readonly bulk: Pick<DynamoDbBulkInserts, 'insert'>;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly maxHops: number;
  private readonly indexesAtOnce: (queue: string) => boolean;

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: BacklogClientOptions) {
    const parsed = parseOptions(optionsSchema, options, 'BacklogClient');
    const { table, indexAtOnce, maxHops, clock, random } = parsed;
    this.maxHops = maxHops;
    watchAttempts();
    this.clock = clock;
    this.random = random;
    this.indexesAtOnce = (queue) =>
      typeof indexAtOnce === 'boolean' ? indexAtOnce : indexAtOnce.includes(queue);
    const { store } = parsed;
    if (store) {
      this.records = store.records;
      this.lookUp = async () => wholeStore(store);
      this.bulk = { insert: (items) => Promise.all(items.map((item) => insertSingle(item, store.records))) };
      return;
    }
    const client = clientFor(parsed);
    // A producer touches records only.
    const tables = { records: table, control: table };
    const { records } = new DynamoDbStore({ client, tables, clock, random });
    this.records = records;
    this.lookUp = async () => {
      // Those who only insert load none of it.
      const { producerRecords } = await import('../store/dynamodb/producer-records.js');
      return producerRecords({ client, table, clock, random });
    };
    this.bulk = new DynamoDbBulkInserts({ client, table, single: records });
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
    return { id: item.id, inserted: (await this.records.insert(item)) === 'inserted' };
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
      return insertMany(sourceOf(second, 'insertMany'), {
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
    const source = sourceOf(first, 'insertMany') as Source<NewRecord>;
    const itemOf = (record: NewRecord) => this.itemOf(record, availableAt);
    const idOf = (record: NewRecord | undefined) => record?.id;
    return insertMany(source, { concurrency, onProgress, signal, itemOf, idOf, insert, clock, random });
  }

  /**
   * Reads one record: its `status`, `attempts`, `lastError`, when it is due (`dueAt`), and so on. Strongly consistent: one
   * read unit for each 4 KB. Undefined: there is none, or it succeeded and its retention is over.
   *
   * @throws ConfigurationError for what is no id, StoreError if the table cannot be used or reached
   */
  async get<Payload = unknown>(id: string): Promise<BacklogRecord<Payload> | undefined> {
    const records = await this.lookUp();
    return (await records.get(parseOptions(idSchema, id, 'get: id'))) as BacklogRecord<Payload> | undefined;
  }

  /**
   * Waits until a record has ended, as `SUCCESS` (its `result` is what its attempt gave) or `DEAD`. It reads as `get` does: at
   * once, after 0.1 seconds, and then after 1.5 times the wait before, up to 5 seconds; 15 reads in 30 seconds. Undefined:
   * there is none, or it succeeded and its retention is over.
   *
   * @throws WaitTimeoutError if it still waits then, the signal's reason if it is aborted, ConfigurationError for wrong options or
   *   what is no id, StoreError if the table cannot be used or reached
   */
  async wait<Payload = unknown>(
    id: string,
    options: WaitOptions = {},
  ): Promise<BacklogRecord<Payload> | undefined> {
    const { timeout, signal } = parseOptions(waitSchema, options, 'wait');
    const records = await this.lookUp();
    const wanted = { id: parseOptions(idSchema, id, 'wait: id'), timeoutMs: timeout * 1000, signal };
    return (await waitForEnd(wanted, { records, clock: this.clock })) as BacklogRecord<Payload> | undefined;
  }

  /**
   * Reads the records of a queue that wait or were given up, page after page, unordered; stop when you have enough. It
   * reads the index, so its cost grows with what it finds: one read unit for each 4 KB of a record, and 16 for the index
   * of a small queue. The index is eventually consistent, and a record that was put a moment ago is not in it yet.
   *
   *     for await (const { id, lastError } of backlog.list({ queue: 'orders', status: 'DEAD' })) console.log(id, lastError);
   *
   * @throws ConfigurationError for wrong options, such as the status `SUCCESS`; StoreError if the table cannot be used or
   *   reached
   */
  async *list<Payload = unknown>(options: ListOptions): AsyncGenerator<BacklogRecord<Payload>> {
    const { limit = Number.POSITIVE_INFINITY, ...filter } = parseOptions(listSchema, options, 'list');
    const records = await this.lookUp();
    let count = 0;
    for await (const record of records.list(filter)) {
      yield record as BacklogRecord<Payload>;
      if (++count >= limit) return;
    }
  }

  /**
   * Takes a record back whose work is not wanted any more: it is `DEAD` with the reason `cancelled: …`, which sets off no
   * alarm, and is removed after 30 days. The outcome of an attempt under way is not written; one that may take more than 30
   * seconds is told to end, see `CancelResult`. One read and one write; where another process changed the record meanwhile, again.
   *
   * @throws ConfigurationError for wrong options or what is no id, StoreError if the table cannot be used or reached
   */
  async cancel(id: string, options: CancelOptions = {}): Promise<CancelResult> {
    const { reason } = parseOptions(cancelSchema, options, 'cancel');
    const records = await this.lookUp();
    const { cancelRecord } = await import('./cancel.js');
    const { clock, random } = this;
    return cancelRecord(parseOptions(idSchema, id, 'cancel: id'), reason, { records, clock, random });
  }

  /**
   * Completes an attempt that has ended as `Pending`, or is about to: its record is `SUCCESS`. The first end that an attempt is given
   * holds; the same one again is accepted. One read and one write.
   *
   *     await backlog.complete('order-7', token, { approvedBy: 'finance' });
   *
   * @param token the `token` of the attempt's context
   * @param result the value that the record keeps: anything that JSON can hold, up to 1,024 bytes of it. Default: none
   * @throws ConfigurationError for what is no id or no token, InvalidRecordError for a result that cannot be kept, StoreError if the table
   *   cannot be used or reached
   */
  async complete(id: string, token: string, result?: unknown): Promise<CompletionResult> {
    return this.endOutside('complete', id, token, ({ doneWith }) => doneWith(result));
  }

  /**
   * Fails an attempt that has ended as `Pending`, or is about to. That is a failure like any other: the next run of its queue writes it, and
   * its policy says when the next attempt is.
   *
   * @param token the `token` of the attempt's context
   * @param error the error, or its message; kept on the record as its `lastError`
   * @throws ConfigurationError for what is no id or no token, StoreError if the table cannot be used or reached
   */
  async fail(id: string, token: string, error: unknown): Promise<CompletionResult> {
    return this.endOutside('fail', id, token, ({ failedWith }) => failedWith(error));
  }

  /**
   * Prolongs the wait of an attempt that has ended as `Pending`: it is over at this time plus the timeout.
   *
   * @param token the `token` of the attempt's context
   * @param options `{ timeout }`: for this time, and not the timeout that the attempt gave
   * @throws ConfigurationError for what is no id or no token, or for wrong options, StoreError if the table cannot be used or reached
   */
  async heartbeat(id: string, token: string, options: HeartbeatOptions = {}): Promise<CompletionResult> {
    const { timeout } = parseOptions(heartbeatSchema, options, 'heartbeat');
    return this.endOutside('heartbeat', id, token, () => ({ type: 'heartbeat', seconds: timeout }));
  }

  private async endOutside(
    name: string,
    id: string,
    token: string,
    endBy: (code: typeof import('./complete.js')) => OutsideEnd,
  ): Promise<CompletionResult> {
    const code = await import('./complete.js');
    const end = endBy(code);
    const records = await this.lookUp();
    const { clock, random } = this;
    const parsed = [
      parseOptions(idSchema, id, `${name}: id`),
      parseOptions(idSchema, token, `${name}: token`),
    ] as const;
    return code.endOutside(...parsed, end, { records, clock, random });
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
    const { random, indexesAtOnce, maxHops } = this;
    try {
      return itemOf(record, { now: this.clock.now(), availableAt, random, indexesAtOnce, maxHops });
    } catch (error) {
      if (error instanceof InvalidRecordError) throw error;
      // A getter or a proxy of the producer's has thrown.
      throw new InvalidRecordError('record: an attribute of it cannot be read', { cause: error });
    }
  }
}

/** @throws ConfigurationError if the store can insert only */
function wholeStore(store: ClientStore): LookUp {
  const { records } = store;
  if (records.get && records.list && records.change && records.note) return records as LookUp;
  throw new ConfigurationError(
    'BacklogClient.store: expected a store whose records have get, list, change and note: see MemoryStore',
  );
}
