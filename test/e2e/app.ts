// The app that the end-to-end test deploys: queues as the test asks for, delivered to the test.
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Backlog, type QueueProps } from '../../cdk/index.js';

const queues = JSON.parse(process.env.E2E_QUEUES ?? '{}') as Record<string, QueueProps>;
const stack = new Stack(new App(), 'EndToEnd');
const { table } = new Backlog(stack, 'Backlog', { queues });
new CfnOutput(stack, 'TableName', { value: table.tableName });
