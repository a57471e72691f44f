import { DeleteItemCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ARRIVALS_PREFIX } from './arrivals.js';

/**
 * Ends the claims of all runs on arrivals at once. For a caller that knows that none of them is at work any more, for
 * example after a restart of the machine that all of them ran on. Elsewhere a claim runs out by itself.
 */
export async function forgetArrivals(client: DynamoDBClient, controlTable: string): Promise<void> {
  const { Items = [] } = await client.send(
    new ScanCommand({
      TableName: controlTable,
      ConsistentRead: true,
      FilterExpression: 'begins_with(#key, :prefix)',
      ExpressionAttributeNames: { '#key': 'key' },
      ExpressionAttributeValues: { ':prefix': { S: ARRIVALS_PREFIX } },
    }),
  );
  for (const { key } of Items) {
    if (key) await client.send(new DeleteItemCommand({ TableName: controlTable, Key: { key } }));
  }
}
