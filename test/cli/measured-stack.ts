import { Template } from 'aws-cdk-lib/assertions';
import { Alarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Backlog, type BacklogProps } from '../../cdk/index.js';
import { METADATA_KEY, TOKEN } from '../../src/template-metadata.js';
import { newStack, ownFunction } from '../cdk/support.js';
import type { HourlyFigure } from './fake-metric-data.js';

/** The template of a stack with one queue of an entry, and one of a function of the user's own on x86. */
export function templateOf(props: Partial<BacklogProps> = {}) {
  const stack = newStack();
  const retry = { type: 'fibonacci' } as const;
  const queues = {
    orders: { retry, entry: 'test/cdk/fixtures/handler.ts' },
    own: { retry, handler: ownFunction(stack) },
  };
  const backlog = new Backlog(stack, 'Backlog', { queues, ...props });
  // Resources of the user's own, which are not the backlog's.
  new Alarm(stack, 'Other', { metric: backlog.metricDead('orders'), threshold: 1, evaluationPeriods: 1 });
  new Dashboard(stack, 'Shop');
  return Template.fromStack(stack).toJSON();
}

/** The same stack without the function of the queue `own`, which something else attempts. */
export function withoutOwn(work: string) {
  const { Resources, Metadata } = templateOf();
  const others = Object.entries(Resources).filter(([id]) => !/^Own[0-9A-F]{8}$/.test(id));
  Metadata[METADATA_KEY].Backlog.queues.own.work = work;
  return { Metadata, Resources: Object.fromEntries(others) };
}

/** A stack whose template describes a Backlog on tables that it does not have. */
export const OF_OTHERS = {
  Metadata: {
    [METADATA_KEY]: {
      Backlog: {
        ...{ version: 1, trigger: 'rules', intake: true, sweep: true, queues: {} },
        ...{ records: { name: `${TOKEN} a1` }, control: { name: `${TOKEN} b2` } },
      },
    },
  },
  Resources: {},
};

/** Values of an hour. */
export const FIGURES: Record<string, number> = {
  'DynamoBacklog Attempted orders': 110,
  'DynamoBacklog Succeeded orders': 99,
  'DynamoBacklog Dead orders': 1,
  'DynamoBacklog Failed orders': 10,
  'DynamoBacklog Attempted own': 10,
  'DynamoBacklog Succeeded own': 10,
  'AWS/DynamoDB ConsumedWriteCapacityUnits Records': 200,
  'AWS/DynamoDB ConsumedWriteCapacityUnits Records due': 30,
  'AWS/DynamoDB ConsumedWriteCapacityUnits Control': 20,
  'AWS/DynamoDB ConsumedReadCapacityUnits Records': 100,
  'AWS/DynamoDB ConsumedReadCapacityUnits Records due': 40,
  'AWS/DynamoDB ConsumedReadCapacityUnits Control': 60,
  'AWS/Lambda Invocations Queuesorders': 60,
  'AWS/Lambda Duration Queuesorders': 20_000,
  'AWS/Lambda Invocations Own': 40,
  'AWS/Lambda Duration Own': 16_000,
  'AWS/Lambda Invocations Monitor': 12,
  'AWS/Lambda Duration Monitor': 4_000,
  'AWS/Logs IncomingBytes Queuesorders': 1_000_000,
  'AWS/Logs IncomingBytes /aws/lambda/Shop-Own': 500_000,
};

/** Names of the template are longer: `Shop-BacklogQueuesordersFunction7EBE24D3`. */
const shortName = (name: string) =>
  name
    .replace(/^\w+-Own[0-9A-F]{8}$/, 'Own')
    .replace(/^(\/aws\/lambda\/\w+-Own)[0-9A-F]{8}$/, '$1')
    .replace(/^\w+-Backlog(\w+?)(?:Function|Logs)?[0-9A-F]{8}$/, '$1');

export const hourly =
  (figures: Record<string, number>): HourlyFigure =>
  (metric, ...dimensions) => {
    const names = metric.startsWith('DynamoBacklog') ? dimensions.slice(1) : dimensions;
    return figures[[metric, ...names.map(shortName)].join(' ')];
  };

export const without = (part: string) =>
  Object.fromEntries(Object.entries(FIGURES).filter(([name]) => !name.startsWith(part)));
