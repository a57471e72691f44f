import { expect, it } from 'vitest';
import { readAssembly } from '../../../tools/src/local/template/assembly.js';
import { readApp } from '../../../tools/src/local/template/template.js';
import { properties } from '../../cloudwatch/support.js';
import { writeAssembly } from '../assembly-fixture.js';

const alarm = (changes: object, path?: string) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: { ...properties, ...changes },
  ...(path === undefined ? {} : { Metadata: { 'aws:cdk:path': path } }),
});

it('alarms have the names of their constructs, and dimensions the local names', async () => {
  const dimension = { Name: 'Table', Value: { Ref: 'Records0A1B2C3D' } };
  const queue = { Name: 'QueueName', Value: { 'Fn::GetAtt': ['DlqCCCC2222', 'QueueName'] } };
  const app = await appWith({
    DlqCCCC2222: { Type: 'AWS::SQS::Queue' },
    FailingordersAAAA0000: alarm({ Dimensions: [dimension] }, 'Shop/Backlog/Alarms/Failing-orders/Resource'),
    OwnBBBB1111: alarm({ Dimensions: [queue] }),
    Any: {
      Type: 'AWS::CloudWatch::CompositeAlarm',
      Properties: {
        AlarmRule: { 'Fn::Join': ['', ['ALARM("', { 'Fn::GetAtt': ['OwnBBBB1111', 'Arn'] }, '")']] },
      },
    },
  });
  const [{ alarms = [], unknown } = {}] = app.alarms;
  expect(alarms.map(({ name }) => name)).toEqual(['Failing-orders', 'Own', 'Any']);
  expect(alarms).toMatchObject([
    { queries: [{ metric: { dimensions: { Table: 'Records' } } }] },
    { queries: [{ metric: { dimensions: { QueueName: 'Dlq' } } }] },
    { rule: { state: 'ALARM', alarm: 'OwnBBBB1111' } },
  ]);
  expect(unknown).toEqual([]);
});

it('an alarm of a kind that is not known here keeps no app from its start', async () => {
  const app = await appWith({
    Search: alarm({
      ...{ MetricName: undefined, Namespace: undefined, Statistic: undefined, Period: undefined },
      Metrics: [{ Id: 'e1', Expression: "SEARCH('{AWS/EC2} CPU', 'Average')" }],
    }),
    Broken: { Type: 'AWS::CloudWatch::Alarm' },
    Any: { Type: 'AWS::CloudWatch::CompositeAlarm', Properties: { AlarmRule: 'ALARM("elsewhere")' } },
    Own: alarm({}),
  });
  expect(app.alarms.map(({ alarms, unknown }) => [alarms.map(({ id }) => id), unknown])).toEqual([
    [['Own'], ['Search', 'Broken', 'Any']],
  ]);
});

async function appWith(resources: Record<string, unknown>) {
  return readApp(await readAssembly(await writeAssembly(resources)));
}
