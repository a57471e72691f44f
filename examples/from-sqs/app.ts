import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Backlog } from 'dynamo-backlog/cdk';

const stack = new Stack(new App(), 'FromSqs');
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// The queues that are there: in your app, Queue.fromQueueArn(...).
const deadLetters = new Queue(stack, 'DeadLetters');
const orders = new Queue(stack, 'Orders', { deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 } });

const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    orders: {
      retry: { type: 'fibonacci', maxAge: 30 * 86_400 },
      entry: here('orders.ts'),
      environment: { ERP_URL: process.env.ERP_URL ?? 'https://erp.example.com' },
    },
  },
});

const forward = new NodejsFunction(stack, 'Forward', {
  runtime: Runtime.NODEJS_24_X,
  entry: here('forward.ts'),
  environment: { BACKLOG_TABLE: backlog.table.tableName },
});
for (const queue of [orders, deadLetters]) {
  forward.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
}
backlog.grantInsert(forward);
