// One stack of 200 queues: most deliver to the test, some by a function of the app.
import { Annotations, App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Backlog, type QueueProps } from '../../cdk/index.js';

const url = process.env.E2E_URL ?? '';
const tiers = [
  { every: Duration.minutes(1), untilAge: Duration.hours(1) },
  { every: Duration.hours(1), untilAge: Duration.days(1) },
  { every: Duration.hours(12), untilAge: Duration.days(30) },
];

function propsOf(name: string, number: number): QueueProps {
  if (number < 60) return { retry: { type: 'fibonacci' }, worker: 'own' };
  const deliverTo = { url: `${url}/${name}`, allowPrivateAddresses: ['127.0.0.1'] };
  return number < 120 ? { retry: { type: 'fibonacci' }, deliverTo } : { progressive: { tiers }, deliverTo };
}

const names = Array.from({ length: 200 }, (_, number) => `queue-${number}`);
const stack = new Stack(new App(), 'ManyQueues');
const backlog = new Backlog(stack, 'Backlog', {
  queues: Object.fromEntries(names.map((name, number) => [name, propsOf(name, number)])),
  workers: { own: { entry: 'test/e2e/handlers/own.ts', environment: { ERP_URL: url } } },
  timeout: Duration.seconds(60),
  // An alarm for each queue would be more resources than a stack may have.
  alarms: 'essential',
});
// 200 warnings would hide why a deployment failed.
for (const name of names) Annotations.of(stack).acknowledgeWarning(`dynamo-backlog:loopback:${name}`);

const outputs = {
  TableName: backlog.table.tableName,
  EventDlq: backlog.eventDlq.queueName,
};
for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
