import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { createMissingTables } from '../../src/store/dynamodb/create-tables.js';
import { createDynamoDbClient } from '../../src/store/index.js';

const INDEX = {
  name: 'due',
  keys: [
    { name: 'lane', type: 'HASH' as const },
    { name: 'dueAt', type: 'RANGE' as const },
  ],
};

export interface OldTableOptions {
  readonly key?: string;
  readonly index?: boolean;
  readonly projection?: 'KEYS_ONLY' | 'ALL';
}

/** A table that others have made and filled, and hands in it that do not use the library's own code. */
export async function oldTable(
  endpoint: string,
  name: string,
  { key = 'id', index = true, projection = 'KEYS_ONLY' }: OldTableOptions = {},
) {
  const client = createDynamoDbClient({ endpoint });
  const documents = DynamoDBDocumentClient.from(client);
  await createMissingTables(client, [
    {
      name,
      keys: [{ name: key, type: 'HASH' }],
      attributes: [key, ...(index ? ['lane', 'dueAt'] : [])].map((one) => ({ name: one, type: 'S' })),
      indexes: index ? [{ ...INDEX, projection }] : [],
    },
  ]);
  const all = async () => {
    const items: Record<string, unknown>[] = [];
    for await (const page of paginateScan({ client: documents }, { TableName: name })) {
      items.push(...(page.Items ?? []));
    }
    return items;
  };
  return {
    name,
    client,
    async put(...items: Record<string, unknown>[]) {
      for (let i = 0; i < items.length; i += 25) {
        const requests = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }));
        await documents.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
      }
    },
    all,
    async clear() {
      const keys = (await all()).map((item) => item[key]);
      for (let i = 0; i < keys.length; i += 25) {
        const requests = keys.slice(i, i + 25).map((value) => ({ DeleteRequest: { Key: { [key]: value } } }));
        await documents.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
      }
    },
    async get(id: string) {
      const answer = await documents.send(
        new GetCommand({ TableName: name, Key: { [key]: id }, ConsistentRead: true }),
      );
      return answer.Item;
    },
    async set(id: string, attribute: string, value: unknown) {
      await documents.send(
        new UpdateCommand({
          TableName: name,
          Key: { [key]: id },
          UpdateExpression: 'SET #a = :v',
          ExpressionAttributeNames: { '#a': attribute },
          ExpressionAttributeValues: { ':v': value },
        }),
      );
    },
    close: () => client.destroy(),
  };
}
