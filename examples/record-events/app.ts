import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Backlog } from 'dynamo-backlog/cdk';

const app = new App();
const stack = new Stack(app, 'RecordEvents');

const bus = new EventBus(stack, 'Bus');
new Backlog(stack, 'Backlog', {
  queues: {
    orders: {
      retry: { type: 'fibonacci', maxAttempts: 3 },
      deliverTo: app.node.tryGetContext('deliverTo') ?? 'https://erp.example.com/orders',
    },
  },
  recordEvents: { to: bus, queues: { orders: { on: ['succeeded', 'dead'] } } },
});

const tickets = new TableV2(stack, 'Tickets', { partitionKey: { name: 'id', type: AttributeType.STRING } });
const subscriber = new NodejsFunction(stack, 'Subscriber', {
  runtime: Runtime.NODEJS_24_X,
  entry: fileURLToPath(new URL('subscriber.ts', import.meta.url)),
  environment: { TICKETS_TABLE: tickets.tableName },
});
tickets.grant(subscriber, 'dynamodb:PutItem');
new Rule(stack, 'DeadOrders', {
  eventBus: bus,
  eventPattern: {
    source: ['dynamo-backlog'],
    detailType: ['Backlog record dead'],
    detail: { queue: ['orders'] },
  },
  targets: [new LambdaFunction(subscriber)],
});
