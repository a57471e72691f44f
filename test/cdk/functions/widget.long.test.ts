import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { resolver } from '../../cloudwatch/intrinsics.js';
import { backlogWith, newStack, progressiveQueue, propertiesOf, retryQueue, rightsOf } from '../support.js';

const queues = { orders: { ...retryQueue, shards: 3 }, bulk: progressiveQueue };

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: Record<string, unknown>;
}

function widgetsOf(template: Template): Widget[] {
  const [{ DashboardBody }] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  return JSON.parse(resolver()(DashboardBody)).widgets;
}

function functionsOf(template: Template) {
  const found = Object.entries(template.findResources('AWS::Lambda::Function'));
  return found
    .filter(([id]) => id.startsWith('BacklogWidget'))
    .map(([id, { Properties }]) => ({ id, ...Properties }));
}

describe('the overview on the dashboard', () => {
  it('is not there by default', () => {
    const { template, backlog } = backlogWith({ queues });
    expect(functionsOf(template)).toEqual([]);
    expect(widgetsOf(template).map(({ type }) => type)).not.toContain('custom');
    expect([backlog.widget, backlog.widgetActions]).toEqual([undefined, undefined]);
  });

  it('stands right below the alarms, over the whole width, and names the function that reads', () => {
    const { template } = backlogWith({ queues, widget: true });
    const [alarms, overview, next] = widgetsOf(template);
    expect(alarms?.type).toBe('alarm');
    expect(overview).toEqual({
      type: 'custom',
      x: 0,
      y: alarms?.height,
      width: 24,
      height: 6,
      properties: {
        title: 'Overview',
        endpoint: expect.stringMatching(/^BacklogWidgetFunction[0-9A-F]+\.Arn$/),
        updateOn: { refresh: true, resize: true, timeRange: false },
      },
    });
    expect(next?.y).toBe((alarms?.height ?? 0) + 6);
  });

  it('is no higher for fifty queues than a screen', () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`queue-${i}`, i % 2 === 0 ? retryQueue : progressiveQueue]),
    );
    const { template } = backlogWith({ queues: many, widget: true, trigger: 'scheduler' });
    expect(widgetsOf(template).find(({ type }) => type === 'custom')?.height).toBe(10);
  });

  it.each(['full', 'essential', 'off'] as const)('needs no metrics: %s', (metrics) => {
    const { template } = backlogWith({ queues, widget: true, metrics });
    expect(widgetsOf(template)[1]?.type).toBe('custom');
  });

  it('has two functions with a role each, of which only the one may write, and only to the control table', () => {
    const { template } = backlogWith({ queues, widget: true });
    expect(rightsOf(template, 'BacklogWidgetRole')).toEqual([
      ['logs:CreateLogStream, logs:PutLogEvents', [expect.stringContaining('WidgetLogs')]],
      ['dynamodb:Query', ['Records.Arn/index/due']],
      ['dynamodb:GetItem', ['Control.Arn']],
    ]);
    expect(rightsOf(template, 'BacklogWidgetActionsRole')).toEqual([
      ['logs:CreateLogStream, logs:PutLogEvents', [expect.stringContaining('WidgetActionsLogs')]],
      ['dynamodb:GetItem, dynamodb:UpdateItem', ['Control.Arn']],
    ]);
    const roles = functionsOf(template).map(({ Role }) => Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(2);
    // Only a principal with rights of its own may call them.
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(permissions.filter(({ FunctionName }) => JSON.stringify(FunctionName).includes('Widget'))).toEqual(
      [],
    );
  });

  it('has functions like the others: logs, traces, memory; and what they need to know of the queues', () => {
    const props = { tracing: Tracing.ACTIVE, systemLogLevel: SystemLogLevel.INFO, memorySize: 256 };
    const { template } = backlogWith({ queues, widget: true, ...props });
    const functions = functionsOf(template);
    expect(functions).toHaveLength(2);
    for (const made of functions) {
      expect(made).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: 256,
        Timeout: 30,
        TracingConfig: { Mode: 'Active' },
        LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'INFO', LogGroup: expect.anything() },
      });
      expect(JSON.parse(made.Environment.Variables.BACKLOG_QUEUES)).toEqual({
        orders: { retryMode: 'perRecord', shards: 3 },
        bulk: expect.objectContaining({ retryMode: 'progressive' }),
      });
    }
    const known = functions.map(({ id, Environment }) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      Environment.Variables.BACKLOG_WIDGET_ACTIONS?.['Fn::GetAtt'],
    ]);
    expect(known.sort()).toEqual([
      ['BacklogWidgetActionsFunction', undefined],
      ['BacklogWidgetFunction', [expect.stringMatching(/^BacklogWidgetActionsFunction/), 'Arn']],
    ]);
  });

  it('has one function without buttons if it is read-only', () => {
    const { template, backlog } = backlogWith({ queues, widget: 'readOnly' });
    const [only, ...others] = functionsOf(template);
    expect(others).toEqual([]);
    expect(only?.Environment.Variables).not.toHaveProperty('BACKLOG_WIDGET_ACTIONS');
    expect(backlog.widget).toBeDefined();
    expect(backlog.widgetActions).toBeUndefined();
  });

  it('lets a viewer call the functions themselves, no version of them, and nothing else', () => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', { queues, widget: true });
    backlog.grantViewWidget(new User(stack, 'Viewer')).assertSuccess();
    backlog.grantUseWidget(
      new Role(stack, 'Helper', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') }),
    );
    const template = Template.fromStack(stack);
    expect(rightsOf(template, 'Viewer')).toEqual([['lambda:InvokeFunction', ['WidgetFunction.Arn']]]);
    expect(rightsOf(template, 'Helper')).toEqual([
      ['lambda:InvokeFunction', ['WidgetActionsFunction.Arn', 'WidgetFunction.Arn']],
    ]);
  });

  it.each<[string, Partial<BacklogProps>, string]>([
    [
      'grantViewWidget',
      {},
      'Backlog.widget: expected true or "readOnly", as otherwise there is nothing to grant',
    ],
    ['grantUseWidget', {}, 'Backlog.widget: expected true, as otherwise there is nothing to grant'],
    ['grantUseWidget', { widget: 'readOnly' }, 'Backlog.widget: expected true, as'],
  ])('refuses %s where there is nothing to call: %j', (method, props, message) => {
    const { backlog, stack } = backlogWith({ queues, ...props });
    const grant = backlog[method as 'grantViewWidget' | 'grantUseWidget'].bind(backlog);
    expect(() => grant(new User(stack, 'Viewer'))).toThrow(message);
  });

  it.each<[Partial<BacklogProps>, string]>([
    [
      { widget: true, dashboard: false },
      'Backlog.widget: expected false or nothing beside "dashboard": false, as it is a part of it, got true',
    ],
    [
      { widget: 'writable' as 'readOnly' },
      'Backlog.widget: expected true, false or "readOnly", got "writable"',
    ],
  ])('refuses %j', (props, message) => {
    expect(() => backlogWith({ queues, ...props })).toThrow(message);
  });
});
