import { Duration, Fn } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { backlogWith, newStack, progressiveQueue, propertiesOf, retryQueue, URL } from '../support.js';

function refusalOf(props: unknown): string {
  try {
    new Backlog(newStack(), 'Backlog', props as BacklogProps);
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'nothing was refused';
}
const manyTiers = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ every: Duration.minutes(5), untilAge: Duration.hours(i + 1) }));
const queue = (props: object) => ({ queues: { bulk: props } });

describe('synthesis warns', () => {
  const warningsOf = (deliverTo: string) => {
    const queues = { bulk: { ...progressiveQueue, deliverTo } };
    const { stack } = backlogWith({ queues, alarms: false });
    return Annotations.fromStack(stack).findWarning('*', Match.anyValue());
  };

  it('of a URL that a deployed function could not reach, as it is on this machine', () => {
    expect(warningsOf('http://127.0.0.1:3000/').map(({ entry }) => entry.data)).toEqual([
      expect.stringContaining('queues.bulk.deliverTo is on this machine'),
    ]);
    expect(warningsOf(URL)).toEqual([]);
  });
});

describe('synthesis refuses, and names the option', () => {
  it.each([
    ['an unknown option', { queues: { a: retryQueue }, retries: 3 }, 'Backlog: unknown option "retries"'],
    [
      'fairness on a progressive queue',
      queue({ ...progressiveQueue, fairness: true }),
      'queues.bulk.fairness: expected nothing, or false, on a progressive queue, got true',
    ],
    [
      'fairness where no lanes are left for keys',
      queue({ ...retryQueue, fairness: true, shards: 25 }),
      'queues.bulk.fairness: expected at most 24 shards beside it, as busy keys need lanes of their own, got 25',
    ],
    [
      'a limit for each key without fairness',
      queue({ ...retryQueue, concurrencyPerKey: 2 }),
      'queues.bulk.concurrencyPerKey: expected "fairness": true beside it, as records of a key that is at its limit wait in a lane of ' +
        'its own, got 2',
    ],
    [
      'a rate for each key without fairness',
      queue({ ...retryQueue, attemptsPerSecondPerKey: 0.5 }),
      'queues.bulk.attemptsPerSecondPerKey: expected "fairness": true beside it, as records of a key that is at its limit wait in a lane ' +
        'of its own, got 0.5',
    ],
    [
      'a rate for each key of none',
      queue({ ...retryQueue, fairness: true, attemptsPerSecondPerKey: 0 }),
      'queues.bulk.attemptsPerSecondPerKey: expected number to be >0, got 0',
    ],
    [
      'a limit for each key of none',
      queue({ ...retryQueue, fairness: true, concurrencyPerKey: 0 }),
      'queues.bulk.concurrencyPerKey: expected number to be >=1, got 0',
    ],
    [
      'fairness that is no boolean',
      queue({ ...retryQueue, fairness: 'yes' }),
      'queues.bulk.fairness: expected boolean, got "yes"',
    ],
    ['no queues', { queues: {} }, 'queues: expected at least one queue, got {}'],
    [
      'queues as a list',
      { queues: [retryQueue] },
      'Backlog.queues: expected an object of queues by name, got [{',
    ],
    [
      'a name that no event or lane could carry',
      { queues: { 'my queue': retryQueue } },
      'queues: expected names of letters, digits, "_", "." and "-", at most 128, and not "__proto__", got "my queue"',
    ],
    [
      'a name that JavaScript makes the prototype',
      { queues: { a: retryQueue, __proto__: retryQueue } },
      'queues: "__proto__" cannot be the name of one: JavaScript drops it',
    ],
    [
      'the same from JSON',
      {
        queues: Object.fromEntries([
          ['a', retryQueue],
          ['__proto__', retryQueue],
        ]),
      },
      'queues: "__proto__" cannot be the name of one: JavaScript drops it',
    ],
    [
      'a name that would make a key too long',
      { queues: { ['q'.repeat(129)]: retryQueue } },
      'queues: expected names of letters, digits, "_", "." and "-", at most 128, and not "__proto__", got "qqq',
    ],
    [
      'a table that is none',
      { queues: { a: retryQueue }, table: {} },
      'Backlog.table: expected a DynamoDB table (ITable), got {}',
    ],
    [
      'a key that is none',
      { queues: { a: retryQueue }, encryptionKey: 'alias/mine' },
      'Backlog.encryptionKey: expected a KMS key (IKey), got "alias/mine"',
    ],
    [
      'an alarm action that is none',
      { queues: { a: retryQueue }, alarmActions: { page: [null] } },
      'Backlog.alarmActions: expected a list of alarm actions, or { page: [...], ticket: [...] }, got {"page":[null]}',
    ],
    [
      'an unknown option of a queue',
      queue({ ...retryQueue, retires: 1 }),
      'queues.bulk: unknown option "retires"',
    ],
    [
      'a queue for retries that there is not',
      { queues: { bulk: { ...retryQueue, retryQueue: 'retires' }, retries: retryQueue } },
      'queues.bulk.retryQueue: expected a queue of this Backlog ("bulk", "retries"), got "retires"; did you mean "retries"?',
    ],
    [
      'the queue itself for retries',
      queue({ ...retryQueue, retryQueue: 'bulk' }),
      'queues.bulk.retryQueue: expected another queue than the record\'s own, got "bulk"',
    ],
    [
      'a queue for retries that is no name',
      queue({ ...retryQueue, retryQueue: 7 }),
      'queues.bulk.retryQueue: expected string, got 7',
    ],
    [
      'errors that are no names',
      queue({ ...retryQueue, deadOn: ['TypeError', 7] }),
      'queues.bulk.deadOn.1: expected the name of an error such as "ValidationError", not "WorkerLost", got 7',
    ],
    [
      'a history in code, where only data can stand',
      queue({ ...retryQueue, history: { redact: () => ({}) } }),
      'queues.bulk.history: unknown option "redact"',
    ],
    [
      'both retry modes',
      queue({ ...retryQueue, progressive: true }),
      'queues.bulk: expected either "retry" or "progressive", got both',
    ],
    [
      'two that do the work',
      queue({ ...retryQueue, entry: 'x.ts' }),
      'queues.bulk: expected one of "deliverTo", "entry", "handler" and "worker", got "deliverTo" and "entry"',
    ],
    [
      'nothing that does the work',
      queue({ progressive: true }),
      'queues.bulk: expected "deliverTo", "entry", "handler" or "worker" (or "enabled": false), got none of them',
    ],
    [
      'what is no URL',
      queue({ progressive: true, deliverTo: 'erp' }),
      'queues.bulk.deliverTo: expected a URL such as https://erp.example.com/orders, got "erp"',
    ],
    [
      'http to another machine',
      queue({ progressive: true, deliverTo: 'http://erp.example.com' }),
      'queues.bulk.deliverTo: expected an https URL (http only to 127.0.0.1, [::1] or localhost), got "http://erp.example.com"',
    ],
    [
      'an entry that is not there',
      queue({ progressive: true, entry: 'nowhere/handler.ts' }),
      'queues.bulk.entry: expected a file that exports "handler", found none at ',
    ],
    [
      'environment variables without an entry',
      queue({ ...retryQueue, environment: { A: 'b' } }),
      'queues.bulk.environment: expected with "entry" only, got ["A"]',
    ],
    [
      'a handler that is no function',
      queue({ progressive: true, handler: 'handler.ts' }),
      'queues.bulk.handler: expected a Lambda function (IFunction), got "handler.ts"',
    ],
    [
      'an unknown policy',
      queue({ ...retryQueue, retry: { type: 'fibonaci' } }),
      'queues.bulk.retry.type: expected one of "none", "constant", "linear", "fibonacci", ',
    ],
    [
      'an option that the policy does not have',
      queue({ ...retryQueue, retry: { type: 'fibonacci', interval: 60 } }),
      'queues.bulk.retry: unknown option "interval"',
    ],
    [
      'tiers out of order',
      queue({
        deliverTo: URL,
        progressive: {
          tiers: [
            { every: Duration.seconds(60), untilAge: Duration.seconds(100) },
            { every: Duration.seconds(60), untilAge: Duration.seconds(50) },
          ],
        },
      }),
      'queues.bulk.progressive.tiers: expected tiers in ascending order of untilAge',
    ],
    [
      'an interval that no rule can keep',
      queue({
        deliverTo: URL,
        progressive: { tiers: [{ every: Duration.seconds(90), untilAge: Duration.seconds(100) }] },
      }),
      'queues.bulk.progressive.tiers.0.every: expected whole minutes, got 90',
    ],
    [
      'a tier that the distance between the bands leaves empty',
      queue({
        deliverTo: URL,
        progressive: {
          tiers: [
            { every: Duration.seconds(60), untilAge: Duration.seconds(600) },
            { every: Duration.seconds(60), untilAge: Duration.seconds(900) },
          ],
        },
      }),
      'queues.bulk.progressive.tiers.1.untilAge: expected more than 900',
    ],
    ['a limit out of range', queue({ ...retryQueue, concurrency: 0 }), 'queues.bulk.concurrency: '],
    [
      'a number where a Duration of a tier belongs',
      queue({ deliverTo: URL, progressive: { tiers: [{ every: 60, untilAge: Duration.days(1) }] } }),
      'queues.bulk.progressive.tiers.0.every: expected a Duration, got 60',
    ],
    [
      'a number where a Duration belongs',
      queue({ ...retryQueue, attemptTimeout: 30 }),
      'queues.bulk.attemptTimeout: expected a Duration, got 30',
    ],
    [
      'an attempt longer than its function',
      queue({ ...retryQueue, attemptTimeout: Duration.minutes(5) }),
      'queues.bulk.attemptTimeout: an attempt of 300 s does not fit into its function, which ends after 300 s (timeout) and needs 15 s of them for itself',
    ],
    [
      'a function longer than Lambda allows',
      { ...queue(retryQueue), timeout: Duration.minutes(16) },
      'Backlog.timeout: expected at most 900 seconds, got 960',
    ],
    ['memory that Lambda does not have', { ...queue(retryQueue), memorySize: 64 }, 'Backlog.memorySize: '],
    [
      "more rules than fit into a function's policy",
      queue({ progressive: { tiers: manyTiers(41) }, deliverTo: 'https://a.b' }),
      'queues: a function has 41 rules, and its policy takes 40: give more of its queues the same tiers, as these share rules, or ' +
        'set "trigger": "scheduler", whose schedules have no such limit',
    ],
  ])('%s', (_name, props, message) => {
    expect(refusalOf(props)).toMatch(new RegExp(`^ConfigurationError: ${literally(message)}`));
  });

  it('a metric of an unknown queue', () => {
    const { backlog } = backlogWith({ queues: { orders: retryQueue } });
    expect(() => backlog.metricDead('order')).toThrow('queue: expected one of "orders", got "order"');
  });
});

it('a URL that is known at deployment only is left to the function to check', () => {
  const stack = newStack();
  new Backlog(stack, 'Backlog', {
    queues: { orders: { retry: { type: 'fibonacci' }, deliverTo: Fn.importValue('ErpUrl') } },
  });
  const [lambda] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function');
  expect(lambda.Environment.Variables.BACKLOG_QUEUES).toEqual({
    'Fn::Join': [
      '',
      [
        '{"orders":{"retryMode":"perRecord","retry":{"type":"fibonacci"},"deliverTo":"',
        { 'Fn::ImportValue': 'ErpUrl' },
        '"}}',
      ],
    ],
  });
});

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
