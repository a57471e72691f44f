import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { eventsIn } from '../../../functions/event.js';
import { parseQueues } from '../../../functions/settings.js';
import { backlogWith, newStack, ownFunction, propertiesOf } from '../support.js';

const entry = 'test/cdk/fixtures/handler.ts';
const retry = { type: 'fibonacci' } as const;
const mails = {
  queues: {
    critical: { retry, worker: 'mails', weight: 6 },
    default: { retry, worker: 'mails' },
    yearly: { progressive: true, worker: 'mails' },
  },
  workers: { mails: { entry } },
} as const satisfies BacklogProps;

describe('a worker', () => {
  it('is one function that knows all of its queues', () => {
    const { template, backlog } = backlogWith(mails);
    expect(new Set(Object.values(backlog.functions)).size).toBe(1);
    const [settings] = propertiesOf(template, 'AWS::Lambda::Function')
      .map(({ Environment }) => parseQueues(JSON.parse(Environment.Variables.BACKLOG_QUEUES)))
      .filter((queues) => queues.critical?.retry !== undefined);
    expect(Object.keys(settings ?? {})).toEqual(['critical', 'default', 'yearly']);
  });

  it('has one rule for its queues that retry per record, with their weights; tiers have theirs', () => {
    const { template } = backlogWith(mails);
    const inputs = propertiesOf(template, 'AWS::Events::Rule').map(({ Targets }) =>
      JSON.parse(Targets[0].Input),
    );
    const together = inputs.filter(({ queues }) => queues !== undefined);
    expect(together).toEqual([{ queues: { critical: 6, default: 1 } }]);
    expect(inputs.filter(({ queue }) => queue === 'yearly')).toHaveLength(6);
    expect(inputs.filter(({ queue }) => queue === 'critical' || queue === 'default')).toEqual([]);
    const known = parseQueues({ critical: { retryMode: 'perRecord' }, default: { retryMode: 'perRecord' } });
    const events = eventsIn(together[0], known).map(({ parse, weight }) => [parse().queue, weight]);
    expect(events).toEqual([
      ['critical', 6],
      ['default', 1],
    ]);
  });

  it('has the same event on a schedule', () => {
    const { template } = backlogWith({ ...mails, trigger: 'scheduler' });
    const inputs = propertiesOf(template, 'AWS::Scheduler::Schedule').map(({ Target }) => Target.Input);
    expect(inputs).toContain('{"queues":{"critical":6,"default":1}}');
  });

  it('is started for what comes in any of its queues', () => {
    const { template } = backlogWith(mails);
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    const intake = functions.find(({ Environment }) => Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS);
    expect(JSON.stringify(intake?.Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS)).toContain(
      '[\\"critical\\",\\"default\\",\\"yearly\\"]',
    );
  });

  it('leaves a queue that is not enabled out, whose own rule does not fire', () => {
    const queues = { ...mails.queues, default: { retry, worker: 'mails', enabled: false } };
    const { template } = backlogWith({ ...mails, queues });
    const rules = propertiesOf(template, 'AWS::Events::Rule').map(({ Targets, State }) => [
      Targets[0].Input,
      State,
    ]);
    expect(rules).toContainEqual(['{"queues":{"critical":6}}', 'ENABLED']);
    expect(rules).toContainEqual(['{"queue":"default"}', 'DISABLED']);
  });

  it('may be a function of your own', () => {
    const stack = newStack();
    const handler = ownFunction(stack);
    const queues = { a: { retry, worker: 'own' }, b: { retry, worker: 'own' } };
    const { functions } = new Backlog(stack, 'Backlog', { queues, workers: { own: { handler } } });
    expect(functions).toEqual({ a: handler, b: handler });
    const both = { ...queues, c: { retry, handler } };
    const twice = () => new Backlog(newStack(), 'Backlog', { queues: both, workers: { own: { handler } } });
    expect(twice).toThrow(
      'workers.own.handler: expected a function of its own, got the one of the queue "c"',
    );
  });

  it.each<[string, object, string]>([
    [
      'a worker that is not there',
      { workers: {} },
      'queues.critical.worker: expected one of "workers", which there are none of, or "external", got "mails"',
    ],
    [
      'a worker of another name',
      { workers: { mail: { entry } } },
      'queues.critical.worker: expected "mail" or "external", got "mails"',
    ],
    [
      'a worker without queues',
      { workers: { ...mails.workers, idle: { entry } } },
      'workers.idle: expected a queue with "worker": "idle", got none',
    ],
    [
      'a worker that does nothing',
      { workers: { mails: {} } },
      'workers.mails: expected either "entry" or "handler", got neither',
    ],
    [
      'a worker with an option it does not know',
      { workers: { mails: { entry, queues: 'a' } } },
      'workers.mails: unknown option "queues"',
    ],
    [
      'a weight of nothing',
      { queues: { a: { retry, worker: 'mails', weight: 0 } } },
      'queues.a.weight: expected',
    ],
    [
      'a weight without a worker',
      { queues: { ...mails.queues, a: { retry, entry, weight: 2 } } },
      'queues.a.weight: expected with "worker" only',
    ],
    [
      'a worker beside an entry',
      { queues: { ...mails.queues, a: { retry, entry, worker: 'mails' } } },
      'queues.a: expected one of',
    ],
    [
      'an entry that is not there',
      { workers: { mails: { entry: 'no/such.ts' } } },
      'workers.mails.entry: expected a file that exports "handler"',
    ],
    [
      'a name that CloudFormation does not take',
      { workers: { 'my mails': { entry } } },
      'queues.critical.worker',
    ],
  ])('is refused: %s', (_, props, message) => {
    expect(() => backlogWith({ ...mails, ...props } as never)).toThrow(message);
  });
});
