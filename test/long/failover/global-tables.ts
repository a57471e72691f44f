import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { VirtualTime as Time, type VirtualTime } from '../../../src/support/virtual-time.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import type { AttributeMap, Change } from '../../../tools/src/local/streams/change.js';
import { oldTable } from '../../cli/old-table.js';

export const REGIONS = ['eu-central-1', 'eu-west-1'] as const;
export type RegionName = (typeof REGIONS)[number];
export const TABLES = { records: 'Records', control: 'Control' };

const START = Date.UTC(2026, 10, 20, 9, 30);

interface Replica {
  readonly dynamodb: EmbeddedDynamoDb;
  readonly client: DynamoDBClient;
  /** When each item was written last, by whichever region. */
  readonly writtenAt: Map<string, number>;
  /** Replicated writes that are about to arrive. */
  readonly arriving: Set<string>;
}

/**
 * Two DynamoDBs with the same tables, which replicate each write as global tables do: after a while, and item by item. Of two
 * writes of an item, the later one wins. Their clock is frozen while a request is under way.
 */
export class GlobalTables {
  readonly time: VirtualTime;
  lagMs = 1_000;
  /** Nothing is replicated; what was written meanwhile follows later. */
  isBroken = false;
  onChange: (region: RegionName, change: Change) => void = () => {};
  private readonly replicas = new Map<RegionName, Replica>();
  private readonly heldUp: (() => Promise<void>)[] = [];
  private inFlight = 0;
  private order = 0;

  private constructor() {
    this.time = new Time(START, async () => {
      do {
        for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
      } while (this.inFlight > 0);
    });
  }

  static async start(): Promise<GlobalTables> {
    const tables = new GlobalTables();
    for (const region of REGIONS) {
      const dynamodb = await startEmbeddedDynamoDb({ onChange: (change) => tables.written(region, change) });
      const made = [
        await oldTable(dynamodb.endpoint, TABLES.records),
        await oldTable(dynamodb.endpoint, TABLES.control, { key: 'key', index: false }),
      ];
      for (const table of made) table.close();
      const client = tables.createClient({ endpoint: dynamodb.endpoint });
      tables.replicas.set(region, { dynamodb, client, writtenAt: new Map(), arriving: new Set() });
    }
    return tables;
  }

  async stop(): Promise<void> {
    for (const { dynamodb, client } of this.replicas.values()) {
      client.destroy();
      await dynamodb.stop();
    }
  }

  /** Creates a client whose requests take no time: the clock is frozen until the answer. */
  readonly createClient: typeof createDynamoDbClient = (options) => {
    const client = createDynamoDbClient(options);
    client.middlewareStack.add(
      (next) => async (args) => {
        this.inFlight++;
        try {
          return await next(args);
        } finally {
          this.inFlight--;
        }
      },
      { step: 'initialize' },
    );
    return client;
  };

  endpoint(region: RegionName): string {
    return this.of(region).dynamodb.endpoint;
  }

  client(region: RegionName): DynamoDBClient {
    return this.of(region).client;
  }

  async put(region: RegionName, item: PutItemCommand['input']['Item']): Promise<void> {
    await this.client(region).send(new PutItemCommand({ TableName: TABLES.records, Item: item }));
  }

  async mend(): Promise<void> {
    this.isBroken = false;
    for (const replicate of this.heldUp.splice(0)) await replicate();
  }

  private written(region: RegionName, change: Change): void {
    const { table, before, after } = change;
    const key = keyOf(table, after ?? before);
    const { writtenAt, arriving } = this.of(region);
    this.onChange(region, change);
    if (arriving.delete(mark(key, after))) return;
    const at = ++this.order;
    writtenAt.set(key, at);
    for (const other of REGIONS) {
      if (other === region) continue;
      const replicate = () =>
        this.replicate(other, { table, item: after ?? before, isGone: !after, at, key });
      if (this.isBroken) this.heldUp.push(replicate);
      else this.time.after(this.lagMs, () => void replicate());
    }
  }

  private async replicate(
    region: RegionName,
    write: { table: string; item: AttributeMap | undefined; isGone: boolean; at: number; key: string },
  ): Promise<void> {
    const { client, writtenAt, arriving } = this.of(region);
    const { table, item, isGone, at, key } = write;
    if ((writtenAt.get(key) ?? 0) > at || !item) return;
    writtenAt.set(key, at);
    arriving.add(mark(key, isGone ? undefined : item));
    const name = table === TABLES.records ? 'id' : 'key';
    const Item = item as PutItemCommand['input']['Item'];
    if (isGone) {
      await client.send(new DeleteItemCommand({ TableName: table, Key: { [name]: Item?.[name] } as never }));
    } else await client.send(new PutItemCommand({ TableName: table, Item }));
  }

  private of(region: RegionName): Replica {
    const replica = this.replicas.get(region);
    if (!replica) throw new Error(`no replica in ${region}`);
    return replica;
  }
}

function keyOf(table: string, item: AttributeMap | undefined): string {
  return `${table}/${JSON.stringify(item?.[table === TABLES.records ? 'id' : 'key'])}`;
}

function mark(key: string, after: AttributeMap | undefined): string {
  return `${key}=${JSON.stringify(after)}`;
}
