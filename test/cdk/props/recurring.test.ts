import { CfnParameter, Duration, Fn, Lazy, TimeZone } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type RecurringProps } from '../../../cdk/index.js';
import { newStack, propertiesOf, retryQueue } from '../support.js';

const HOURLY = 'rate(1 hour)';

function backlogWith(recurring: unknown, props: Partial<BacklogProps> = {}) {
  const stack = newStack();
  const all = { queues: { default: retryQueue }, recurring, ...props } as BacklogProps;
  return { stack, backlog: new Backlog(stack, 'Backlog', all) };
}

/** The definitions that the function gets. */
function definitions(recurring: Readonly<Record<string, RecurringProps>>) {
  const template = Template.fromStack(backlogWith(recurring).stack);
  const variables = propertiesOf(template, 'AWS::Lambda::Function').map(
    ({ Environment }) => Environment.Variables,
  );
  return JSON.parse(variables.find((one) => 'BACKLOG_RECURRING' in one).BACKLOG_RECURRING);
}

function warnings(recurring: Readonly<Record<string, RecurringProps>>): string[] {
  return backlogWith(recurring)
    .stack.node.findAll()
    .flatMap(({ node }) => node.metadata.map(({ data }) => String(data)))
    .filter((text) => text.startsWith('recurring.'));
}

describe('the definitions of recurring records', () => {
  it('are plain values, whatever the CDK has for them', () => {
    const startAt = new Date('2026-12-01T00:00:00Z');
    expect(
      definitions({
        plain: { schedule: HOURLY },
        all: {
          schedule: 'cron(0 3 * * ? *)',
          timeZone: TimeZone.EUROPE_BERLIN,
          ...{ queue: 'default', task: 'report', payload: { pages: [1, null, true, 'x'], none: undefined } },
          key: 'c-7',
          ...{ retry: { maxAttempts: 3 }, missed: 'all', jitter: Duration.minutes(5) },
          ...{ startAt, endAt: '2027-01-01T00:00:00+01:00' },
        },
        rule: { schedule: Schedule.cron({ minute: '0', hour: '3' }) },
        every: { schedule: Schedule.rate(Duration.minutes(5)) },
        scheduler: {
          schedule: ScheduleExpression.cron({ minute: '0', hour: '3', timeZone: TimeZone.EUROPE_PARIS }),
        },
        withoutZone: {
          schedule: ScheduleExpression.cron({ minute: '0', hour: '3' }),
          timeZone: 'Asia/Tokyo',
        },
      }),
    ).toEqual({
      plain: { schedule: HOURLY },
      all: {
        ...{ schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin', queue: 'default', task: 'report' },
        key: 'c-7',
        ...{
          payload: { pages: [1, null, true, 'x'] },
          retry: { maxAttempts: 3 },
          missed: 'all',
          jitter: 300,
        },
        ...{ startAt: '2026-12-01T00:00:00.000Z', endAt: '2026-12-31T23:00:00.000Z' },
      },
      rule: { schedule: 'cron(0 3 * * ? *)' },
      every: { schedule: 'rate(5 minutes)' },
      scheduler: { schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Paris' },
      withoutZone: { schedule: 'cron(0 3 * * ? *)', timeZone: 'Asia/Tokyo' },
    });
  });

  const AT = 'Backlog.recurring.report';
  it.each<[string, object, string]>([
    ['no schedule', {}, `${AT}.schedule: expected string`],
    ['an unknown option', { schedule: HOURLY, cron: 'x' }, `${AT}: unknown option "cron"`],
    [
      'a schedule of seconds',
      { schedule: 'rate(30 seconds)' },
      `${AT}.schedule: expected a rate such as rate(1 minute)`,
    ],
    [
      'a date',
      { schedule: ScheduleExpression.at(new Date(0)) },
      `${AT}.schedule: expected rate(...) or cron(...)`,
    ],
    [
      'an unknown time zone',
      { schedule: 'cron(0 3 * * ? *)', timeZone: 'Berlin' },
      `${AT}.timeZone: expected a time zone`,
    ],
    [
      'two time zones',
      {
        schedule: ScheduleExpression.expression('cron(0 3 * * ? *)', TimeZone.EUROPE_PARIS),
        timeZone: 'Europe/Berlin',
      },
      `${AT}.timeZone: expected nothing beside a schedule that has the time zone "Europe/Paris", got "Europe/Berlin"`,
    ],
    ['a name of no queue', { schedule: HOURLY, queue: 'no name' }, `${AT}.queue: expected `],
    [
      'the queue of the schedules',
      { schedule: HOURLY, queue: 'recurring' },
      `${AT}.queue: expected another queue than "recurring", which has the schedules themselves`,
    ],
    ['a key of a number', { schedule: HOURLY, key: 7 }, `${AT}.key: expected text of 1 to 256 bytes, got 7`],
    ['an empty task', { schedule: HOURLY, task: '' }, `${AT}.task: `],
    ['an unknown policy', { schedule: HOURLY, retry: { type: 'often' } }, `${AT}.retry`],
    ['an unknown way to make up', { schedule: HOURLY, missed: 'some' }, `${AT}.missed: `],
    ['a time without its zone', { schedule: HOURLY, startAt: '2026-12-01T00:00' }, `${AT}.startAt: `],
    [
      'an end before the start',
      { schedule: HOURLY, startAt: '2026-12-01T00:00Z', endAt: '2026-11-01T00:00Z' },
      `${AT}.endAt: expected a time that is not before startAt`,
    ],
    ['seconds in place of a Duration', { schedule: HOURLY, jitter: 60 }, `${AT}.jitter: expected a Duration`],
    ['two days of jitter', { schedule: HOURLY, jitter: Duration.days(2) }, `${AT}.jitter: `],
    [
      'a Date in the payload',
      { schedule: HOURLY, payload: { at: new Date(0) } },
      `${AT}.payload.at: expected texts, finite numbers`,
    ],
    [
      'no number in the payload',
      { schedule: HOURLY, payload: [Number.NaN] },
      `${AT}.payload.0: expected texts, finite numbers`,
    ],
    [
      'a list with a gap',
      { schedule: HOURLY, payload: { ids: [undefined] } },
      `${AT}.payload.ids.0: expected texts`,
    ],
    [
      'the mark of a file',
      { schedule: HOURLY, payload: { $join: ['a'] } },
      `${AT}.payload: expected no list of the name "$join"`,
    ],
    [
      'a payload that no record can have',
      { schedule: HOURLY, payload: 'x'.repeat(400 * 1024) },
      `${AT}.payload: record recurring:report: it has `,
    ],
  ])('are refused with %s', (_, wrong, message) => {
    expect(() => backlogWith({ report: wrong })).toThrow(message);
  });

  it('are refused with names of other characters, too many of them, or of too many bytes', () => {
    expect(() => backlogWith({ 'no name': { schedule: HOURLY } })).toThrow(
      'Backlog.recurring: expected a name of letters, digits and "_.:/-", at most 256, got "no name"',
    );
    const many = (count: number, payload: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, { schedule: HOURLY, payload }]));
    expect(() => backlogWith(many(1_001, {}))).toThrow(
      'Backlog.recurring: expected at most 1000 recurring records, got 1001',
    );
    expect(() => backlogWith(many(20, 'x'.repeat(300_000)))).toThrow(
      'Backlog.recurring: expected at most 4000000 bytes in all',
    );
    expect(() => backlogWith([])).toThrow(
      'Backlog.recurring: expected an object of recurring records by name',
    );
    expect(() => backlogWith(JSON.parse('{"__proto__":{}}'))).toThrow('Backlog.recurring: "__proto__"');
  });

  it.each<[string, (stack: ReturnType<typeof newStack>) => object, string]>([
    ['schedule', (stack) => ({ schedule: `rate(${stack.region})` }), '.schedule'],
    ['queue', (stack) => ({ schedule: HOURLY, queue: stack.region }), '.queue'],
    ['key', (stack) => ({ schedule: HOURLY, key: stack.region }), '.key'],
    ['task', (stack) => ({ schedule: HOURLY, task: stack.region }), '.task'],
    ['timeZone', () => ({ schedule: HOURLY, timeZone: Fn.importValue('zone') }), '.timeZone'],
    ['retry', (stack) => ({ schedule: HOURLY, retry: { type: stack.region } }), '.retry.type'],
  ])('may have no token in %s', (_, optionsIn, at) => {
    const stack = newStack();
    expect(
      () =>
        new Backlog(stack, 'Backlog', {
          queues: { default: retryQueue },
          recurring: { report: optionsIn(stack) as RecurringProps },
        }),
    ).toThrow(`Backlog.recurring.report${at}: expected a text that is known at synthesis, got a token`);
  });

  it('may have texts in their payloads that are known at deployment only, and no numbers or lists', () => {
    const stack = newStack();
    const recurring = (payload: unknown) => ({ report: { schedule: HOURLY, payload } });
    const queues = { default: retryQueue };
    const bucket = new CfnParameter(stack, 'Bucket');
    const payload = { bucket: bucket.valueAsString, lazy: Lazy.any({ produce: () => 'later' }) };
    new Backlog(stack, 'Backlog', { queues, recurring: recurring(payload) });
    const variables = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').map(
      ({ Environment }) => Environment.Variables.BACKLOG_RECURRING,
    );
    const [{ 'Fn::Join': join }] = variables.filter((one) => one !== undefined);
    expect(join[1].map((part: unknown) => (typeof part === 'string' ? part : 'tokens')).join('')).toBe(
      JSON.stringify({ report: { schedule: HOURLY, payload: { bucket: 'tokens', lazy: 'later' } } }),
    );
    const refused = (value: unknown) => () =>
      new Backlog(newStack(), 'Backlog', { queues, recurring: recurring(value) });
    expect(refused({ n: new CfnParameter(stack, 'N', { type: 'Number' }).valueAsNumber })).toThrow(
      'Backlog.recurring.report.payload.n: expected a number that is known at synthesis',
    );
    expect(refused({ l: new CfnParameter(stack, 'L', { type: 'CommaDelimitedList' }).valueAsList })).toThrow(
      'Backlog.recurring.report.payload.l: expected texts, finite numbers, true, false, null, lists and plain objects, as JSON has ' +
        'them, got a list that is known at deployment only',
    );
    expect(refused({ [stack.stackId]: 1 })).toThrow(
      'Backlog.recurring.report.payload: expected names that are known at synthesis',
    );
  });

  it('have a warning for a queue that is not of this Backlog: another stack may have it', () => {
    expect(warnings({ a: { schedule: HOURLY }, b: { schedule: HOURLY, queue: 'defualt' } })).toEqual([
      expect.stringMatching(
        /^recurring\.b\.queue: "defualt" is no queue of this Backlog\. .* Did you mean "default"\?.*dynamo-backlog:recurring-queue:b/,
      ),
    ]);
  });

  it('have a warning, and no error, where no occurrence is to come', () => {
    const never = 'cron(0 3 30 2 ? *)';
    const past = '2020-01-01T00:00Z';
    const found = warnings({
      a: { schedule: never },
      b: { schedule: HOURLY, endAt: past },
      c: { schedule: HOURLY },
      d: { schedule: 'cron(0 3 29 2 ? *)' },
    });
    expect(found.map((text) => text.slice(0, 55))).toEqual([
      'recurring.a: cron(0 3 30 2 ? *) has no occurrence to co',
      'recurring.b: rate(1 hour) has no occurrence to come: re',
    ]);
  });

  it('are refused beside a queue of their own queue’s name, and beside "sharedBacklog"', () => {
    const recurring = { a: { schedule: HOURLY } };
    expect(() => backlogWith(recurring, { queues: { default: retryQueue, recurring: retryQueue } })).toThrow(
      'queues.recurring: expected another name, as "recurring" has the schedules of the prop "recurring"',
    );
    const stack = newStack();
    const sharedBacklog = new Backlog(stack, 'Tables', { queues: { default: retryQueue } });
    expect(
      () => new Backlog(stack, 'Team', { queues: { team: retryQueue }, sharedBacklog, recurring }),
    ).toThrow('Backlog.recurring: expected nothing beside "sharedBacklog"');
  });
});
