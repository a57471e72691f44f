import {
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import { DEFAULT_QUEUE, QUEUE_PATTERN, STATUSES } from '../../record/index.js';
import { type Attributes, lambdaImage } from './attribute-values.js';
import { ARRIVALS_PREFIX } from './claims.js';

/** Numbers of records by queue and status. An invalid value counts as a run reads it. */
export type StatusCounts = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** Counts the records by queue and status. It reads the whole table, so it is for a small one, on an emulator. */
export async function countRecords(
  client: DynamoDBClient,
  table: string,
  signal?: AbortSignal,
): Promise<StatusCounts> {
  const counts = new Map<string, Record<string, number>>();
  const input = {
    TableName: table,
    ProjectionExpression: '#queue, #status',
    ExpressionAttributeNames: { '#queue': 'queue', '#status': 'status' },
  };
  for await (const { queue, status } of scan(client, input, signal)) {
    const name = queue?.S !== undefined && QUEUE_PATTERN.test(queue.S) ? queue.S : DEFAULT_QUEUE;
    const known = counts.get(name) ?? {};
    const key = STATUSES.find((one) => one === status?.S) ?? 'NEW';
    known[key] = (known[key] ?? 0) + 1;
    counts.set(name, known);
  }
  return counts;
}

/** Gives ids that begin with this, in the order of the table, until the caller has enough of them. */
export async function* idsWith(
  client: DynamoDBClient,
  table: string,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const input = {
    TableName: table,
    ProjectionExpression: 'id',
    ...(prefix === ''
      ? {}
      : {
          FilterExpression: 'begins_with(id, :prefix)',
          ExpressionAttributeValues: { ':prefix': { S: prefix } },
        }),
  };
  for await (const { id } of scan(client, input, signal)) if (id?.S !== undefined) yield id.S;
}

/** Reads every item of a table, in the form that Lambda hands images over in. */
export async function* scanImages(
  client: DynamoDBClient,
  table: string,
): AsyncGenerator<Record<string, unknown>> {
  for await (const item of scan(client, { TableName: table, ConsistentRead: true })) yield lambdaImage(item);
}

/**
 * Ends the claims of all runs on arrivals at once. For a caller that knows that none of them is at work any more, for
 * example after a restart of the machine that all of them ran on. Elsewhere a claim runs out by itself.
 */
export async function forgetArrivals(client: DynamoDBClient, controlTable: string): Promise<void> {
  const input = {
    TableName: controlTable,
    ConsistentRead: true,
    FilterExpression: 'begins_with(#key, :prefix)',
    ExpressionAttributeNames: { '#key': 'key' },
    ExpressionAttributeValues: { ':prefix': { S: ARRIVALS_PREFIX } },
  };
  for await (const { key } of scan(client, input)) {
    if (key) await client.send(new DeleteItemCommand({ TableName: controlTable, Key: { key } }));
  }
}

async function* scan(
  client: DynamoDBClient,
  input: ScanCommandInput,
  signal?: AbortSignal,
): AsyncGenerator<Attributes> {
  let from: ScanCommandInput['ExclusiveStartKey'];
  do {
    const command = new ScanCommand({ ...input, ...(from === undefined ? {} : { ExclusiveStartKey: from }) });
    const page = await client.send(command, signal === undefined ? {} : { abortSignal: signal });
    yield* page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}
