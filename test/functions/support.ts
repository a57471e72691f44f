import { Logger } from '@aws-lambda-powertools/logger';
import type { QueuesSettings } from '../../functions/settings.js';
import type { Item } from '../../src/record/index.js';
import { laneOf } from '../../src/record/index.js';
import type { Clock } from '../../src/support/clock.js';
import { storeForTest } from '../store/test-store.js';

const START = Date.UTC(2026, 10, 20, 9, 30);

/** A clock that a test moves by hand; sleeping takes no time. */
function testClock(start = START): Clock & { advance(seconds: number): void } {
  let now = start;
  return {
    now: () => now,
    wall: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        // Real, so that time limits of attempts do not strike at once; unref'd, so that nothing waits for them.
        const timer = setTimeout(resolve, milliseconds).unref();
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
    advance(seconds) {
      now += seconds * 1000;
    },
  };
}

export function environment(queues: QueuesSettings | string): Record<string, string> {
  return {
    BACKLOG_TABLE: 'records-table',
    BACKLOG_CONTROL_TABLE: 'control-table',
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
    BACKLOG_QUEUES: typeof queues === 'string' ? queues : JSON.stringify(queues),
  };
}

export const TIER_1 = {
  number: 1,
  every: 300,
  fromAge: 0,
  untilAge: 86_400,
  last: false,
};

/** Everything a handler logs or measures is kept as the lines that it would print. */
export function workbench(queues: QueuesSettings | string, { logLevel = 'INFO' as 'INFO' | 'DEBUG' } = {}) {
  const clock = testClock();
  const { store, changesOf } = storeForTest(clock);
  const lines: string[] = [];
  const logger = new Logger({ logLevel, serviceName: 'dynamo-backlog' });
  const keep = (line: string) => void lines.push(line);
  Object.assign(logger, { console: { debug: keep, info: keep, warn: keep, error: keep, log: keep } });
  const measured: unknown[] = [];
  return {
    clock,
    store,
    changesOf,
    lines,
    measured,
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    overrides: {
      clock,
      store,
      logger,
      random: Math.random,
      env: environment(queues),
      emit: (...line: unknown[]) => void measured.push(line),
    },
    /** A record as the intake would have indexed it. */
    async insert(item: Item): Promise<void> {
      const queue = typeof item.queue === 'string' ? item.queue : 'default';
      const insertedAt = new Date(clock.now()).toISOString();
      await store.records.insert({
        status: 'NEW',
        insertedAt,
        dueAt: insertedAt,
        lane: laneOf(queue),
        ...item,
      });
    },
  };
}

export const context = {
  awsRequestId: 'request-1',
  functionName: 'backlog',
  getRemainingTimeInMillis: () => 300_000,
};
