import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DEFAULT_QUEUE, QUEUE_PATTERN, STATUSES } from '../../record/index.js';

/** How many records of which status, by queue. An invalid value counts as a run reads it. */
export type StatusCounts = ReadonlyMap<string, Readonly<Record<string, number>>>;

/**
 * Counts the records by queue and status: by reading the whole table, so for a small one, on an emulator.
 */
export async function countRecords(
  client: DynamoDBClient,
  table: string,
  signal?: AbortSignal,
): Promise<StatusCounts> {
  const counts = new Map<string, Record<string, number>>();
  let from: Record<string, never> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ProjectionExpression: '#queue, #status',
        ExpressionAttributeNames: { '#queue': 'queue', '#status': 'status' },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
      signal === undefined ? {} : { abortSignal: signal },
    );
    for (const { queue, status } of page.Items ?? []) {
      const name = queue?.S !== undefined && QUEUE_PATTERN.test(queue.S) ? queue.S : DEFAULT_QUEUE;
      const known = counts.get(name) ?? {};
      const key = STATUSES.find((one) => one === status?.S) ?? 'NEW';
      known[key] = (known[key] ?? 0) + 1;
      counts.set(name, known);
    }
    from = page.LastEvaluatedKey as Record<string, never> | undefined;
  } while (from !== undefined);
  return counts;
}
