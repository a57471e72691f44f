import type { InsertManyResult, InsertProgress } from '../client/index.js';
import { itemOf, type NewRecord } from '../client/new-record.js';
import { type Source, sourceOf } from '../client/options.js';
import { entryOf, type TaskEntry } from '../client/task-entry.js';
import { prepare } from '../client/task-record.js';
import { clientFor } from '../connection.js';
import { DEFAULT_QUEUE } from '../record/index.js';
import { isKey, KEY_FORM } from '../record/key.js';
import { QUEUE_NAME, QUEUE_PATTERN } from '../record/record.js';
import { DynamoDbNumberedInserts } from '../store/dynamodb/numbered-inserts.js';
import { DynamoDbRecords } from '../store/dynamodb/records.js';
import { DynamoDbSharedItems } from '../store/dynamodb/shared-items.js';
import { tablesOf } from '../store/dynamodb/store.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import type { Random } from '../support/random.js';
import { parseOptions, show } from '../support/validation.js';
import { isTask, type Task } from '../tasks/index.js';
import { insertNumbered } from './insert-numbered.js';
import { NEW_LINE } from './line.js';
import { LineItems } from './line-items.js';
import type { Entry as LineEntry } from './line-page.js';
import { type RecordLine, viewLine } from './line-view.js';
import { heldLinesKey, LINE_PREFIX, type LineName } from './names.js';
import { type HeldKeys, parseHeldNote } from './note-held.js';
import {
  insertOptions,
  type RecordLinesOptions,
  type RecordLinesStore,
  recordLinesSchema,
} from './options.js';

/** Options of an insertion. */
export interface InsertLinesOptions {
  /** Ends the insertion: what is under way is finished. Default: it ends with the source. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the counts so far, after each transaction. */
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
}

/**
 * Records of queues with `order`: those of one key are attempted one after another, by their numbers. Numbers are given with the
 * insertion, in the same transaction, so that none is missing. Needs the rights of the construct's `grantInsertInOrder`.
 *
 *     const lines = new RecordLines({ table: 'orders-backlog', controlTable: 'orders-control' });
 *     await lines.insert([{ queue: 'orders', key: 'order-7', payload: { paid: true } }]);
 */
export class RecordLines {
  private readonly store: RecordLinesStore;
  private readonly clock: Clock;
  private readonly random: Random;

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: RecordLinesOptions) {
    const parsed = parseOptions(recordLinesSchema, options, 'RecordLines');
    const { table, controlTable, clock, random, store } = parsed;
    this.clock = clock;
    this.random = random;
    if (store) {
      this.store = store;
      return;
    }
    const client = clientFor(parsed);
    const tables = { records: table, control: controlTable };
    const { records, control } = tablesOf({ client, tables, clock, random });
    this.store = {
      records: new DynamoDbRecords(records, clock, false),
      lines: new DynamoDbSharedItems(control),
      numbered: new DynamoDbNumberedInserts({ client, records, control, clock, random }),
    };
  }

  /**
   * Inserts records of a task at the ends of the lines of their keys, in the order of the source. Ids that exist already are left alone,
   * and get no number. So a call that was cut off may be made again with the same ids.
   *
   * A transaction costs two write units for each KB of a record, in place of one, and two for its line; up to 99 records of one key share
   * these.
   *
   * @param payloads of the task, which names a key; or `{ payload, ... }` with options of their own
   * @throws InsertInterruptedError at the signal, or if a table cannot be used
   */
  insert<Input, Priority extends string>(
    task: Task<Input, unknown, Priority>,
    payloads: Source<TaskEntry<NoInfer<Input>, NoInfer<Priority>>>,
    options?: InsertLinesOptions,
  ): Promise<InsertManyResult>;
  /** Inserts records as they are, each with a `key`. */
  insert(records: Source<NewRecord>, options?: InsertLinesOptions): Promise<InsertManyResult>;
  insert(
    first: Task | Source<NewRecord>,
    second?: unknown,
    third?: InsertLinesOptions,
  ): Promise<InsertManyResult> {
    const task = isTask(first) ? first : undefined;
    const given = task ? second : first;
    const options = parseOptions(insertOptions, (task ? third : second) ?? {}, 'insert');
    const { signal, onProgress } = options as InsertLinesOptions;
    const { numbered } = this.store;
    const source = sourceOf(given, 'insert');
    const item = (one: unknown) => this.itemOf(task, one);
    return insertNumbered(source, { itemOf: item, numbered, clock: this.clock, signal, onProgress });
  }

  /**
   * Reads the line of a key, strongly: its head, the reason for which the next record waits, and how many wait. One read unit, one or more
   * for the head, and a half for each 16 records that wait. Undefined: no record has come to it.
   *
   * @throws ConfigurationError for what is no queue or key, StoreError
   */
  async get(name: LineName): Promise<RecordLine | undefined> {
    const { queue, key } = checked(name);
    const items = this.itemsOf({ queue, key });
    const line = await items.read();
    if (line === NEW_LINE) return undefined;
    return viewLine({ queue, key }, line, { items, records: this.store.records, now: this.clock.now() });
  }

  /**
   * Reads the ids of the records that wait behind the head, in the order of their numbers; stop when you have enough. Some may have ended
   * meanwhile.
   *
   * @throws ConfigurationError for what is no queue or key, StoreError
   */
  async *waiting(name: LineName): AsyncGenerator<LineEntry> {
    const { queue, key } = checked(name);
    const items = this.itemsOf({ queue, key });
    const line = await items.read();
    for await (const entry of items.entriesFrom(line)) {
      if (entry.seq >= line.next && entry.id !== line.head?.id) yield { id: entry.id, seq: entry.seq };
    }
  }

  /**
   * Reads the lines of a queue that are not idle, unordered; stop when you have enough. It reads the whole control table, and then each
   * line as `get` does.
   *
   * @throws ConfigurationError for what is no queue, StoreError
   */
  async *list(queue: string): AsyncGenerator<RecordLine> {
    checked({ queue, key: 'any' });
    const prefix = `${LINE_PREFIX}${queue}#`;
    for (const name of await this.store.lines.list(prefix)) {
      const line = await this.get({ queue, key: name.slice(prefix.length) });
      if (line && line.state !== 'idle') yield line;
    }
  }

  /**
   * Reads which lines of a queue are held until an operator acts: by a dead record, or by a number that does not come. One read unit,
   * or up to six for a hundred long keys. A line that goes on meanwhile stays noted for up to five minutes: `get` tells.
   *
   * @throws ConfigurationError for what is no queue, StoreError
   */
  async held(queue: string): Promise<HeldKeys> {
    const name = heldLinesKey(checked({ queue, key: 'any' }).queue);
    const { keys, hasMore } = parseHeldNote((await this.store.lines.read([name])).get(name));
    return { keys, hasMore };
  }

  private itemsOf(name: LineName): LineItems {
    return new LineItems(name, { lines: this.store.lines, random: this.random });
  }

  private async itemOf(task: Task | undefined, given: unknown) {
    const now = this.clock.now();
    const context = { now, random: this.random, indexesAtOnce: () => false };
    const { record, availableAt } = task
      ? await preparedOf(task, given, now)
      : { record: given as NewRecord, availableAt: undefined };
    const { seq, key, queue = DEFAULT_QUEUE } = (record ?? {}) as Partial<NewRecord>;
    const fail = (reason: string): never => {
      throw new InvalidRecordError(`record ${show((record as Partial<NewRecord>)?.id)}: ${reason}`);
    };
    if (seq !== undefined) fail(`seq: expected nothing, as RecordLines gives the number, got ${show(seq)}`);
    if (!isKey(key)) return fail(`key: expected ${KEY_FORM}, got ${show(key)}`);
    // A number keeps it from being indexed before its turn: the insertion gives the right one.
    const item = itemOf({ ...record, key, seq: 1 }, { ...context, availableAt });
    return { ...item, queue, key };
  }
}

async function preparedOf(task: Task, given: unknown, now: number) {
  const { payload, options } = entryOf(given, {});
  return prepare(task, payload, options, now);
}

function checked(name: LineName): LineName {
  const { queue, key } = (name ?? {}) as Partial<LineName>;
  if (typeof queue !== 'string' || !QUEUE_PATTERN.test(queue))
    throw new ConfigurationError(`queue: expected ${QUEUE_NAME}, got ${show(queue)}`);
  if (!isKey(key)) throw new ConfigurationError(`key: expected ${KEY_FORM}, got ${show(key)}`);
  return { queue, key };
}
