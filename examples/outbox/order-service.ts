import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

const { ORDERS_TABLE = 'Orders', BACKLOG_TABLE = 'BacklogRecords' } = process.env;
export const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export interface Order {
  readonly id: string;
  readonly article: string;
  readonly quantity: number;
}

/** Writes the order and the webhook that reports it: both, or neither. */
export async function placeOrder(order: Order): Promise<void> {
  await dynamodb.send(new TransactWriteCommand({ TransactItems: puts(order).map((Put) => ({ Put })) }));
}

function puts(order: Order) {
  const record = { id: `${order.id}/placed`, status: 'NEW', queue: 'webhooks', payload: order };
  return [
    { TableName: ORDERS_TABLE, Item: { ...order }, ConditionExpression: 'attribute_not_exists(id)' },
    { TableName: BACKLOG_TABLE, Item: record, ConditionExpression: 'attribute_not_exists(id)' },
  ];
}

export const handler = (order: Order) => placeOrder(order);
