// The app that the end-to-end test deploys: queues as the test asks for, delivered to the test.
import { App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Backlog } from '../../cdk/index.js';
import type { DeployedQueues } from './cloud.js';

const asDuration = (name: string, value: unknown) =>
  name === 'every' || name === 'untilAge' ? Duration.seconds(value as number) : value;
const { queues, scheduled } = JSON.parse(process.env.E2E_QUEUES ?? '', asDuration) as DeployedQueues;
const stack = new Stack(new App(), 'EndToEnd');
// As short as an attempt of 30 seconds allows: a queue that changes its retry mode waits one timeout.
const timeout = Duration.seconds(60);
const backlog = new Backlog(stack, 'Backlog', { queues, timeout });
const other = new Backlog(stack, 'Scheduled', {
  queues: scheduled,
  timeout,
  trigger: 'scheduler',
  backlogName: 'scheduled',
});
const producer = new Role(stack, 'Producer', { assumedBy: new AccountRootPrincipal() });
backlog.grantInsert(producer).assertSuccess();

const outputs = {
  TableName: backlog.table.tableName,
  ScheduledTableName: other.table.tableName,
  ProducerRole: producer.roleArn,
  EventDlq: backlog.eventDlq.queueName,
};
for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
