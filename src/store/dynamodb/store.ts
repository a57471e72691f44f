import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../support/clock.js';
import { type Random, systemRandom } from '../../support/random.js';
import { whenUsed } from '../../support/when-used.js';
import type {
  ActiveRegionStore,
  BacklogStore,
  BreakerStore,
  ClaimStore,
  KeySlotStore,
  LeaseStore,
  LineReader,
  PageStore,
  PermitStore,
  QueueStore,
  RecordStore,
  RegistryStore,
  SlotStore,
} from '../store.js';
import { DynamoDbClaims } from './claims.js';
import type { OnDamaged } from './control-values.js';
import { DynamoDbLeases } from './leases.js';
import { DynamoDbPages } from './pages.js';
import { DynamoDbQueues } from './queues.js';
import { DynamoDbRecords } from './records.js';
import { DynamoDbActiveRegion, DynamoDbRegistry } from './registry.js';
import { type OnConsumed, Table } from './table.js';

/** @inline */
export interface DynamoDbStoreDeps {
  /** A client of the AWS SDK, such as `createDynamoDbClient` makes. */
  readonly client: DynamoDBClient;
  /** Names of the two tables; the construct `Backlog` creates them. */
  readonly tables: {
    /** The table of records: partition key `id`, index `due`. */
    readonly records: string;
    /** The control table: partition key `key`. */
    readonly control: string;
  };
  /** The clock of both times; `systemClock`, or a test's. */
  readonly clock: Clock;
  /** Random numbers that spread the repetitions of batch reads. Default: the system's. */
  readonly random?: Random | undefined;
  /**
   * Changes of records that are written at the same time are written by one request. It needs the right
   * `dynamodb:PartiQLUpdate`; without it, each has a request of its own. Default: true.
   */
  readonly groupWrites?: boolean | undefined;
  /** Called for each request with its cost. */
  readonly onConsumed?: OnConsumed | undefined;
  /** Called when attributes of a control item are invalid, and get new values. */
  readonly onDamaged?: OnDamaged | undefined;
}

/** The backlog in two DynamoDB tables: the users' records, and a small one for leases and queues. */
export class DynamoDbStore implements BacklogStore {
  readonly records: RecordStore;
  readonly pages: PageStore;
  readonly leases: LeaseStore;
  readonly claims: ClaimStore;
  readonly queues: QueueStore;
  readonly breakers: BreakerStore;
  readonly permits: PermitStore;
  readonly slots: SlotStore;
  readonly keySlots: KeySlotStore;
  readonly registry: RegistryStore;
  readonly activeRegion: ActiveRegionStore;
  readonly lines: LineReader;

  constructor(deps: DynamoDbStoreDeps) {
    const { clock, groupWrites = true, onDamaged = () => {} } = deps;
    const { records: table, control } = tablesOf(deps);
    const records = new DynamoDbRecords(table, clock, groupWrites);
    const queues = new DynamoDbQueues(control);
    this.records = records;
    this.pages = new DynamoDbPages(table, records, queues);
    this.leases = new DynamoDbLeases(control, clock, onDamaged);
    this.claims = new DynamoDbClaims(control, onDamaged);
    this.queues = queues;
    this.breakers = whenUsed(async () => new (await import('./limits.js')).DynamoDbBreakers(control));
    this.permits = whenUsed(async () => new (await import('./limits.js')).DynamoDbPermits(control));
    this.slots = whenUsed(async () => new (await import('./limits.js')).DynamoDbSlots(control));
    this.keySlots = whenUsed(async () => new (await import('./limits.js')).DynamoDbKeySlots(control, clock));
    this.registry = new DynamoDbRegistry(control, onDamaged);
    this.activeRegion = new DynamoDbActiveRegion(control, onDamaged);
    this.lines = control;
  }
}

/** The two tables. */
export function tablesOf({ client, tables, clock, random = systemRandom, onConsumed }: DynamoDbStoreDeps): {
  readonly records: Table;
  readonly control: Table;
} {
  const common = { client, clock, random, onConsumed };
  return {
    records: new Table({ ...common, name: tables.records, keyName: 'id' }),
    control: new Table({ ...common, name: tables.control, keyName: 'key' }),
  };
}
