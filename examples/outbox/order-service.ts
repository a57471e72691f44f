import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

const { ORDERS_TABLE = 'Orders', BACKLOG_TABLE = 'BacklogRecords', OUTBOX = 'transaction' } = process.env;
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export interface Order {
  readonly id: string;
  readonly article: string;
  readonly quantity: number;
}

/** The order and the webhook that tells of it: both are written, or neither. */
export async function placeOrder(order: Order): Promise<void> {
  const record = { id: `${order.id}/placed`, status: 'NEW', queue: 'webhooks', payload: order };
  const puts = [
    { TableName: ORDERS_TABLE, Item: { ...order }, ConditionExpression: 'attribute_not_exists(id)' },
    { TableName: BACKLOG_TABLE, Item: record, ConditionExpression: 'attribute_not_exists(id)' },
  ];
  if (OUTBOX === 'two-puts') {
    // For the embedded DynamoDB only, which has no transactions: what ends between the two loses the webhook.
    for (const put of puts) await dynamodb.send(new PutCommand(put));
    return;
  }
  await dynamodb.send(new TransactWriteCommand({ TransactItems: puts.map((Put) => ({ Put })) }));
}

export const handler = placeOrder;
