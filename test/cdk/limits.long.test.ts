import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import {
  EventSourceMapping,
  type IFunction,
  Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../cdk/index.js';
import { alarmsOf, checkAlarm } from '../cloudwatch/alarms.js';
import { resolver } from '../cloudwatch/intrinsics.js';
import {
  backlogWith,
  newStack,
  progressiveQueue,
  propertiesOf,
  retryQueue,
  WITHOUT_CODE,
} from './support.js';

const queuesOf = (count: number, props: QueueProps | ((i: number) => QueueProps)) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`q${i}`, typeof props === 'function' ? props(i) : props]),
  );
/** All queues share an imported function, so that their settings take hardly any room. */
function withShared(count: number, props: Partial<BacklogProps> = {}) {
  const stack = newStack();
  const handler = imported(stack, 'All');
  const queues = queuesOf(count, { retry: { type: 'none' }, worker: 'all' });
  const backlog = new Backlog(stack, 'Backlog', { queues, workers: { all: { handler } }, ...props });
  return { stack, backlog };
}

/** Each queue has a function of its own. */
function withOwn(count: number, props: Partial<BacklogProps> = {}) {
  const stack = newStack();
  const queues = queuesOf(count, (i) => ({ retry: { type: 'none' }, handler: imported(stack, `F${i}`) }));
  const none = { intake: false, metrics: 'off', alarms: false, dashboard: false } as const;
  new Backlog(stack, 'Backlog', { queues, ...none, ...props });
  return stack;
}

function imported(stack: Stack, name: string): IFunction {
  const functionArn = `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;
  return LambdaFunction.fromFunctionAttributes(stack, name, { functionArn, sameEnvironment: true });
}

const warned = (text: string) => Match.stringLikeRegexp(text.replace(/[$().]/g, '\\$&'));

describe('more than 500 resources in a stack', () => {
  const withOthers = (count: number, props: Partial<BacklogProps> = {}) => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, ...props });
    const own = stack.node.findAll().filter(CfnResource.isCfnResource).length;
    for (let i = own; i < count; i++) new CfnResource(stack, `Other${i}`, { type: 'AWS::SNS::Topic' });
    return stack;
  };

  it('are an error that says what makes fewer of them', () => {
    expect(() => Template.fromStack(withOthers(501))).toThrow(
      /The Backlog makes \d+ of the 501 resources of the stack Test, and CloudFormation takes 500 in a stack: set "alarms": "essential", one alarm each for all queues in place of \d+ alarms; or .*; or move some of the \d+ other resources into another stack/,
    );
    expect(() => Template.fromStack(withOthers(501, { alarms: 'essential' }))).toThrow(
      /CloudFormation takes 500 in a stack: let one "worker"/,
    );
  });

  it('are not counted in stacks that have as many', () => {
    expect(Object.keys(Template.fromStack(withOthers(500)).toJSON().Resources)).toHaveLength(500);
  });
});

describe('the price of alarms', () => {
  it('is a warning above $20 a month, which "essential" ends', () => {
    const text = warned('"essential", one alarm each watches all queues');
    Annotations.fromStack(withShared(60).stack).hasWarning('/Test/Backlog', text);
    Annotations.fromStack(withShared(60, { alarms: 'essential' }).stack).hasNoWarning('/Test/Backlog', text);
  });
});

describe('the composite alarm', () => {
  it('is made of others where there are many alarms, as each takes a hundred at most', () => {
    const { stack, backlog } = withShared(40);
    const template = Template.fromStack(stack);
    expect(backlog.alarms.length).toBeGreaterThan(150);
    const alarms = alarmsOf(template.toJSON(), resolver());
    for (const alarm of alarms) checkAlarm(alarm);
    const rules = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm').map(({ AlarmRule }) =>
      JSON.stringify(AlarmRule),
    );
    for (const alarm of backlog.alarms) {
      const id = stack.getLogicalId(alarm.node.defaultChild as CfnResource);
      expect(rules.filter((rule) => rule.includes(`"${id}"`))).toHaveLength(1);
    }
    expect(backlog.compositeAlarm?.node.id).toBe('Any');
    const { template: few } = backlogWith({ queues: { orders: retryQueue, bulk: progressiveQueue } });
    few.resourceCountIs('AWS::CloudWatch::CompositeAlarm', 1);
  });
});

describe('rules', () => {
  it('of 301 in a Backlog are an error with a way out, and from 200 on a warning', () => {
    expect(() => withOwn(301)).toThrow(
      'queues: the Backlog has 301 rules, and an event bus takes 300 (in some regions 100) of all applications together: set "trigger": "scheduler"',
    );
    const of = (count: number, props: Partial<BacklogProps> = {}) =>
      Annotations.fromStack(withOwn(count, props));
    of(301, { trigger: 'scheduler' }).hasNoWarning('*', warned('event bus'));
    of(200).hasWarning('/Test/Backlog', warned('The Backlog has 200 rules'));
    of(199).hasNoWarning('*', warned('event bus'));
  });

  it('may all write to the dead-letter queue, whose policy takes 8,192 bytes', () => {
    const policies = JSON.stringify(propertiesOf(Template.fromStack(withOwn(100)), 'AWS::SQS::QueuePolicy'));
    expect(policies).toContain('"ArnLike":{"aws:SourceArn"');
    expect(policies).toContain(':rule/*');
    expect(policies.length).toBeLessThan(4_000);
  });
});

describe("readers of the table's stream", () => {
  const withReaders = (count: number, readerOf = (stack: Stack) => stack) => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    const scope = readerOf(stack);
    for (let i = 0; i < count; i++) {
      new EventSourceMapping(scope, `Reader${i}`, {
        target: imported(scope, `Consumer${i}`),
        eventSourceArn: backlog.table.tableStreamArn as string,
        startingPosition: StartingPosition.LATEST,
      });
    }
    return Annotations.fromStack(stack);
  };

  it('beside the intake are a warning from the second on', () => {
    const text = 'The stream of the table has 3 readers, and DynamoDB throttles more than 2';
    withReaders(2).hasWarning('/Test/Backlog', warned(text));
    withReaders(1).hasNoWarning('/Test/Backlog', warned('The stream of the table has'));
  });

  it('count in every stack of the app', () => {
    const other = (stack: Stack) => new Stack(stack.node.root, 'Other');
    withReaders(2, other).hasWarning('/Test/Backlog', warned('Beside the intake there are Other/Reader0'));
    withReaders(1, other).hasNoWarning('/Test/Backlog', warned('The stream of the table has'));
  });

  it.each([
    ['of other regions', ['eu-central-1', 'eu-west-1', 'us-east-1']],
    ['of any environment', [undefined, undefined, undefined]],
  ])('are not those of Backlogs of the same app in stacks %s', (_where, regions) => {
    const app = new App({ context: WITHOUT_CODE, analyticsReporting: false, treeMetadata: false });
    const stacks = regions.map((region, i) => new Stack(app, `Stage${i}`, { env: region ? { region } : {} }));
    for (const stack of stacks) new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    for (const stack of stacks) {
      Annotations.fromStack(stack).hasNoWarning('*', warned('The stream of the table has'));
    }
  });
});

describe('the dashboard of many queues', () => {
  it('searches for the highest of a metric, in place of naming the metrics of each queue', () => {
    const { stack } = withShared(60, { alarms: 'essential' });
    const [{ DashboardBody }] = propertiesOf(Template.fromStack(stack), 'AWS::CloudWatch::Dashboard');
    const body = resolver()(DashboardBody);
    const { widgets } = JSON.parse(body) as {
      widgets: { properties: { title?: string; metrics?: object[] } }[];
    };
    const metrics = widgets.flatMap(({ properties }) => properties.metrics ?? []);
    expect(metrics.length).toBeLessThan(100);
    const waiting = widgets.find(({ properties }) => properties.title?.startsWith('Waiting'));
    expect(JSON.stringify(waiting?.properties.metrics)).toMatch(
      /SLICE\(SORT\(SEARCH\('\{DynamoBacklog,(Table,Queue|Queue,Table)\} MetricName=\\"Waiting\\" Table=\\"[^"]+\\"', 'Maximum', 300\), MAX, DESC\), 0, 10\)/,
    );
  });
});
