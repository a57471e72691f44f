import type {
  BatchExecuteStatementCommandInput,
  BatchStatementRequest,
  ConsumedCapacity,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { itemBytes } from '../../src/record/item-size.js';

/** The requests of a client, and their units of tables and indexes. */
export interface Used {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

type Item = Readonly<Record<string, unknown>>;

const READS: ReadonlySet<string> = new Set(['Query', 'Scan', 'GetItem', 'BatchGetItem', 'TransactGetItems']);
/** AWS bills half a unit for a query that finds nothing; DynamoDB Local reports 0. */
const MIN_QUERY_UNITS = 0.5;
const UNIT_BYTES = 1024;

/**
 * Counts what a client sends, and asks for its cost. DynamoDB tells that of every request but one: of a group of statements,
 * DynamoDB Local tells nothing. So that is computed from each item before and after it, by the rule of AWS.
 */
export class Meter {
  private requests = 0;
  private readUnits = 0;
  private writeUnits = 0;

  /** @param reader of items, whose requests do not count */
  constructor(
    client: DynamoDBClient,
    private readonly reader: DynamoDBDocumentClient,
  ) {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const name = String(context.commandName).replace(/Command$/, '');
        if (name.endsWith('Table')) return next(args);
        this.requests++;
        const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
        if (name === 'BatchExecuteStatement') {
          const { Statements = [] } = input as unknown as BatchExecuteStatementCommandInput;
          const before = await this.itemsOf(Statements);
          const answer = await next({ ...args, input });
          const after = await this.itemsOf(Statements);
          this.writeUnits += before.reduce((sum, item, i) => sum + unitsOf(item, after[i] ?? {}), 0);
          return answer;
        }
        const answer = await next({ ...args, input });
        const { ConsumedCapacity: consumed = [] } = answer.output as {
          ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
        };
        const units = [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        if (!READS.has(name)) this.writeUnits += units;
        else this.readUnits += name === 'Query' ? Math.max(units, MIN_QUERY_UNITS) : units;
        return answer;
      },
      { step: 'initialize', name: 'meter' },
    );
  }

  /** Returns what was used since the last call. */
  take(): Used {
    const { requests, readUnits, writeUnits } = this;
    Object.assign(this, { requests: 0, readUnits: 0, writeUnits: 0 });
    return { requests, readUnits, writeUnits };
  }

  private itemsOf(statements: readonly BatchStatementRequest[]): Promise<Item[]> {
    return Promise.all(
      statements.map(async ({ Statement = '', Parameters = [] }) => {
        const [, table] = /^(?:UPDATE|INSERT INTO) "([^"]+)"/.exec(Statement) ?? [];
        const upToId = Statement.slice(0, Statement.search(/["']id["'] ?[=:] ?\?/));
        const id = Parameters[upToId.split('?').length - 1];
        if (!table || !id) throw new Error(`expected a write by id, got ${Statement}`);
        const { Item = {} } = await this.reader.send(
          new GetCommand({ TableName: table, Key: { id: id.S }, ConsistentRead: true }),
        );
        return Item;
      }),
    );
  }
}

/** The units of a write: the larger item by kilobytes, and one for each entry that its index of keys loses or gets. */
function unitsOf(before: Item, after: Item): number {
  const table = Math.ceil(Math.max(itemBytes(before), itemBytes(after), 1) / UNIT_BYTES);
  const [old, now] = [keyOf(before), keyOf(after)];
  return table + (old === now ? 0 : (old ? 1 : 0) + (now ? 1 : 0));
}

function keyOf({ lane, dueAt }: Item): string | undefined {
  return lane === undefined || dueAt === undefined ? undefined : `${lane} ${dueAt}`;
}
