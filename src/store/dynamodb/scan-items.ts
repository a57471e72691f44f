import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';

/** Every item of a table as DynamoDB's own JSON, by reading all of it: for an emulator. */
export async function* scanItems(
  client: DynamoDBClient,
  table: string,
): AsyncGenerator<Record<string, AttributeValue>> {
  let from: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: table, ...(from === undefined ? {} : { ExclusiveStartKey: from }) }),
    );
    yield* page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}
