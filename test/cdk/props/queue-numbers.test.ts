import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { QueueProps } from '../../../cdk/index.js';
import { backlogWith, retryQueue } from '../support.js';

/** The warnings of a Backlog with these queues, each beside the name of its queue. */
function warningsOf(queues: Readonly<Record<string, Partial<QueueProps>>>): string[] {
  const all = Object.entries(queues).map(([name, props]) => [name, { ...retryQueue, ...props }] as const);
  const { stack } = backlogWith({ queues: Object.fromEntries(all), minimal: true });
  return Annotations.fromStack(stack)
    .findWarning('*', Match.stringLikeRegexp('queues\\.'))
    .map(({ entry }) => String(entry.data).replace(/ \[ack: .*/, ''));
}

describe('numbers of a queue that cannot work out', () => {
  it('get a warning each that says what to do', () => {
    const scheduled = { firstAttempt: 'scheduled' } as const;
    expect(
      warningsOf({
        wide: { concurrency: 500 },
        thin: { concurrency: 2, shards: 32 },
        limited: { ...scheduled, globalConcurrency: 20 },
        arriving: { concurrency: 5, globalConcurrency: 55 },
        lanes: { ...scheduled, concurrency: 10, shards: 8, globalConcurrency: 100 },
        rated: { attemptsPerSecond: 0.05, breaker: true },
        keys: { fairness: true, globalConcurrency: 8, concurrencyPerKey: 8 },
        alone: { ...scheduled, fairness: true, concurrencyPerKey: 20 },
        even: { fairness: true, attemptsPerSecond: 2, attemptsPerSecondPerKey: 2 },
      }),
    ).toEqual([
      'queues.wide.concurrency: expected at most 100, as a run works on 100 records of a lane at a time, got 500: set "shards" to 5, or lower it',
      'queues.thin.concurrency: expected at least 4, as 32 shards are drained by 4 runs, which make an attempt each, got 2: ' +
        'set "shards" to 16 or less, or limit all runs by "globalConcurrency"',
      'queues.limited.globalConcurrency: expected less than 10, the attempts that all runs can have under way (concurrency 10), got 20: ' +
        'it limits nothing, and costs two write units per run. Lower it, or leave it out',
      'queues.arriving.globalConcurrency: expected less than 55, the attempts that all runs can have under way (concurrency 5), got 55: ' +
        'it limits nothing, and costs two write units per run. Lower it, or leave it out',
      'queues.lanes.globalConcurrency: expected less than 80, the attempts that all runs can have under way (concurrency 10), got 100: ' +
        'it limits nothing, and costs two write units per run. Lower it, or leave it out',
      'queues.rated.breaker: expected a "minimumAttempts" of at most 6, the attempts that can end within its "window" of 60 s at ' +
        '0.05 per second, got 10: it never opens. Lower it, or give a longer "window"',
      'queues.keys.concurrencyPerKey: expected less than 8, the attempts that all runs can have under way, got 8: ' +
        'it limits nothing, and costs two write units per run. Lower it, or leave it out',
      'queues.alone.concurrencyPerKey: expected less than 20, the attempts that all runs can have under way, got 20: ' +
        'it limits nothing, and costs two write units per run. Lower it, or leave it out',
      'queues.even.attemptsPerSecondPerKey: expected less than 2, the "attemptsPerSecond" of all keys together, got 2: ' +
        'it limits nothing, and costs a write unit for each key of a batch. Lower it, or leave it out',
    ]);
  });

  it('that can, get none', () => {
    expect(
      warningsOf({
        plain: {},
        wide: { concurrency: 500, shards: 5 },
        thin: { concurrency: 4, shards: 32 },
        limited: { globalConcurrency: 109 },
        // One more run, of busy keys, may have ten.
        fair: { fairness: true, globalConcurrency: 115 },
        keys: { fairness: true, globalConcurrency: 8, concurrencyPerKey: 7 },
        even: { fairness: true, attemptsPerSecond: 2, attemptsPerSecondPerKey: 1.9 },
        alone: { ...retryQueue, fairness: true, concurrencyPerKey: 119 },
        // Each of the four places of claims takes one run on arrival at least.
        claimed: { shards: 2, onInsertConcurrency: 1, globalConcurrency: 59 },
        rated: { attemptsPerSecond: 0.05, breaker: { minimumAttempts: 6 } },
        slow: { attemptsPerSecond: 0.05, breaker: { window: '1h' } },
        hours: {
          deliverTo: undefined,
          worker: 'external',
          attemptTimeout: Duration.hours(2),
          concurrency: 500,
        },
        // Its code may raise `concurrency`.
        code: { deliverTo: undefined, entry: 'test/cdk/fixtures/handler.ts', globalConcurrency: 200 },
        off: { enabled: false, concurrency: 500 },
      }),
    ).toEqual([]);
  });
});
