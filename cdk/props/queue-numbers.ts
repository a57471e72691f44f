import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { PAGE_SECONDS } from '../../src/leases/timed-hold.js';
import { CLAIM_BUCKETS } from '../../src/store/buckets.js';
import {
  LANES_AT_ONCE,
  MAX_PAGE_RECORDS,
  maxAttemptsAtOnce,
  maxAttemptsInWindow,
  QUEUE_DEFAULTS,
  resolveBreaker,
} from '../../src/worker/index.js';
import type { Queue } from './queue.js';

/**
 * Warns of limits that have no effect, beside the other numbers of their queue as they are given here. Code that sets an option
 * itself may have others.
 */
export function warnOfNumbers(scope: Construct, queues: readonly Queue[]): void {
  for (const queue of queues) {
    if (!queue.enabled) continue;
    for (const [option, text] of Object.entries(futileOptions(queue))) {
      if (text === undefined) continue;
      const path = `queues.${queue.name}.${option}`;
      Annotations.of(scope).addWarningV2(`dynamo-backlog:${option}:${queue.name}`, `${path}: ${text}`);
    }
  }
}

function futileOptions(queue: Queue): Readonly<Record<string, string | undefined>> {
  return {
    concurrency: concurrencyText(queue),
    globalConcurrency: globalConcurrencyText(queue),
    concurrencyPerKey: concurrencyPerKeyText(queue),
    attemptsPerSecondPerKey: attemptsPerSecondPerKeyText(queue),
    breaker: breakerText(queue),
  };
}

function concurrencyText({ settings, work, attemptTimeout }: Queue): string | undefined {
  const { concurrency = QUEUE_DEFAULTS.concurrency, shards = 1 } = settings;
  const runs = Math.ceil(shards / LANES_AT_ONCE);
  if (concurrency < runs) {
    return (
      `expected at least ${runs}, as ${shards} shards are drained by ${runs} runs, which make an attempt each, got ${concurrency}: ` +
      `set "shards" to ${concurrency * LANES_AT_ONCE} or less, or limit all runs by "globalConcurrency"`
    );
  }
  // An attempt of a process that may outlast a page goes on without its run.
  const goesOnWithoutRun = work.type === 'external' && attemptTimeout > PAGE_SECONDS;
  const most = shards * MAX_PAGE_RECORDS;
  if (concurrency <= most || goesOnWithoutRun) return undefined;
  return (
    `expected at most ${most}, as a run works on ${MAX_PAGE_RECORDS} records of a lane at a time, got ${concurrency}: ` +
    `set "shards" to ${Math.ceil(concurrency / MAX_PAGE_RECORDS)}, or lower it`
  );
}

function globalConcurrencyText(queue: Queue): string | undefined {
  const { globalConcurrency } = queue.settings;
  const { most, concurrency } = attemptsAtOnce(queue) ?? {};
  if (globalConcurrency === undefined || most === undefined || globalConcurrency < most) return undefined;
  return (
    `expected less than ${most}, the attempts that all runs can have under way (concurrency ${concurrency}), got ` +
    `${globalConcurrency}: it limits nothing, and costs two write units per run. Lower it, or leave it out`
  );
}

function concurrencyPerKeyText(queue: Queue): string | undefined {
  const { concurrencyPerKey, globalConcurrency = Number.POSITIVE_INFINITY } = queue.settings;
  const { most = Number.POSITIVE_INFINITY } = attemptsAtOnce(queue) ?? {};
  const all = Math.min(most, globalConcurrency);
  if (concurrencyPerKey === undefined || concurrencyPerKey < all) return undefined;
  return (
    `expected less than ${all}, the attempts that all runs can have under way, got ${concurrencyPerKey}: it limits nothing, and ` +
    'costs two write units per run. Lower it, or leave it out'
  );
}

function attemptsPerSecondPerKeyText({ settings }: Queue): string | undefined {
  const { attemptsPerSecondPerKey, attemptsPerSecond = Number.POSITIVE_INFINITY } = settings;
  if (attemptsPerSecondPerKey === undefined || attemptsPerSecondPerKey < attemptsPerSecond) return undefined;
  return (
    `expected less than ${attemptsPerSecond}, the "attemptsPerSecond" of all keys together, got ${attemptsPerSecondPerKey}: it limits ` +
    'nothing, and costs a write unit for each key of a batch. Lower it, or leave it out'
  );
}

/** The attempts that all runs of a queue can have under way, as far as they are known here. */
function attemptsAtOnce({ settings, work, tiers, firstAttempt }: Queue) {
  const { shards = 1, onInsertConcurrency = QUEUE_DEFAULTS.onInsertConcurrency } = settings;
  // Code of the queue's own may raise what is not given here.
  const { concurrency = work.type === 'delivery' ? QUEUE_DEFAULTS.concurrency : undefined } = settings;
  if (concurrency === undefined) return undefined;
  const runsOnArrival =
    firstAttempt === 'scheduled' ? 0 : Math.max(onInsertConcurrency, shards > 1 ? CLAIM_BUCKETS : 0);
  // One more than tiers: a run for short waits.
  // One more run drains the lanes of busy keys.
  const lanes = settings.fairness ? shards + 1 : shards;
  const most = maxAttemptsAtOnce({ concurrency, shards: lanes, tiers: tiers.length + 1, runsOnArrival });
  return { most, concurrency };
}

function breakerText({ settings, attemptTimeout }: Queue): string | undefined {
  const { attemptsPerSecond } = settings;
  const breaker = resolveBreaker(settings.breaker);
  if (!breaker || attemptsPerSecond === undefined) return undefined;
  const { minimumAttempts, window } = breaker;
  const most = maxAttemptsInWindow(breaker, attemptsPerSecond, attemptTimeout);
  if (most >= minimumAttempts) return undefined;
  return (
    `expected a "minimumAttempts" of at most ${most}, the attempts that can end within its "window" of ${window} s at ` +
    `${attemptsPerSecond} per second, got ${minimumAttempts}: it never opens. Lower it, or give a longer "window"`
  );
}
