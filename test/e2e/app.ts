// The app that the end-to-end test deploys: queues as the test asks for, delivered to the test.
import { App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Backlog } from '../../cdk/index.js';
import type { DeployedQueues } from './cloud.js';

const asDuration = (name: string, value: unknown) =>
  name === 'every' || name === 'untilAge' ? Duration.seconds(value as number) : value;
const { queues, scheduled, team } = JSON.parse(process.env.E2E_QUEUES ?? '', asDuration) as DeployedQueues;
const app = new App();
// The CDK renders a table with a key for a region that it knows only.
const { CDK_DEFAULT_ACCOUNT: account = '', CDK_DEFAULT_REGION: region = '' } = process.env;
const env = { account, region };
const stack = new Stack(app, 'EndToEnd', { env });
// As short as an attempt of 30 seconds allows: a queue that changes its retry mode waits one timeout.
const timeout = Duration.seconds(60);
const incidentBus = new EventBus(stack, 'Incidents');
const incidents = new Queue(stack, 'IncidentEvents');
new Rule(stack, 'IncidentRule', {
  eventBus: incidentBus,
  eventPattern: { source: ['dynamo-backlog'], detailType: ['Backlog incident began'] },
  targets: [new SqsQueue(incidents)],
});
const ends = new Queue(stack, 'RecordEvents');
new Rule(stack, 'RecordRule', {
  eventBus: incidentBus,
  eventPattern: {
    source: ['dynamo-backlog'],
    detailType: ['Backlog record succeeded', 'Backlog record dead'],
  },
  targets: [new SqsQueue(ends)],
});
const backlog = new Backlog(stack, 'Backlog', {
  queues,
  timeout,
  incidentBus,
  recordEvents: { to: incidentBus, queues: { default: { on: ['succeeded', 'dead'], include: ['payload'] } } },
  groups: true,
  completionUrl: true,
  recurring: {
    'each-minute': {
      schedule: 'rate(1 minute)',
      queue: 'default',
      payload: { answers: [200], stack: stack.stackName },
    },
  },
});
const encryptionKey = new Key(stack, 'Key');
const other = new Backlog(stack, 'Scheduled', {
  queues: scheduled,
  timeout,
  trigger: 'scheduler',
  backlogName: 'scheduled',
  encryptionKey,
});
// Three stacks on one table: two of them have the same queues, of which Green stands by.
for (const id of ['Blue', 'Green']) {
  new Backlog(new Stack(app, id, { env }), 'Backlog', {
    sharedBacklog: backlog,
    standby: id === 'Green',
    queues: team,
    timeout,
    minimal: true,
  });
}
// A stack that is deployed again with another id of its construct: shows what happens to its tables.
new Backlog(new Stack(app, 'Guarded', { env }), process.env.E2E_GUARDED_ID ?? 'Backlog', {
  queues: { idle: { retry: { type: 'none' }, enabled: false } },
  intake: false,
  metrics: 'off',
  minimal: true,
});
const producer = new Role(stack, 'Producer', { assumedBy: new AccountRootPrincipal() });
backlog.grantInsert(producer).assertSuccess();

const outputs = {
  TableName: backlog.table.tableName,
  ControlTableName: backlog.controlTable.tableName,
  ScheduledTableName: other.table.tableName,
  ProducerRole: producer.roleArn,
  EventDlq: backlog.eventDlq.queueName,
  KeyArn: encryptionKey.keyArn,
  IncidentQueue: incidents.queueName,
  RecordEventQueue: ends.queueName,
};
for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
