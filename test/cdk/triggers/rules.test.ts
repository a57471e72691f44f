import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { parseEvent } from '../../../functions/event.js';
import { parseQueues } from '../../../functions/settings.js';
import { backlogWith, progressiveQueue, propertiesOf, retryQueue, rulesOf, URL } from '../support.js';

const HOUR = 3_600;
const DAY = 86_400;

describe('a queue with a retry policy', () => {
  it('is polled every minute by one rule that names it', () => {
    const { template } = backlogWith({ queues: { orders: retryQueue } });
    expect(rulesOf(template)).toMatchObject([
      { schedule: 'rate(1 minute)', state: 'ENABLED', input: { queue: 'orders' } },
    ]);
  });
});

describe('a queue with shards', () => {
  it.each([
    [1, 1],
    [8, 1],
    [9, 2],
    [32, 4],
  ])('of %i has a rule that starts %i runs, as one drains eight lanes at a time', (shards, runs) => {
    const { template } = backlogWith({ queues: { orders: { ...retryQueue, shards } } });
    const [rule] = propertiesOf(template, 'AWS::Events::Rule');
    const events = rule?.Targets.map(({ Input }: { Input: string }) => JSON.parse(Input));
    expect(events).toHaveLength(runs);
    const queues = parseQueues({ orders: { retryMode: 'perRecord', shards } });
    for (const [number, event] of events.entries()) {
      expect(parseEvent(event, queues).part).toEqual(runs === 1 ? undefined : { number, of: runs });
    }
  });

  it.each([0, 33, 1.5, '4'])('of %j is refused', (shards) => {
    const wrong = { ...retryQueue, shards: shards as number };
    expect(() => backlogWith({ queues: { orders: wrong } })).toThrow('queues.orders.shards: expected');
  });

  it('gives its number of shards to the intake, which indexes records, and to the monitor', () => {
    const { template } = backlogWith({ queues: { orders: { ...retryQueue, shards: 4 } } });
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    const settings = functions.map(({ Environment }) => JSON.parse(Environment.Variables.BACKLOG_QUEUES));
    expect(settings.length).toBe(4);
    for (const { orders } of settings) expect(orders.shards).toBe(4);
  });
});

describe('a progressive queue', () => {
  it('has six rules with the default tiers, each band one function timeout after the one before', () => {
    const { template } = backlogWith({ queues: { bulk: progressiveQueue } });
    const table = rulesOf(template).map(({ schedule, input: { tier } }) => [
      schedule,
      tier.number,
      tier.every,
      tier.fromAge,
      tier.untilAge,
      tier.last,
    ]);
    expect(table).toEqual([
      ['rate(5 minutes)', 1, 300, 0, DAY, false],
      ['rate(1 hour)', 2, HOUR, DAY + 300, 7 * DAY, false],
      ['rate(12 hours)', 3, 12 * HOUR, 7 * DAY + 300, 14 * DAY, false],
      ['rate(1 day)', 4, 24 * HOUR, 14 * DAY + 300, 30 * DAY, false],
      ['rate(4 days)', 5, 96 * HOUR, 30 * DAY + 300, 180 * DAY, false],
      ['rate(8 days)', 6, 192 * HOUR, 180 * DAY + 300, 360 * DAY, true],
    ]);
  });

  it('makes up for the missed runs of tiers 3 to 6 on its second rule only', () => {
    const { template } = backlogWith({ queues: { bulk: progressiveQueue } });
    const inputs = rulesOf(template).map(({ input }) => input);
    const [, , ...slower] = inputs.map(({ tier }) => tier);
    expect(inputs.map(({ catchUp }) => catchUp)).toEqual([
      undefined,
      slower,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('keeps the distance of its own function timeout', () => {
    const { template } = backlogWith({ queues: { bulk: progressiveQueue }, timeout: Duration.minutes(15) });
    expect(rulesOf(template)[1]?.input.tier.fromAge).toBe(DAY + 900);
  });

  it('takes tiers of its own, and with them the age at which a record is given up', () => {
    const tiers = [
      { every: Duration.minutes(1), untilAge: Duration.hours(1) },
      { every: Duration.hours(2), untilAge: Duration.days(400) },
    ];
    const { template } = backlogWith({
      queues: { bulk: { progressive: { tiers, maxAttempts: 50 }, deliverTo: URL } },
    });
    expect(rulesOf(template).map(({ schedule, input }) => [schedule, input])).toEqual([
      [
        'rate(1 minute)',
        {
          queue: 'bulk',
          tier: { number: 1, every: 60, fromAge: 0, untilAge: HOUR, last: false },
        },
      ],
      [
        'rate(2 hours)',
        {
          queue: 'bulk',
          tier: {
            number: 2,
            every: 2 * HOUR,
            fromAge: HOUR + 300,
            untilAge: 400 * DAY,
            last: true,
          },
        },
      ],
    ]);
    const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
    expect(JSON.parse(lambda.Environment.Variables.BACKLOG_QUEUES)).toEqual({
      bulk: {
        retryMode: 'progressive',
        retry: {
          type: 'progressive',
          tiers: [
            { every: 60, untilAge: HOUR },
            { every: 2 * HOUR, untilAge: 400 * DAY },
          ],
          maxAttempts: 50,
          maxAge: 400 * DAY,
        },
        deliverTo: URL,
      },
    });
  });
});

describe('every rule', () => {
  const { template } = backlogWith({ queues: { orders: retryQueue, bulk: progressiveQueue } });
  const queue = Object.keys(template.findResources('AWS::SQS::Queue')).find((id) => /EventDlq/.test(id));

  it('tries once within a minute, and then gives its event up to the queue for that', () => {
    for (const { target } of rulesOf(template)) {
      expect(target.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 });
      expect(target.DeadLetterConfig).toEqual({ Arn: { 'Fn::GetAtt': [queue, 'Arn'] } });
    }
  });

  it('may write to that queue: all rules by one statement, as SQS takes twenty at most', () => {
    const policy = propertiesOf(template, 'AWS::SQS::QueuePolicy').find(
      ({ Queues }) => Queues[0].Ref === queue,
    );
    const allowed = policy.PolicyDocument.Statement.filter((s: { Effect: string }) => s.Effect === 'Allow');
    const rules = Object.keys(template.findResources('AWS::Events::Rule'));
    expect(allowed).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: { 'Fn::GetAtt': [queue, 'Arn'] },
        Condition: {
          ArnEquals: {
            'aws:SourceArn': expect.toSatisfy(
              (arns: { 'Fn::GetAtt': string[] }[]) =>
                arns.length === 9 && arns.every((arn) => rules.includes(arn['Fn::GetAtt'][0] ?? '')),
            ),
          },
        },
      },
    ]);
  });

  it('may invoke its function', () => {
    template.resourceCountIs('AWS::Lambda::Permission', 9);
  });

  it('sends an event that the handler understands', () => {
    const queues = Object.assign(
      {},
      ...propertiesOf(template, 'AWS::Lambda::Function').map((lambda) =>
        parseQueues(JSON.parse(lambda.Environment.Variables.BACKLOG_QUEUES)),
      ),
    );
    for (const { input } of rulesOf(template)) expect(parseEvent(input, queues)).toMatchObject(input);
  });
});

describe('a disabled queue', () => {
  it('needs nothing that does the work, and its rules do not fire', () => {
    const { backlog, template } = backlogWith({
      queues: { orders: retryQueue, bulk: { progressive: true, enabled: false } },
    });
    expect(rulesOf(template).map(({ state }) => state)).toEqual([...Array(6).fill('DISABLED'), 'ENABLED']);
    expect(backlog.disabledQueues).toEqual(['bulk']);
  });
});
