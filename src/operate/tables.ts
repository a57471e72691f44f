import { setMaxListeners } from 'node:events';
import * as z from 'zod/mini';
import {
  type ConnectionOptions,
  clientAlone,
  clientFor,
  connectionShape,
  storeWith,
  tableName,
} from '../connection.js';
import { isPassive } from '../registry/regions.js';
import { isOfStore } from '../store/errors.js';
import { type DynamoDBClient, DynamoDbOperatorStore } from '../store/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import { patiently } from '../store/patience.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import type { Random } from '../support/random.js';
import { parseOptions } from '../support/validation.js';

/** Options of a `BacklogOperator`. Both tables are required. */
export interface BacklogOperatorOptions extends ConnectionOptions {
  /** Name of the table of records. */
  readonly table: string;
  /** Name of the table of leases and queues. */
  readonly controlTable: string;
  /** A store in place of the tables, for tests, such as a `MemoryStore`. */
  readonly store?: OperatorStore | undefined;
}

const operatorSchema = z
  .strictObject({
    table: tableName,
    controlTable: tableName,
    ...connectionShape,
    store: z.optional(storeWith<OperatorStore>('change')),
  })
  .check(clientAlone);

/** @inline */
interface Units {
  /** Read units. */
  readonly readUnits: number;
  /** Write units. */
  readonly writeUnits: number;
}

/** The two tables of a backlog, as an operator works on them. */
export class Tables {
  /** The backlog's clock. */
  readonly clock: Clock;
  /** The source of random numbers. */
  readonly random: Random;
  private readonly names: { readonly records: string; readonly control: string };
  private readonly given: { readonly store: OperatorStore } | { readonly client: DynamoDBClient };

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: BacklogOperatorOptions) {
    const parsed = parseOptions(operatorSchema, options, 'BacklogOperator');
    const { table, controlTable, store, clock, random } = parsed;
    this.clock = clock;
    this.random = random;
    this.names = { records: table, control: controlTable };
    this.given = store ? { store } : { client: clientFor(parsed) };
  }

  /** Opens the tables' store, with the units that it has cost so far: calls at the same time do not share them. */
  open(): {
    /** The store of both tables. */
    readonly store: OperatorStore;
    /** The units so far. */
    readonly units: () => Units;
  } {
    const units = { readUnits: 0, writeUnits: 0 };
    const { given, names: tables, clock, random } = this;
    if ('store' in given) return { store: given.store, units: () => units };
    const store = new DynamoDbOperatorStore({
      client: given.client,
      tables,
      clock,
      random,
      onConsumed: (consumed) => {
        if (consumed.kind === 'read') units.readUnits += consumed.units;
        else units.writeUnits += consumed.units;
      },
    });
    return { store, units: () => ({ ...units }) };
  }

  /** The client's region; undefined: a store was given. */
  async region(): Promise<string | undefined> {
    return 'client' in this.given ? this.given.client.config.region() : undefined;
  }

  /** Tells whether another region than the client's is the active one. If the tables do not answer, a change of records says so. */
  async isPassive(store: OperatorStore): Promise<boolean> {
    const region = await this.region();
    const lookUp = async () => {
      const { primaryRegion } = await store.registry.read();
      return isPassive({ region, primaryRegion }, store, this.clock.now());
    };
    return lookUp().catch((error: unknown) => {
      if (isOfStore(error)) return false;
      throw error;
    });
  }

  /**
   * Refuses changes of records in a region that is not the active one.
   *
   * @throws ConfigurationError if another region than the client's is the active one: of two writes of a record, replication
   *   keeps the later one, so an attempt of that region could be undone
   */
  async checkRegion(store: OperatorStore): Promise<void> {
    if (!(await this.isPassive(store))) return;
    const active = await store.activeRegion.read();
    throw new ConfigurationError(
      `expected the region that attempts the records (${active?.region ?? 'the primary one'}), got ${await this.region()}: change records ` +
        'there (AWS_REGION), or make this region the active one (backlog failover)',
    );
  }

  /** Repeats what DynamoDB throttles or does not answer, until the signal is aborted. */
  patiently(signal: AbortSignal = new AbortController().signal, onTrouble = (_message: string): void => {}) {
    const { clock } = this;
    // Every lane of a queue is asked at once, and each request may wait for it.
    setMaxListeners(0, signal);
    return <Answer>(request: () => Promise<Answer>) => patiently(request, { clock, signal, onTrouble });
  }
}
