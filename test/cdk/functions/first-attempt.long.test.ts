import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type QueueProps } from '../../../cdk/index.js';
import {
  backlogWith,
  newStack,
  ownFunction,
  progressiveQueue,
  propertiesOf,
  retryQueue,
  rightsOf,
} from '../support.js';

const intakeOf = (template: Template) =>
  propertiesOf(template, 'AWS::Lambda::Function').find(({ Description }) => /Has records/.test(Description));

/** Queues with first attempts on insertion, by the function's construct. */
const firstAttemptOf = (template: Template): Record<string, string[]> => {
  const { 'Fn::Join': join } = intakeOf(template).Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS;
  const text = join[1]
    .map((part: string | { Ref: string }) =>
      typeof part === 'string' ? part : part.Ref.replace(/[0-9A-F]{8}$/, ''),
    )
    .join('');
  return JSON.parse(text);
};

describe('records that have just come', () => {
  it('are attempted by the function of their queue', () => {
    const { template } = backlogWith({
      queues: { orders: retryQueue, mails: retryQueue, bulk: progressiveQueue },
    });
    expect(firstAttemptOf(template)).toEqual({
      BacklogFibonacciDeliveryFunction: ['orders', 'mails'],
      BacklogProgressiveDeliveryFunction: ['bulk'],
    });
  });

  it.each<[string, Partial<QueueProps>, boolean]>([
    ['says so, and the intake may start it only when a run has died', { firstAttempt: 'scheduled' }, true],
    ['is not enabled, and the intake may start nothing', { enabled: false }, false],
  ])('are left to the rules where the queue %s', (_name, props, mayStart) => {
    const { template } = backlogWith({ queues: { orders: { ...retryQueue, ...props } } });
    expect(intakeOf(template).Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS).toBe('{}');
    const actions = rightsOf(template, 'BacklogIntake').map(([action]) => action);
    expect(actions.includes('lambda:InvokeFunction')).toBe(mayStart);
  });

  it('are attempted by a queue with a pace too, which all its runs keep together', () => {
    const { template } = backlogWith({ queues: { orders: { ...retryQueue, attemptsPerSecond: 5 } } });
    expect(firstAttemptOf(template)).toEqual({ BacklogFibonacciDeliveryFunction: ['orders'] });
  });

  it('come back, if their run is lost, to a queue that the intake reads', () => {
    const { template } = backlogWith({ queues: { orders: retryQueue } });
    const id = Object.keys(template.findResources('AWS::SQS::Queue')).find((one) => /Redelivery/.test(one));
    const configs = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig');
    expect(configs[0]).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [id, 'Arn'] } } },
    });
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')[1]).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('are left alone after five looks at the queue, which raises an alarm', () => {
    const { template } = backlogWith({ queues: { orders: retryQueue } });
    const returns = propertiesOf(template, 'AWS::SQS::Queue').find(({ RedrivePolicy }) => RedrivePolicy);
    expect(returns).toMatchObject({
      VisibilityTimeout: 360,
      SqsManagedSseEnabled: true,
      RedrivePolicy: {
        maxReceiveCount: 5,
        deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(/EventDlq/), 'Arn'] },
      },
    });
  });

  it('of a function of the user’s own come back as well', () => {
    const stack = newStack();
    const handler = ownFunction(stack);
    new Backlog(stack, 'Backlog', { queues: { orders: { retry: { type: 'fibonacci' }, handler } } });
    expect(firstAttemptOf(Template.fromStack(stack))).toEqual({ Own: ['orders'] });
  });

  it('are left to the rules where the function’s asynchronous invocation is configured elsewhere', () => {
    const stack = newStack();
    const handler = ownFunction(stack);
    handler.configureAsyncInvoke({ retryAttempts: 2 });
    new Backlog(stack, 'Backlog', { queues: { orders: { retry: { type: 'fibonacci' }, handler } } });
    expect(intakeOf(Template.fromStack(stack)).Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS).toBe('{}');
  });

  it('are left to the rules of an imported function, whose settings are not ours', () => {
    const stack = newStack();
    const handler = LambdaFunction.fromFunctionName(stack, 'Imported', 'orders');
    new Backlog(stack, 'Backlog', { queues: { orders: { retry: { type: 'fibonacci' }, handler } } });
    expect(intakeOf(Template.fromStack(stack)).Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS).toBe('{}');
  });
});

describe('a queue whose records would be lost or hurried', () => {
  it('is refused with a handler whose asynchronous invocation is configured elsewhere', () => {
    const stack = newStack();
    const handler = ownFunction(stack);
    handler.configureAsyncInvoke({ retryAttempts: 2 });
    const orders = { retry: { type: 'fibonacci' }, handler, firstAttempt: 'onInsert' } as const;
    expect(() => new Backlog(stack, 'Backlog', { queues: { orders } })).toThrow(
      'queues.orders.firstAttempt: expected "scheduled", as the handler\'s asynchronous invocation is configured elsewhere',
    );
  });

  it.each<[string, Partial<QueueProps>, string]>([
    [
      'rules that do not fire',
      { enabled: false, firstAttempt: 'onInsert' },
      'queues.orders.firstAttempt: expected "scheduled" or nothing, as the queue is not enabled',
    ],
    [
      'a word that means nothing',
      { firstAttempt: 'now' as never },
      'queues.orders.firstAttempt: expected "onInsert" or "scheduled", got "now"',
    ],
  ])('is refused with %s', (_name, props, message) => {
    expect(() => backlogWith({ queues: { orders: { ...retryQueue, ...props } } })).toThrow(message);
  });
});

describe('the sweep', () => {
  it('is started every hour, reads the records, notes how far it came, and sends what it found', () => {
    const { template, backlog } = backlogWith({ queues: { orders: retryQueue } });
    expect(backlog.sweep?.functionArn).toBeDefined();
    const rule = propertiesOf(template, 'AWS::Events::Rule').find(
      ({ ScheduleExpression }) => ScheduleExpression === 'rate(1 hour)',
    );
    expect(rule.Targets[0].RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 });
    expect(JSON.parse(rule.Targets[0].Input)).toEqual({ sweep: true });
    expect(rightsOf(template, 'BacklogSweep')).toEqual([
      ['logs:CreateLogStream, logs:PutLogEvents', ['SweepLogs.Arn']],
      ['dynamodb:Scan', ['Records.Arn']],
      ['dynamodb:GetItem, dynamodb:UpdateItem', ['Control.Arn']],
      ['sqs:SendMessage', ['Redelivery.Arn']],
    ]);
  });

  it('is started every hour by a schedule, if the queues are', () => {
    const queues = { orders: { ...retryQueue, enabled: false } };
    const { template } = backlogWith({ queues, trigger: 'scheduler' });
    const schedules = propertiesOf(template, 'AWS::Scheduler::Schedule');
    expect(schedules.map(({ ScheduleExpression, State }) => [ScheduleExpression, State]).sort()).toEqual([
      ['rate(1 hour)', 'ENABLED'],
      ['rate(1 minute)', 'DISABLED'],
      ['rate(5 minutes)', 'ENABLED'],
    ]);
  });

  it('is refused without the intake, which what it finds goes to', () => {
    expect(() => backlogWith({ queues: { orders: retryQueue }, intake: false, sweep: true })).toThrow(
      'Backlog.sweep: expected false or nothing beside "intake": false',
    );
  });

  it('can be left out, alone or with the intake', () => {
    for (const props of [{ sweep: false }, { intake: false }]) {
      const { template, backlog } = backlogWith({ queues: { orders: retryQueue }, ...props });
      expect(backlog.sweep).toBeUndefined();
      expect(JSON.stringify(template.toJSON())).not.toContain('dynamodb:Scan');
    }
  });
});
