import { App, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogAttributes, type BacklogProps } from '../../../cdk/index.js';
import {
  ownFunction,
  progressiveQueue,
  propertiesOf,
  retryQueue,
  rightsOf,
  WITHOUT_CODE,
} from '../support.js';

const ATTRIBUTES: BacklogAttributes = {
  tableName: 'Records',
  controlTableName: 'Control',
  redeliveryQueueArn: 'arn:aws:sqs:eu-central-1:111111111111:redelivery',
  intakeRoleArn: 'arn:aws:iam::111111111111:role/intake',
};

function newApp() {
  const app = new App({ context: WITHOUT_CODE, analyticsReporting: false, treeMetadata: false });
  const stack = (id: string) =>
    new Stack(app, id, { env: { account: '111111111111', region: 'eu-central-1' } });
  return { app, stack };
}

/** The stack of a team, with queues on the tables of another one. */
function team(props: Omit<BacklogProps, 'sharedBacklog'>, attributes = ATTRIBUTES) {
  const stack = newApp().stack('Team');
  const shared = Backlog.fromBacklogAttributes(stack, 'Shared', attributes);
  const backlog = new Backlog(stack, 'Backlog', { sharedBacklog: shared, ...props });
  return { stack, shared, backlog, template: Template.fromStack(stack) };
}

const queuesOf = (template: Template) =>
  propertiesOf(template, 'AWS::Lambda::Function').map(({ Environment: { Variables } }) => ({
    table: Variables.BACKLOG_TABLE,
    control: Variables.BACKLOG_CONTROL_TABLE,
    owner: Variables.BACKLOG_OWNER,
    standby: Variables.BACKLOG_STANDBY,
    queues: JSON.parse(Variables.BACKLOG_QUEUES),
  }));

describe('a Backlog on the tables of another one', () => {
  const { template, backlog } = team({ queues: { orders: retryQueue, prices: progressiveQueue } });

  it('has functions, rules and alarms, and neither tables nor intake, sweep, monitor or parameters', () => {
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toHaveLength(2);
    expect(propertiesOf(template, 'AWS::Events::Rule')).toHaveLength(7);
    for (const type of [
      'AWS::DynamoDB::GlobalTable',
      'AWS::Lambda::EventSourceMapping',
      'AWS::SSM::Parameter',
    ]) {
      template.resourceCountIs(type, 0);
    }
    expect(backlog.alarms.map(({ node }) => node.id)).toEqual([
      'RunErrors-FibonacciDelivery',
      'RunErrors-ProgressiveDelivery',
      'Runs-FibonacciDelivery',
      'Runs-ProgressiveDelivery',
      'EventDlq',
      'Lag-orders',
      'Failures-orders',
      'Dead-orders',
      'Lag-prices',
      'Failures-prices',
      'Dead-prices',
    ]);
    expect([backlog.createdTable, backlog.createdControlTable, backlog.intake, backlog.monitor]).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('works on their tables, under its own name', () => {
    expect(queuesOf(template)).toEqual([
      expect.objectContaining({
        table: 'Records',
        control: 'Control',
        owner: 'Team',
        queues: { orders: expect.objectContaining({ retryMode: 'perRecord', onArrival: true }) },
      }),
      expect.objectContaining({
        owner: 'Team',
        standby: undefined,
        queues: { prices: expect.objectContaining({ retryMode: 'progressive', onArrival: true }) },
      }),
    ]);
  });

  it('lets the shared intake start its functions, and nothing else of another stack', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ Principal }) => Principal !== 'events.amazonaws.com',
    );
    expect(permissions).toEqual(
      Array(2).fill({
        Action: 'lambda:InvokeFunction',
        FunctionName: expect.anything(),
        Principal: ATTRIBUTES.intakeRoleArn,
      }),
    );
  });

  it('gives events that fail to the redelivery queue of the shared intake', () => {
    for (const { DestinationConfig } of propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')) {
      expect(DestinationConfig.OnFailure.Destination).toBe(ATTRIBUTES.redeliveryQueueArn);
    }
    const rights = JSON.stringify(rightsOf(template, 'BacklogFibonacciDelivery'));
    expect(rights).toContain('sqs:SendMessage');
  });
});

describe('alarms beside a shared Backlog', () => {
  it('with "essential", watch the lag of each queue: the metric of all queues is of the other stack, if at all', () => {
    const { backlog } = team({ queues: { orders: retryQueue, prices: progressiveQueue }, minimal: true });
    expect(backlog.alarms.map(({ node }) => node.id)).toEqual([
      'EventDlq',
      'Failures',
      'Dead',
      'Lag-orders',
      'Lag-prices',
    ]);
  });

  it('have no data without a monitor there, which a warning says', () => {
    const { stack } = newApp();
    const platform = stack('Platform');
    const warned = (metrics: 'essential' | 'off', id: string) => {
      const shared = new Backlog(platform, id, { backlogName: id, queues: { default: retryQueue }, metrics });
      const here = stack(`Team${id}`);
      new Backlog(here, 'Backlog', { sharedBacklog: shared, queues: { orders: retryQueue } });
      return Annotations.fromStack(here).findWarning('*', Match.stringLikeRegexp('has no monitor')).length;
    };
    expect([warned('essential', 'One'), warned('off', 'Two')]).toEqual([0, 1]);
  });
});

describe('records of a shared Backlog', () => {
  it.each([
    ['there is no intake', { ...ATTRIBUTES, intakeRoleArn: undefined }],
    ['lost events have nowhere to go', { ...ATTRIBUTES, redeliveryQueueArn: undefined }],
  ])('wait for their rule where %s', (_name, attributes) => {
    const { template } = team({ queues: { orders: retryQueue } }, attributes);
    const [{ queues } = { queues: {} }] = queuesOf(template);
    expect(queues.orders).not.toHaveProperty('onArrival');
    const all = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(all.map(({ Principal }) => Principal)).toEqual(['events.amazonaws.com']);
  });

  it('wait for their rule where the queue says so, or its function would lose events', () => {
    const stack = newApp().stack('Team');
    const shared = Backlog.fromBacklogAttributes(stack, 'Shared', ATTRIBUTES);
    const configured = ownFunction(stack);
    configured.configureAsyncInvoke({ retryAttempts: 1 });
    const handler = new LambdaFunction(stack, 'Fit', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => {}'),
      timeout: Duration.minutes(2),
    });
    new Backlog(stack, 'Backlog', {
      sharedBacklog: shared,
      queues: {
        later: { ...retryQueue, firstAttempt: 'scheduled' },
        lossy: { retry: { type: 'none' }, handler: configured },
        fit: { retry: { type: 'none' }, handler },
      },
    });
    const read = queuesOf(Template.fromStack(stack)).flatMap(({ queues }) => Object.entries(queues));
    const onArrival = read.map(([name, settings]) => [name, (settings as { onArrival?: true }).onArrival]);
    expect(Object.fromEntries(onArrival)).toEqual({ later: undefined, lossy: undefined, fit: true });
  });
});

describe('several stacks of one app', () => {
  it('share the Backlog of one of them, which publishes its parts', () => {
    const { stack } = newApp();
    const platform = stack('Platform');
    const shared = new Backlog(platform, 'Backlog', { queues: { default: retryQueue } });
    const one = stack('One');
    new Backlog(one, 'Backlog', { sharedBacklog: shared, queues: { orders: retryQueue } });
    const [{ table, owner } = {}] = queuesOf(Template.fromStack(one)) as {
      table?: unknown;
      owner?: string;
    }[];
    expect(owner).toBe('One');
    expect(table).toEqual({ 'Fn::ImportValue': expect.stringContaining('BacklogRecords') });
    expect(
      propertiesOf(Template.fromStack(platform), 'AWS::SSM::Parameter').map(({ Name }) =>
        typeof Name === 'string' ? Name : 'by table',
      ),
    ).toEqual([
      '/dynamo-backlog/Platform/backlog/guard-against-an-empty-table',
      '/dynamo-backlog/Platform/backlog/guard-against-an-empty-control-table',
      '/dynamo-backlog/Platform/backlog/table',
      '/dynamo-backlog/Platform/backlog/control-table',
      'by table',
      '/dynamo-backlog/Platform/backlog/redelivery-queue-arn',
      '/dynamo-backlog/Platform/backlog/intake-role-arn',
    ]);
  });

  it('refuse a queue that two imports of the same backlog have, or its own stack', () => {
    const { stack } = newApp();
    new Backlog(stack('Platform'), 'Backlog', { queues: { default: retryQueue } });
    const importIn = (id: string, stackName: string, backlogName?: string) => {
      const here = stack(id);
      return Backlog.fromStack(here, 'Shared', { stackName, backlogName });
    };
    importIn('One', 'Platform').addQueue('orders', retryQueue);
    expect(() => importIn('Two', 'Platform').addQueue('orders', retryQueue)).toThrow(
      'queues: expected queues that no other stack has, got "orders", which is a queue of One/Shared/Queue-orders',
    );
    expect(() => importIn('Three', 'Platform').addQueue('default', retryQueue)).toThrow(
      'which is a queue of Platform/Backlog',
    );
    const standby = { standby: true };
    importIn('Four', 'Platform').addQueue('orders', retryQueue, standby);
    importIn('Five', 'Platform', 'other').addQueue('orders', retryQueue);
    importIn('Six', 'Elsewhere').addQueue('orders', retryQueue);
    Backlog.fromBacklogAttributes(stack('Seven'), 'Shared', ATTRIBUTES).addQueue('orders', retryQueue);
    expect(() =>
      Backlog.fromBacklogAttributes(stack('Eight'), 'Shared', ATTRIBUTES).addQueue('orders', retryQueue),
    ).toThrow('which is a queue of Seven/Shared/Queue-orders');
  });

  it('refuse a queue that two of them have, unless one stands by', () => {
    const { stack } = newApp();
    const shared = new Backlog(stack('Platform'), 'Backlog', { queues: { default: retryQueue } });
    const add = (id: string, queues: string[], standby = false) =>
      new Backlog(stack(id), 'Backlog', {
        sharedBacklog: shared,
        standby,
        queues: Object.fromEntries(queues.map((name) => [name, retryQueue])),
      });
    add('Blue', ['orders']);
    expect(() => add('Other', ['orders'])).toThrow(
      'queues: expected queues that no other stack has, got "orders", which is a queue of Blue/Backlog',
    );
    expect(() => add('Third', ['default'])).toThrow('which is a queue of Platform/Backlog');
    const green = add('Green', ['orders'], true);
    const [{ standby } = {}] = queuesOf(Template.fromStack(Stack.of(green))) as { standby?: string }[];
    expect(standby).toBe('true');
  });

  it('read each other by the name of the stack', () => {
    const stack = newApp().stack('Team');
    const shared = Backlog.fromStack(stack, 'Shared', { stackName: 'Platform' });
    shared.addQueue('orders', retryQueue);
    const parameters = Template.fromStack(stack).toJSON().Parameters as Record<string, { Default?: string }>;
    expect(Object.values(parameters).map(({ Default }) => Default)).toEqual(
      expect.arrayContaining([
        '/dynamo-backlog/Platform/backlog/table',
        '/dynamo-backlog/Platform/backlog/control-table',
        '/dynamo-backlog/Platform/backlog/redelivery-queue-arn',
        '/dynamo-backlog/Platform/backlog/intake-role-arn',
      ]),
    );
  });

  it('are of one region', () => {
    const { app } = newApp();
    const of = (id: string, region: string) =>
      new Stack(app, id, { env: { account: '111111111111', region } });
    const shared = new Backlog(of('Here', 'eu-central-1'), 'Backlog', { queues: { default: retryQueue } });
    const make = () =>
      new Backlog(of('There', 'us-east-1'), 'Backlog', {
        sharedBacklog: shared,
        queues: { orders: retryQueue },
      });
    expect(make).toThrow('expected a Backlog of the same region (us-east-1), got one of eu-central-1');
  });
});

describe('addQueue', () => {
  it('adds a queue with its own function and alarms, without a dashboard for each', () => {
    const { stack } = newApp();
    const here = stack('Team');
    const shared = Backlog.fromBacklogAttributes(here, 'Shared', ATTRIBUTES);
    shared.addQueue('orders', retryQueue, { timeout: Duration.minutes(1) });
    shared.addQueue('prices', progressiveQueue);
    const template = Template.fromStack(here);
    expect(queuesOf(template).map(({ queues }) => Object.keys(queues))).toEqual([['orders'], ['prices']]);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    template.hasResourceProperties('AWS::Lambda::Function', { Timeout: 60 });
    expect(() => shared.addQueue('orders', retryQueue)).toThrow(
      'addQueue: expected a queue that was not added before, got "orders"',
    );
  });

  it('adds one to a Backlog of the same stack', () => {
    const here = newApp().stack('Shop');
    const backlog = new Backlog(here, 'Backlog', { queues: { default: retryQueue } });
    const added = backlog.addQueue('orders', retryQueue);
    expect(Object.keys(added.functions)).toEqual(['orders']);
    expect(added.table).toBe(backlog.table);
    // The monitor of the first one would take it for a queue that was removed.
    expect(
      queuesOf(Template.fromStack(here)).find(({ queues }) => 'orders' in queues && !('default' in queues))
        ?.owner,
    ).toBe('Shop/Queue-orders');
    Template.fromStack(here).hasResourceProperties('AWS::Lambda::Permission', {
      Principal: { 'Fn::GetAtt': [Match.stringLikeRegexp('^BacklogIntakeRole'), 'Arn'] },
    });
  });
});

describe('a Backlog of another app', () => {
  it('grants to producers and operators, and has metrics', () => {
    const stack = newApp().stack('Team');
    const shared = Backlog.fromBacklogAttributes(stack, 'Shared', ATTRIBUTES);
    const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('ecs.amazonaws.com') });
    shared.grantInsert(role).assertSuccess();
    shared.grantOperate(role).assertSuccess();
    const policies = JSON.stringify(propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy'));
    expect(policies).toContain(':table/Records');
    expect(policies).toContain(':table/Control');
    expect(shared.metricWaiting('orders').dimensions).toEqual({ Table: 'Records', Queue: 'orders' });
    expect(shared.metricUnknownQueue().dimensions).toEqual({ Table: 'Records' });
    expect(() => shared.metricWaiting('no name')).toThrow('got "no name"');
  });

  it.each([
    [{ ...ATTRIBUTES, tableName: '' }, 'fromBacklogAttributes.tableName: '],
    [{ tableName: 'Records' }, 'fromBacklogAttributes.controlTableName: '],
    [{ ...ATTRIBUTES, table: 'Records' }, 'fromBacklogAttributes: unknown option "table"'],
  ])('is refused with %j', (attributes, message) => {
    const stack = newApp().stack('Team');
    expect(() => Backlog.fromBacklogAttributes(stack, 'Shared', attributes as never)).toThrow(message);
  });
});

describe('beside sharedBacklog', () => {
  it.each(['tableName', 'controlTableName', 'backlogName', 'deletionProtection', 'intake', 'sweep'] as const)(
    '%s is refused',
    (prop) => {
      const value = ['deletionProtection', 'intake', 'sweep'].includes(prop) ? true : 'shop';
      expect(() => team({ queues: { orders: retryQueue }, [prop]: value })).toThrow(
        `Backlog.${prop}: expected nothing beside "sharedBacklog"`,
      );
    },
  );

  it('something that is no Backlog is refused', () => {
    expect(() => team({ queues: { orders: retryQueue }, ...{ sharedBacklog: 'Platform' } } as never)).toThrow(
      'Backlog.sharedBacklog: expected a Backlog (IBacklog), got "Platform"',
    );
  });
});
