import { type AttributeDefinition, CreateTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { type Bench, inParallel, isoNow, type Work } from './design.js';

const PER_BATCH = 25;

interface Index {
  readonly name: string;
  readonly hash: AttributeDefinition;
  readonly range: AttributeDefinition;
  readonly projection: 'KEYS_ONLY' | 'ALL';
}

let tables = 0;

/** A table of items by `id`. */
export async function createTable({ client }: Bench, key: string, ...indexes: Index[]): Promise<string> {
  const TableName = `compared-${key}-${process.pid}-${tables++}`;
  const attributes = [
    { AttributeName: 'id', AttributeType: 'S' } as const,
    ...indexes.flatMap(({ hash, range }) => [hash, range]),
  ];
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...new Map(attributes.map((one) => [one.AttributeName, one])).values()],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes:
        indexes.length === 0
          ? undefined
          : indexes.map(({ name, hash, range, projection }) => ({
              IndexName: name,
              KeySchema: [
                { AttributeName: hash.AttributeName, KeyType: 'HASH' },
                { AttributeName: range.AttributeName, KeyType: 'RANGE' },
              ],
              Projection: { ProjectionType: projection },
            })),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 0.01, maxDelay: 0.1 }, { TableName });
  return TableName;
}

/** The index of what waits, by due time. A record without `dueAt` is not in it. */
export const DUE: Index = {
  name: 'due',
  hash: { AttributeName: 'status', AttributeType: 'S' },
  range: { AttributeName: 'dueAt', AttributeType: 'S' },
  projection: 'KEYS_ONLY',
};

/** Writes items, 25 per request. */
export async function putAll(
  { documents }: Bench,
  table: string,
  items: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / PER_BATCH) }, (_, i) =>
    items.slice(i * PER_BATCH, (i + 1) * PER_BATCH),
  );
  await inParallel(batches, async (batch) => {
    const requests = batch.map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems = {} } = await documents.send(
      new BatchWriteCommand({ RequestItems: { [table]: requests } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error(`${table}: items were not written`);
  });
}

/** Stores works that wait, and are due at once. */
export function putWaiting(bench: Bench, table: string, works: readonly Work[]): Promise<void> {
  const dueAt = isoNow(bench);
  return putAll(
    bench,
    table,
    works.map((work) => ({ ...work, status: 'WAITING', attempts: 0, dueAt })),
  );
}
