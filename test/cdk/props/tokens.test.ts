import { CfnParameter, Duration, Lazy, type Stack, Token } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { newStack, ownFunction, retryQueue } from '../support.js';

const KNOWN_LATER = 'that is known at synthesis, such as from cdk.json or the command line (-c), got a token';

function refusalOf(propsOf: (stack: Stack) => BacklogProps): string {
  const stack = newStack();
  try {
    new Backlog(stack, 'Backlog', propsOf(stack));
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'nothing was refused';
}

describe('a number that is known at deployment only is refused by the name of its option', () => {
  const parameter = (stack: Stack) => new CfnParameter(stack, 'Number', { type: 'Number' }).valueAsNumber;

  it.each<[string, (number: number) => BacklogProps]>([
    ['Backlog.memorySize', (memorySize) => ({ queues: { a: retryQueue }, memorySize })],
    ['queues.a.concurrency', (concurrency) => ({ queues: { a: { ...retryQueue, concurrency } } })],
    ['queues.a.shards', (shards) => ({ queues: { a: { ...retryQueue, shards } } })],
    [
      'queues.a.retry.maxAttempts',
      (maxAttempts) => ({ queues: { a: { ...retryQueue, retry: { type: 'fibonacci', maxAttempts } } } }),
    ],
    [
      'queues.a.progressive.maxAttempts',
      (maxAttempts) => ({
        queues: { a: { progressive: { maxAttempts }, deliverTo: 'https://erp.example.com' } },
      }),
    ],
    ['queues.a.alarms.dead', (dead) => ({ queues: { a: { ...retryQueue, alarms: { dead } } } })],
    [
      'queues.a.deliverTo.answers.dead.0',
      (status) => ({
        queues: {
          a: { ...retryQueue, deliverTo: { url: 'https://erp.example.com', answers: { dead: [status] } } },
        },
      }),
    ],
    [
      'workers.w.memorySize',
      (memorySize) => ({
        workers: { w: { entry: 'x.ts', memorySize } },
        queues: { a: { retry: { type: 'none' }, worker: 'w' } },
      }),
    ],
  ])('%s', (path, propsOf) => {
    expect(refusalOf((stack) => propsOf(parameter(stack)))).toContain(
      `ConfigurationError: ${path}: expected a number ${KNOWN_LATER}`,
    );
  });
});

describe('a Duration that is known at deployment only is refused by the name of its option', () => {
  const later = Duration.seconds(Lazy.number({ produce: () => 60 }));
  const queue = (props: Partial<QueueProps>): BacklogProps => ({
    queues: { a: { ...retryQueue, ...props } },
  });

  it.each<[string, BacklogProps]>([
    ['Backlog.timeout', { queues: { a: retryQueue }, timeout: later }],
    ['queues.a.attemptTimeout', queue({ attemptTimeout: later })],
    ['queues.a.maxRetryAfter', queue({ maxRetryAfter: later })],
    ['queues.a.retention', queue({ retention: later })],
    ['queues.a.alarms.lag', queue({ alarms: { lag: later } })],
    [
      'queues.a.deliverTo.batch.maxWait',
      queue({ deliverTo: { url: 'https://erp.example.com', batch: { maxWait: later } } }),
    ],
    [
      'queues.a.deliverTo.requestTimeout',
      queue({ deliverTo: { url: 'https://erp.example.com', requestTimeout: later } }),
    ],
    [
      'queues.a.progressive.tiers.0.every',
      {
        queues: {
          a: {
            progressive: { tiers: [{ every: later, untilAge: Duration.days(1) }] },
            deliverTo: 'https://erp.example.com',
          },
        },
      },
    ],
    ['queues.a.timeout', { queues: { a: { retry: { type: 'none' }, entry: 'x.ts', timeout: later } } }],
  ])('%s', (path, props) => {
    expect(refusalOf(() => props)).toContain(
      `ConfigurationError: ${path}: expected a Duration ${KNOWN_LATER}`,
    );
  });

  it("the timeout of a function of the user's own", () => {
    const refusal = refusalOf((stack) => ({
      queues: { a: { retry: { type: 'none' }, handler: ownFunction(stack, later) } },
    }));
    expect(refusal).toContain(
      `ConfigurationError: queues.a.handler.timeout: expected a Duration ${KNOWN_LATER}`,
    );
  });
});

it('a Duration with a part of a second is refused by the name of its option', () => {
  const queues = { a: { ...retryQueue, attemptTimeout: Duration.millis(1500) } };
  expect(refusalOf(() => ({ queues }))).toBe(
    'ConfigurationError: queues.a.attemptTimeout: expected a Duration of whole seconds, got 1500 ms',
  );
});

it('texts may be tokens where nothing is computed of them: the name of a table', () => {
  expect(refusalOf(() => ({ queues: { a: retryQueue }, tableName: Token.asString({ Ref: 'Name' }) }))).toBe(
    'nothing was refused',
  );
});
