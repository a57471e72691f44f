import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { readMonitorSettings } from '../../../functions/monitor/settings.js';
import { resolver } from '../../cloudwatch/intrinsics.js';
import { backlogWith, newStack, propertiesOf, retryQueue } from '../support.js';
import { alarmsOf } from './alarms-of.js';

const keyed: QueueProps = { ...retryQueue, fairness: true, metricsPerKey: true };
const withKeys = (queue: Partial<QueueProps> = {}, props: Partial<BacklogProps> = {}) =>
  backlogWith({ queues: { webhooks: { ...keyed, ...queue } as QueueProps, orders: retryQueue }, ...props });

const variablesOf = (template: Template) =>
  propertiesOf(template, 'AWS::Lambda::Function').find(
    ({ Environment }) => 'BACKLOG_EVENT_SOURCES' in Environment.Variables,
  )?.Environment.Variables;
const titles = (template: Template): string[] => {
  const [{ DashboardBody }] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  return JSON.parse(resolver()(DashboardBody)).widgets.map(
    ({ properties }: { properties: { title?: string } }) => properties.title,
  );
};
const rightsOf = (template: Template) =>
  propertiesOf(template, 'AWS::IAM::Policy').find(({ PolicyName }) => PolicyName.includes('Monitor'))
    ?.PolicyDocument.Statement;

describe('metricsPerKey', () => {
  it('names the queue to the monitor, which needs no further right', () => {
    const { template } = withKeys();
    const without = withKeys({ metricsPerKey: false }).template;
    const variables = variablesOf(template);
    expect(variables.BACKLOG_KEY_METRICS).toBe('["webhooks"]');
    const read = readMonitorSettings({ ...variables, BACKLOG_EVENT_SOURCES: '[]', ...NAMES });
    expect([...read.keyMetrics]).toEqual(['webhooks']);
    expect(variablesOf(without)).not.toHaveProperty('BACKLOG_KEY_METRICS');
    expect(rightsOf(template)).toBeDefined();
    expect(rightsOf(template)).toEqual(rightsOf(without));
  });

  it('adds two searches to the dashboard, and no alarm', () => {
    const { template } = withKeys();
    const without = withKeys({ metricsPerKey: false }).template;
    const own = titles(template).filter((title) => !titles(without).includes(title));
    expect(own).toEqual(['Waiting of the worst keys (records)', 'In retry of the worst keys (records)']);
    const [{ DashboardBody }] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
    expect(resolver()(DashboardBody)).toMatch(
      /SLICE\(SORT\(SEARCH\('\{DynamoBacklog,Table,Queue,Key\} MetricName=\\"KeyWaiting\\" Table=\\"\w+\\"', 'Maximum', 300\), MAX, DESC\), 0, 10\)/,
    );
    expect(Object.keys(alarmsOf(template))).toEqual(Object.keys(alarmsOf(without)));
  });

  it('has an alarm on the worst key, if it is asked for', () => {
    const alarms = alarmsOf(withKeys({ alarms: { depthPerKey: 5_000 } }).template);
    expect(alarms.DepthPerKeywebhooks).toMatchObject({
      ...{ Namespace: 'DynamoBacklog', MetricName: 'KeyWaiting', Statistic: 'Maximum', Period: 300 },
      ...{ Threshold: 5_000, TreatMissingData: 'notBreaching' },
      AlarmDescription: expect.stringMatching(
        /^\[ticket\] More than 5000 records of one key .*#depthperkey$/,
      ),
    });
    expect(alarms.DepthPerKeywebhooks.Dimensions.map(({ Name }: { Name: string }) => Name)).toEqual([
      'Queue',
      'Table',
    ]);
  });

  it('has metrics for alarms of your own, of the worst key or of one', () => {
    const { backlog } = withKeys();
    const of = ({ metricName, statistic, dimensions }: ReturnType<Backlog['metricWaiting']>) => [
      metricName,
      statistic,
      dimensions?.Queue,
      dimensions?.Key,
    ];
    expect(of(backlog.metricKeyWaiting('webhooks'))).toEqual([
      'KeyWaiting',
      'Maximum',
      'webhooks',
      undefined,
    ]);
    expect(of(backlog.metricKeyInRetry('webhooks', 'Acme Ltd'))).toEqual([
      ...['KeyInRetry', 'Maximum', 'webhooks', 'Acme%20Ltd'],
    ]);
    expect(() => backlog.metricKeyWaiting('none')).toThrow('queue: expected one of "webhooks", "orders"');
    expect(() => backlog.metricKeyWaiting('webhooks', '')).toThrow(
      'key: expected text of 1 to 256 bytes, got ""',
    );
  });

  it.each<[Partial<QueueProps>, Partial<BacklogProps>, string]>([
    [{}, { metrics: 'essential' }, 'metricsPerKey: expected false or nothing beside metrics "essential"'],
    [{}, { metrics: 'off' }, 'metricsPerKey: expected false or nothing beside metrics "off"'],
    [{ metricsPerKey: 'yes' as never }, {}, 'metricsPerKey: expected true or false'],
    [
      { metricsPerKey: false, alarms: { depthPerKey: 5 } },
      {},
      'alarms.depthPerKey: expected "metricsPerKey": true in the queue beside it, got 5',
    ],
    [{ alarms: { depthPerKey: -1 } }, {}, 'alarms.depthPerKey: expected number to be >=0, got -1'],
  ])('refuses %j with %j', (queue, props, message) => {
    expect(() => withKeys(queue, props)).toThrow(`queues.webhooks.${message}`);
  });

  it('is refused in a stack without the monitor', () => {
    const stack = newStack();
    const shared = new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    expect(() => new Backlog(stack, 'Other', { queues: { webhooks: keyed }, sharedBacklog: shared })).toThrow(
      'queues.webhooks.metricsPerKey: expected false or nothing beside "sharedBacklog", whose monitor is in another stack, got true',
    );
  });
});

const NAMES = { BACKLOG_TABLE: 'records', BACKLOG_CONTROL_TABLE: 'control' };

it('a list of keyed queues that is no list is refused by the monitor', () => {
  const env = {
    ...NAMES,
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
    BACKLOG_QUEUES: '{"a":{"retryMode":"perRecord"}}',
  };
  expect(() => readMonitorSettings({ ...env, BACKLOG_KEY_METRICS: '{"a":1}' })).toThrow(
    'BACKLOG_KEY_METRICS',
  );
});
