import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { lambdaImage } from './image.js';

/** Every item of a table as Lambda hands images over, by reading all of it: for an emulator. */
export async function* scanItems(
  client: DynamoDBClient,
  table: string,
): AsyncGenerator<Record<string, unknown>> {
  let from: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    yield* (page.Items ?? []).map(lambdaImage);
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}
