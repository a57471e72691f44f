import {
  type AttributeDefinition,
  CreateTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ListTablesCommand,
  type StreamViewType,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

export interface KeyElement {
  readonly name: string;
  readonly type: 'HASH' | 'RANGE';
}

/** A table to create, with what an emulator needs to know of it. */
export interface TableShape {
  readonly name: string;
  readonly keys: readonly KeyElement[];
  readonly attributes: readonly { readonly name: string; readonly type: 'S' | 'N' | 'B' }[];
  readonly indexes: readonly {
    readonly name: string;
    readonly keys: readonly KeyElement[];
    readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
    readonly include?: readonly string[] | undefined;
  }[];
}

const MAX_WAIT_SECONDS = 30;

/**
 * Creates those of the tables that do not exist yet, on demand billed, and waits until they can be used.
 *
 * @param streams what their streams tell, by table, such as `NEW_IMAGE`; dynalite has none
 */
export async function createMissingTables(
  client: DynamoDBClient,
  tables: readonly TableShape[],
  streams: ReadonlyMap<string, string> = new Map(),
): Promise<{ readonly created: readonly string[] }> {
  const existing = await tableNames(client);
  const missing = tables.filter(({ name }) => !existing.has(name));
  for (const table of missing) await client.send(createTable(table, streams.get(table.name)));
  await Promise.all(
    missing.map(({ name }) =>
      waitUntilTableExists(
        { client, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 0.01, maxDelay: 1 },
        { TableName: name },
      ),
    ),
  );
  return { created: missing.map(({ name }) => name) };
}

async function tableNames(client: DynamoDBClient): Promise<Set<string>> {
  const names = new Set<string>();
  let from: string | undefined;
  do {
    const page = await client.send(
      new ListTablesCommand(from === undefined ? {} : { ExclusiveStartTableName: from }),
    );
    for (const name of page.TableNames ?? []) names.add(name);
    from = page.LastEvaluatedTableName;
  } while (from !== undefined);
  return names;
}

function createTable(
  { name, keys, attributes, indexes }: TableShape,
  viewType: string | undefined,
): CreateTableCommand {
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(keys),
    ...(viewType === undefined
      ? {}
      : { StreamSpecification: { StreamEnabled: true, StreamViewType: viewType as StreamViewType } }),
    AttributeDefinitions: attributes.map(
      (attribute): AttributeDefinition => ({
        AttributeName: attribute.name,
        AttributeType: attribute.type,
      }),
    ),
    ...(indexes.length === 0
      ? {}
      : {
          GlobalSecondaryIndexes: indexes.map(({ name: index, keys: indexKeys, projection, include }) => ({
            IndexName: index,
            KeySchema: keySchema(indexKeys),
            Projection: {
              ProjectionType: projection,
              ...(include === undefined ? {} : { NonKeyAttributes: [...include] }),
            },
          })),
        }),
  });
}

function keySchema(keys: readonly KeyElement[]): KeySchemaElement[] {
  return keys.map(({ name, type }) => ({ AttributeName: name, KeyType: type }));
}
