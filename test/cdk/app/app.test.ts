import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { BacklogStack, readDeliverTo, readTrigger } from '../../../cdk/app/backlog-stack.js';
import { CONTEXT } from '../../../cdk/app/context.js';
import { rulesOf, WITHOUT_CODE } from '../support.js';

const URL = 'https://erp.example.com/orders';
const scratch = mkdtempSync(join(tmpdir(), 'backlog-cdk-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the stack without a URL', () => {
  const template = Template.fromStack(new BacklogStack(new App(), 'DynamoBacklog'));

  it('has its rules disabled, and an output that says why', () => {
    expect(rulesOf(template).map(({ state }) => state)).toEqual(Array(7).fill('DISABLED'));
    expect(template.toJSON().Outputs.RulesDisabled).toEqual({
      Description: 'Nothing is attempted: the rules of default and bulk are disabled',
      Value: 'No deliverTo was given: deploy again with -c deliverTo=https://...',
    });
  });

  it('is what no context gives, and only that', () => {
    expect(readDeliverTo(undefined)).toBeUndefined();
    expect(readDeliverTo('')).toBe('');
    expect(() => readDeliverTo(8080)).toThrow(
      'deliverTo: expected a URL such as https://example.com, got 8080',
    );
  });

  it('takes an object of cdk.json, and the functions get what is in it', () => {
    const delivery = { url: URL, answers: { notReady: [202] } };
    const given = new App({ context: { ...WITHOUT_CODE, deliverTo: delivery } });
    const deliverTo = readDeliverTo(given.node.tryGetContext('deliverTo'));
    const template = Template.fromStack(new BacklogStack(given, 'DynamoBacklog', { deliverTo }));
    expect(JSON.stringify(template.toJSON())).toContain(
      JSON.stringify(JSON.stringify(delivery)).slice(1, -1),
    );
  });

  it('refuses what could not start its runs', () => {
    expect(() => readTrigger('cron')).toThrow('trigger: expected "rules" or "scheduler", got "cron"');
  });
});

describe("the app's stack", () => {
  const app = new App({ context: CONTEXT, analyticsReporting: false, outdir: join(scratch, 'stack') });
  const stack = new BacklogStack(app, 'DynamoBacklog', { deliverTo: URL });

  it('has its rules enabled, and no such output', () => {
    const template = Template.fromStack(stack);
    expect(rulesOf(template).map(({ state }) => state)).toEqual(Array(7).fill('ENABLED'));
    expect(template.toJSON().Outputs.RulesDisabled).toBeUndefined();
  });

  // CloudFormation replaces a resource whose logical id changes: these hold records, messages and logs.
  it('keeps the logical ids of what holds data, and retains the tables and the logs', () => {
    const { Resources } = Template.fromStack(stack).toJSON() as {
      Resources: Record<string, { Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string }>;
    };
    const HOLDS_DATA = /^AWS::(DynamoDB::GlobalTable|SQS::Queue|Logs::LogGroup)$/;
    const stateful = Object.entries(Resources).filter(([, { Type }]) => HOLDS_DATA.test(Type));
    expect(
      stateful.map(([id, { DeletionPolicy, UpdateReplacePolicy }]) => [
        id,
        DeletionPolicy,
        UpdateReplacePolicy,
      ]),
    ).toEqual([
      ['BacklogRecords60E56FD8', 'Retain', 'Retain'],
      ['BacklogControl1893EA1D', 'Retain', 'Retain'],
      ['BacklogEventDlq02D72D69', 'Delete', 'Delete'],
      ['BacklogRedelivery816FD39B', 'Delete', 'Delete'],
      ['BacklogFibonacciDeliveryLogsB4FC5678', 'RetainExceptOnCreate', 'Retain'],
      ['BacklogProgressiveDeliveryLogsD8EEE793', 'RetainExceptOnCreate', 'Retain'],
      ['BacklogIntakeLogs84E01945', 'RetainExceptOnCreate', 'Retain'],
      ['BacklogSweepLogsA2CD7E87', 'RetainExceptOnCreate', 'Retain'],
      ['BacklogMonitorLogsFED344B0', 'RetainExceptOnCreate', 'Retain'],
    ]);
  });

  it('has alarms that read as many metrics as docs/cost.md reckons with', () => {
    const alarms = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'));
    const metrics = alarms.map(({ Properties: { Metrics = [{ MetricStat: {} }] } }) =>
      Metrics.filter((one: { MetricStat?: object }) => one.MetricStat !== undefined),
    );
    expect(readFileSync('docs/cost.md', 'utf8')).toContain(
      `| ${alarms.length} alarms, ${metrics.flat().length} metrics: ${(metrics.flat().length / 10).toFixed(2)};`,
    );
    // Alarms, composite alarm, dashboard, polling of SQS, polls, the monitor.
    const sum = metrics.flat().length * 0.1 + 0.5 + 3 + 0.26 + 0.05 + 0.05;
    const docs = readFileSync('docs/cost.md', 'utf8');
    expect(docs).toContain(`costs $${sum.toFixed(2)} when idle`);
    // Ten alarms and the dashboard are free.
    expect(docs).toContain(`and $${(sum - 1 - 3).toFixed(2)} in one that does not`);
    expect(docs).toContain(
      `Without the dashboard and the composite alarm it costs $${(sum - 3.5).toFixed(2)}`,
    );
  });

  it.each([
    ['eu-central-1', 'https://console.aws.amazon.com/'],
    ['us-gov-west-1', 'https://console.amazonaws-us-gov.com/'],
    ['cn-north-1', 'https://console.amazonaws.cn/'],
  ])('in %s, links to the console of its partition', (region, console) => {
    const stack = new BacklogStack(new App({ context: WITHOUT_CODE }), 'Here', { env: { region } });
    const { Outputs } = Template.fromStack(stack).toJSON();
    for (const output of ['RecordsUrl', 'DashboardUrl'])
      expect(JSON.stringify(Outputs[output].Value)).toContain(`"${console}`);
  });

  it('links to the console of the partition that it is deployed in, where it has no region', () => {
    const { Outputs, Mappings } = Template.fromStack(stack).toJSON();
    const host = { 'Fn::FindInMap': ['Console', { Ref: 'AWS::Partition' }, 'host'] };
    for (const output of ['RecordsUrl', 'DashboardUrl'])
      expect(Outputs[output].Value['Fn::Join'][1].slice(0, 2)).toEqual(['https://', host]);
    expect(Object.keys(Mappings.Console)).toEqual(['aws', 'aws-cn', 'aws-us-gov']);
  });

  it('has these resources and outputs, and no others', () => {
    const { Resources, Outputs } = Template.fromStack(stack).toJSON() as {
      Resources: Record<string, { Type: string }>;
      Outputs: object;
    };
    const counts: Record<string, number> = {};
    for (const { Type } of Object.values(Resources)) counts[Type] = (counts[Type] ?? 0) + 1;
    expect(counts).toEqual({
      'AWS::CloudWatch::Alarm': 21,
      'AWS::CloudWatch::CompositeAlarm': 1,
      'AWS::CloudWatch::Dashboard': 1,
      'AWS::DynamoDB::GlobalTable': 2,
      'AWS::Events::Rule': 9,
      'AWS::IAM::Policy': 5,
      'AWS::IAM::Role': 5,
      'AWS::Lambda::EventInvokeConfig': 4,
      'AWS::Lambda::EventSourceMapping': 2,
      'AWS::Lambda::Function': 5,
      'AWS::Lambda::Permission': 9,
      'AWS::Logs::LogGroup': 5,
      'AWS::Logs::QueryDefinition': 5,
      'AWS::SQS::Queue': 2,
      'AWS::SQS::QueuePolicy': 2,
      'AWS::SSM::Parameter': 7,
    });
    expect(Object.keys(Outputs)).toEqual([
      'TableName',
      'ControlTableName',
      'EventDlqUrl',
      'RecordsUrl',
      'DashboardUrl',
    ]);
  });
});
