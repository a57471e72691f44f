import * as z from 'zod/mini';
import { type Clock, systemClock } from '../clock.js';
import { type Random, systemRandom } from '../random.js';
import { QUEUE_PATTERN } from '../record/index.js';
import {
  type BacklogStore,
  createDynamoDbClient,
  type DynamoDBClient,
  DynamoDbStore,
} from '../store/index.js';
import { parseOptions } from '../validation.js';
import { availableAtOf, type Delay } from './delay.js';
import { type InsertManyResult, type InsertProgress, insertMany } from './insert-many.js';
import { itemOf, type NewRecord } from './new-record.js';

export interface BacklogClientOptions {
  /** Name of the table of records. */
  readonly table: string;
  /** Your own DynamoDB client, instead of `endpoint` and `region`. */
  readonly client?: DynamoDBClient | undefined;
  /** Of the local runtime or another emulator. Default: AWS. */
  readonly endpoint?: string | undefined;
  /** Default: the environment's. */
  readonly region?: string | undefined;
  /**
   * Queues whose records the client itself gives their place in the index, or `true` for all: those with
   * `arrivals: 'schedule'`, where that saves a write unit, and all where no intake looks after the table. Delayed records
   * always get theirs. Default: none; the intake sees to them.
   */
  readonly indexAtOnce?: boolean | readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

export interface InsertManyOptions extends Delay {
  /** Inserts at once. Default 25. */
  readonly concurrency?: number | undefined;
  /** Called after every record with the counts so far. */
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
}

export interface InsertResult {
  readonly id: string;
  /** False if a record with this id was there already; it was left alone. */
  readonly inserted: boolean;
}

const optionsSchema = z
  .strictObject({
    table: z.string().check(z.regex(/^[A-Za-z0-9_.:/-]{3,1011}$/, 'expected the name of a DynamoDB table')),
    client: z.optional(
      z.custom<DynamoDBClient>(
        (value) => typeof (value as { send?: unknown })?.send === 'function',
        'expected a DynamoDBClient',
      ),
    ),
    endpoint: z.optional(z.url({ protocol: /^https?$/ })),
    region: z.optional(z.string().check(z.minLength(1))),
    indexAtOnce: z._default(
      z.union([z.boolean(), z.array(z.string().check(z.regex(QUEUE_PATTERN)))], {
        error: 'expected true, false or names of queues',
      }),
      false,
    ),
    clock: z.optional(
      z.custom<Clock>((value) => typeof (value as Clock)?.now === 'function', 'expected a Clock'),
    ),
    random: z.optional(z.custom<Random>((value) => typeof value === 'function', 'expected a function')),
  })
  .check(
    z.refine(
      ({ client, endpoint, region }) => !client || (endpoint === undefined && region === undefined),
      'expected either client, or endpoint and region',
    ),
  );

const delaySchema = { wait: z.optional(z.unknown()), at: z.optional(z.unknown()) };
const insertSchema = z.strictObject(delaySchema);
const insertManySchema = z.strictObject({
  ...delaySchema,
  concurrency: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 25),
  onProgress: z.optional(
    z.custom<(progress: InsertProgress) => void>(
      (value) => typeof value === 'function',
      'expected a function',
    ),
  ),
});

/**
 * Puts records into the backlog. Needs `dynamodb:PutItem` and `dynamodb:GetItem` on the table.
 *
 *     const backlog = new BacklogClient({ table: 'orders-backlog' });
 *     await backlog.insert({ id: 'order-7', payload: { amount: 12 }, queue: 'orders' }, { wait: '5m' });
 */
export class BacklogClient {
  private readonly store: BacklogStore;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly indexesAtOnce: (queue: string) => boolean;

  /** @throws ConfigurationError for an option that is missing, unknown or makes no sense */
  constructor(options: BacklogClientOptions) {
    const { table, client, endpoint, region, indexAtOnce, clock, random } = parseOptions(
      optionsSchema,
      options,
      'BacklogClient',
    );
    this.clock = clock ?? systemClock;
    this.random = random ?? systemRandom;
    this.indexesAtOnce = (queue) =>
      typeof indexAtOnce === 'boolean' ? indexAtOnce : indexAtOnce.includes(queue);
    this.store = new DynamoDbStore({
      client: client ?? createDynamoDbClient({ endpoint, region }),
      // A producer touches records only.
      tables: { records: table, control: table },
      clock: this.clock,
      random: this.random,
    });
  }

  /**
   * Inserts one record. An id that is there already is left alone, and is no error.
   *
   * @throws InvalidRecordError for a record that cannot be stored, ConfigurationError for wrong options,
   *   StoreError if the table cannot be used or reached
   */
  async insert(record: NewRecord, options: Delay = {}): Promise<InsertResult> {
    parseOptions(insertSchema, options, 'insert');
    const item = this.itemOf(record, availableAtOf(options, this.clock.now()));
    return { id: item.id, inserted: (await this.store.insert(item)) === 'inserted' };
  }

  /**
   * Inserts records from any source, without reading it ahead. One bad record never stops the others: it is
   * reported in `failed`.
   *
   * @throws InsertInterruptedError if the table cannot be used or reached; it says what went in
   */
  async insertMany(
    records: Iterable<NewRecord> | AsyncIterable<NewRecord>,
    options: InsertManyOptions = {},
  ): Promise<InsertManyResult> {
    const { concurrency, onProgress } = parseOptions(insertManySchema, options, 'insertMany');
    const availableAt = availableAtOf(options, this.clock.now());
    return insertMany(records, {
      itemOf: (record) => this.itemOf(record, availableAt),
      store: this.store,
      clock: this.clock,
      random: this.random,
      concurrency,
      onProgress,
    });
  }

  private itemOf(record: NewRecord, availableAt: number | undefined) {
    const { random, indexesAtOnce } = this;
    return itemOf(record, { now: this.clock.now(), availableAt, random, indexesAtOnce });
  }
}
