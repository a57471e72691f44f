import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { RecordEventDetail } from 'dynamo-backlog';

const { TICKETS_TABLE = 'Tickets' } = process.env;
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The ticket for an order that was given up. */
export function ticketFor({ id, end, endedAt, reason, error }: RecordEventDetail) {
  // An event may come twice: these three are the same then.
  return { id: `${id} ${end} ${endedAt}`, order: id, reason, error: error?.name };
}

/** Opens a ticket for each order that was given up. */
export async function handler({ detail }: { readonly detail: RecordEventDetail }): Promise<void> {
  const put = {
    TableName: TICKETS_TABLE,
    Item: ticketFor(detail),
    ConditionExpression: 'attribute_not_exists(id)',
  };
  try {
    await dynamodb.send(new PutCommand(put));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
