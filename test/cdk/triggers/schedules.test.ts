import { Duration, TimeZone } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { timeZone } from '../../../cdk/props/time-zone.js';
import { clockCron } from '../../../cdk/triggers/time-zone.js';
import {
  backlogWith,
  newStack,
  progressiveQueue,
  propertiesOf,
  retryQueue,
  rulesOf,
  schedulesOf,
} from '../support.js';

const queues = { orders: retryQueue, bulk: progressiveQueue };
const scheduled = (props: Partial<BacklogProps> = {}) =>
  backlogWith({ queues, trigger: 'scheduler', ...props });

describe('trigger: "scheduler"', () => {
  const { backlog, template } = scheduled();

  it('has schedules instead of rules: the same events at the same intervals', () => {
    const rules = rulesOf(backlogWith({ queues }).template);
    const what = ({ description, schedule, state, input }: (typeof rules)[number]) => ({
      description,
      schedule,
      state,
      input,
    });
    expect(schedulesOf(template).map(what)).toEqual(rules.map(what));
    expect(rules).toHaveLength(7);
    template.resourceCountIs('AWS::Events::Rule', 0);
    template.resourceCountIs('AWS::Lambda::Permission', 0);
    expect(schedulesOf(template).map(({ timeZone }) => timeZone)).toEqual(Array(7).fill(undefined));
  });

  it('fires at the time itself, once, within a minute, and keeps what could not be delivered', () => {
    const [dead] = Object.keys(template.findResources('AWS::SQS::Queue')).filter((id) =>
      /DeadLetters/.test(id),
    );
    for (const { FlexibleTimeWindow, Target } of propertiesOf(template, 'AWS::Scheduler::Schedule')) {
      expect(FlexibleTimeWindow).toEqual({ Mode: 'OFF' });
      expect(Target.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 });
      expect(Target.DeadLetterConfig).toEqual({ Arn: { 'Fn::GetAtt': [dead, 'Arn'] } });
    }
    expect(backlog.scheduleDeadLetters).toBeDefined();
    expect(backlogWith({ queues }).backlog.scheduleDeadLetters).toBeUndefined();
  });

  it('lets one role start exactly the functions, and only for the schedules of its group', () => {
    const [group] = Object.keys(template.findResources('AWS::Scheduler::ScheduleGroup'));
    const roles = propertiesOf(template, 'AWS::IAM::Role').filter(({ Policies }) => Policies);
    expect(roles).toHaveLength(1);
    const [{ AssumeRolePolicyDocument, Policies, ManagedPolicyArns }] = roles;
    expect(ManagedPolicyArns).toBeUndefined();
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
        Condition: {
          StringEquals: {
            'aws:SourceAccount': { Ref: 'AWS::AccountId' },
            'aws:SourceArn': { 'Fn::GetAtt': [group, 'Arn'] },
          },
        },
      },
    ]);
    const arnOf = (pattern: RegExp) => ({ 'Fn::GetAtt': [expect.stringMatching(pattern), 'Arn'] });
    expect(Policies.map(({ PolicyDocument }: { PolicyDocument: object }) => PolicyDocument)).toEqual([
      {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: 'lambda:InvokeFunction',
            Resource: [
              arnOf(/^BacklogFibonacciDelivery/),
              arnOf(/^BacklogProgressiveDelivery/),
              arnOf(/^BacklogSweep/),
              arnOf(/^BacklogMonitor/),
            ],
          },
          { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: arnOf(/^BacklogSchedulesDeadLetters/) },
        ],
      },
    ]);
    for (const schedule of propertiesOf(template, 'AWS::Scheduler::Schedule')) {
      expect(schedule.GroupName).toEqual({ Ref: group });
      expect(schedule.Target.RoleArn).toEqual(arnOf(/^BacklogSchedulesRole/));
    }
  });

  it('allows no rule to write to the dead-letter queue for events', () => {
    for (const { PolicyDocument } of propertiesOf(template, 'AWS::SQS::QueuePolicy')) {
      expect(PolicyDocument.Statement.map(({ Effect }: { Effect: string }) => Effect)).toEqual(['Deny']);
    }
  });

  it('does not fire for a queue that is disabled', () => {
    const { template } = scheduled({
      queues: { orders: retryQueue, bulk: { ...progressiveQueue, enabled: false } },
    });
    expect(schedulesOf(template).map(({ state }) => state)).toEqual([
      ...Array(6).fill('DISABLED'),
      'ENABLED',
    ]);
  });

  it('is watched by an alarm of its own, and shown on the dashboard', () => {
    const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
    const [alarm] = alarms.filter(([id]) => id.includes('ScheduleDeadLetters'));
    expect(alarm?.[1].Properties).toMatchObject({
      MetricName: 'NumberOfMessagesSent',
      Threshold: 0,
      Dimensions: [
        {
          Name: 'QueueName',
          Value: { 'Fn::GetAtt': [expect.stringMatching(/^BacklogSchedulesDeadLetters/), 'QueueName'] },
        },
      ],
    });
    const [dashboard] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
    expect(JSON.stringify(dashboard.DashboardBody)).toContain('Dead letters of schedules');
  });

  it('starts an imported function by the name it is given', () => {
    const stack = newStack({ account: '123456789012', region: 'eu-central-1' });
    const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:orders:live';
    const handler = LambdaFunction.fromFunctionArn(stack, 'Orders', arn);
    new Backlog(stack, 'Backlog', {
      trigger: 'scheduler',
      queues: { orders: { retry: { type: 'fibonacci' }, handler } },
    });
    const template = Template.fromStack(stack);
    expect(schedulesOf(template).map(({ target }) => target.Arn)).toEqual([arn]);
    expect(JSON.stringify(propertiesOf(template, 'AWS::IAM::Role'))).toContain(`"Resource":["${arn}",`);
  });
});

describe('the schedules of queues with odd names', () => {
  const names = [
    'a.b',
    'a-b',
    'a_b',
    'ab',
    '.',
    '..',
    '-',
    'Default',
    'Poll',
    'PollSchedule',
    'Schedules',
    '0',
  ];
  const build = (order: readonly string[]) =>
    scheduled({
      queues: Object.fromEntries(order.map((name) => [name, retryQueue])),
      alarms: false,
      dashboard: false,
    }).template;
  const idsOf = (template: Template) =>
    Object.entries(template.findResources('AWS::Scheduler::Schedule')).map(
      ([id, { Properties }]) => `${Properties.Description} ${id}`,
    );
  const template = build(names);

  it('are all there, under names that do not depend on what else is in the app', () => {
    const all = idsOf(template);
    expect(new Set(all).size).toBe(names.length + 2); // and the sweep's and the monitor's
    for (const id of idsOf(build(['Poll', 'a-b']))) expect(all).toContain(id);
  });

  it('send their queue as it is called', () => {
    expect(
      schedulesOf(template)
        .map(({ input }) => input.queue)
        .sort(),
    ).toEqual([...names].sort());
  });
});

describe('a change from rules to schedules', () => {
  it('makes no resource of one kind where there was one of the other, and leaves all others alone', () => {
    const { Resources: before } = backlogWith({ queues }).template.toJSON();
    const { Resources: after } = scheduled().template.toJSON();
    for (const [id, { Type }] of Object.entries<{ Type: string }>(before)) {
      if (after[id]) expect(after[id].Type).toBe(Type);
      else expect(['AWS::Events::Rule', 'AWS::Lambda::Permission']).toContain(Type);
    }
    for (const id of Object.keys(before).filter((one) => before[one].Type.startsWith('AWS::DynamoDB'))) {
      expect(after[id]).toEqual(before[id]);
    }
  });
});

describe('a time zone', () => {
  const expressions = (props: Partial<BacklogProps>) =>
    schedulesOf(scheduled(props).template).map(({ schedule, timeZone }) => [schedule, timeZone]);

  it('lets tiers of hours that divide a day start by its clock; the others count as ever', () => {
    expect(expressions({ timeZone: 'Europe/Berlin' })).toEqual([
      ['rate(5 minutes)', undefined],
      ['rate(1 hour)', undefined],
      ['cron(0 0/12 * * ? *)', 'Europe/Berlin'],
      ['cron(0 0 * * ? *)', 'Europe/Berlin'],
      ['rate(4 days)', undefined],
      ['rate(8 days)', undefined],
      ['rate(1 minute)', undefined],
    ]);
  });

  it('is for intervals of 2, 3, 4, 6, 8, 12 and 24 hours', () => {
    const hours = Array.from({ length: 200 }, (_, i) => (i + 1) / 2);
    expect(hours.filter((hour) => clockCron(hour * 3600) !== undefined)).toEqual([2, 3, 4, 6, 8, 12, 24]);
    expect(clockCron(8 * 3600)).toBe('cron(0 0/8 * * ? *)');
  });

  it.each([
    'Europe/Berlin',
    'UTC',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'America/Argentina/Buenos_Aires',
    TimeZone.ASIA_TOKYO,
  ])('is %s', (zone) => {
    expect(timeZone.parse(zone)).toBe(typeof zone === 'string' ? zone : 'Asia/Tokyo');
  });

  it.each([
    ['Europe/Berln', ' (did you mean "Europe/Berlin"?), got "Europe/Berln"'],
    ['europe/berlin', ' (did you mean "Europe/Berlin"?), got "europe/berlin"'],
    ['+02:00', ', got "+02:00"'],
    ['', ', got ""'],
    [2, ', got 2'],
  ])('is not %j', (zone, problem) => {
    expect(() => scheduled({ timeZone: zone as string })).toThrow(
      `Backlog.timeZone: expected a time zone such as "Europe/Berlin"${problem}`,
    );
  });

  it('is refused where it would have no effect', () => {
    expect(() => backlogWith({ queues, timeZone: 'Europe/Berlin' })).toThrow(
      'Backlog.timeZone: expected with trigger "scheduler" only, as rules know UTC alone, got "Europe/Berlin"',
    );
    expect(() => scheduled({ queues: { orders: retryQueue }, timeZone: 'Europe/Berlin' })).toThrow(
      'Backlog.timeZone: expected a progressive queue with a tier of 2, 3, 4, 6, 8, 12 or 24 hours, which is what it ' +
        'has an effect on, got "Europe/Berlin" and no such tier',
    );
  });
});

it('a trigger that is none is refused', () => {
  expect(() => backlogWith({ queues, trigger: 'cron' as 'rules' })).toThrow(
    'Backlog.trigger: expected "rules" or "scheduler", got "cron"',
  );
});

it('the age bands keep the distance of the function timeout, as with rules', () => {
  const { template } = scheduled({ timeout: Duration.minutes(15) });
  expect(schedulesOf(template)[1]?.input.tier.fromAge).toBe(86_400 + 900);
});
