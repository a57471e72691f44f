import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Backlog } from 'dynamo-backlog/cdk';

const app = new App();
const stack = new Stack(app, 'Outbox');

const orders = new TableV2(stack, 'Orders', { partitionKey: { name: 'id', type: AttributeType.STRING } });

const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    webhooks: {
      retry: { type: 'fibonacci', maxAttempts: 20 },
      deliverTo: app.node.tryGetContext('deliverTo') ?? 'https://hooks.example.com/orders',
    },
  },
});

const service = new NodejsFunction(stack, 'OrderService', {
  runtime: Runtime.NODEJS_24_X,
  entry: fileURLToPath(new URL('order-service.ts', import.meta.url)),
  environment: { ORDERS_TABLE: orders.tableName, BACKLOG_TABLE: backlog.table.tableName },
});
// A transaction needs the rights of what is in it, and no other.
orders.grant(service, 'dynamodb:PutItem');
backlog.grantInsert(service);
