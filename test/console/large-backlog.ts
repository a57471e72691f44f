import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { RateLimitedCounter, readingItem } from '../../src/monitor/index.js';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import { deadLane, type Item } from '../../src/record/index.js';
import type { DynamoDbOperatorStore } from '../../src/store/index.js';

export interface LargeBacklog {
  /** Records that wait, in three queues, of which one is progressive. */
  readonly waiting: number;
  readonly dead: number;
  readonly finished: number;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const ERRORS = ['HttpError: HTTP 503', 'HttpError: HTTP 400', 'TypeError: no such article', 'Error: timeout'];

/** The records of a backlog of three queues, one after the other: always the same. */
export function* largeBacklog({ waiting, dead, finished, now }: LargeBacklog): Generator<Item> {
  const iso = (ms: number) => new Date(now + ms).toISOString();
  const payload = { order: 4711, lines: [{ sku: 'A-1', quantity: 2 }], note: 'x'.repeat(150) };
  const common = (i: number) => {
    const [name, message] = (ERRORS[i % ERRORS.length] ?? '').split(': ');
    const at = iso(-(i % 300) * MINUTE);
    const lastError = { name, message, at, attempt: 3 };
    return {
      payload,
      attempts: 3,
      failures: 3,
      rev: `rev-${i}`,
      insertedAt: iso(-DAY),
      firstFailureAt: iso(-DAY),
      lastFailureAt: at,
      lastError,
    };
  };
  for (let i = 0; i < waiting; i++) {
    const queue = i % 20 < 12 ? 'orders' : i % 20 < 19 ? 'bulk' : 'mails';
    // Of `orders` some are due, and the others within the next two days; of `bulk`, by age.
    const dueAt = queue === 'bulk' ? iso(-(i % 400) * DAY * 0.3) : iso(((i % 100) - 10) * 30 * MINUTE);
    yield { ...common(i), id: `waiting-${i}-1f0d6a3c2e11`, status: 'ERROR', queue, lane: queue, dueAt };
  }
  for (let i = 0; i < dead; i++) {
    const lane = deadLane('mails');
    const gone = { deadReason: 'maxAttempts', diedAt: iso(-i * MINUTE) };
    yield {
      ...common(i),
      ...gone,
      id: `dead-${i}-1f0d6a3c2e11`,
      status: 'DEAD',
      queue: 'mails',
      lane,
      dueAt: iso(-i * MINUTE),
    };
  }
  for (let i = 0; i < finished; i++) {
    const { lastError: _, ...rest } = common(i);
    yield {
      ...rest,
      id: `finished-${i}-1f0d6a3c2e11`,
      status: 'SUCCESS',
      queue: 'orders',
      finishedAt: iso(-i),
    };
  }
}

/** Puts records into a table, 25 in a request, so many requests at once. */
export async function putAll(
  documents: DynamoDBDocumentClient,
  table: string,
  items: Iterator<Item>,
  concurrency = 8,
): Promise<void> {
  const work = async () => {
    for (;;) {
      const batch: Item[] = [];
      for (let next = items.next(); !next.done; next = items.next()) {
        if (batch.push(next.value) === 25) break;
      }
      if (batch.length === 0) return;
      let requests = { [table]: batch.map((Item) => ({ PutRequest: { Item } })) };
      while ((requests[table]?.length ?? 0) > 0) {
        const { UnprocessedItems } = await documents.send(new BatchWriteCommand({ RequestItems: requests }));
        requests = (UnprocessedItems ?? {}) as typeof requests;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Writes the items that runs and the monitor write of these queues. */
export async function noteQueues(store: DynamoDbOperatorStore, now: number): Promise<void> {
  const counter = new RateLimitedCounter({ now: () => now, wall: () => now, sleep: async () => {} });
  for (const name of ['orders', 'bulk', 'mails']) {
    const retryMode = name === 'bulk' ? 'progressive' : 'perRecord';
    await store.queues.setRetryMode(name, { mode: retryMode, since: 0 }, undefined);
    const bands = name === 'bulk' ? tierBands(DEFAULT_TIERS, 300) : [];
    const counted = await counter.count({ name, shards: 1, bands }, { store, now }, () => true);
    if (!counted) throw new Error('not counted');
    const { counts, at } = counted;
    await store.readings.write(name, readingItem({ at, counts, shards: 1, retryMode }));
  }
}

/** Every view of the console, with the parameters that cost most. */
export const LARGE_VIEWS: Readonly<Record<string, string>> = {
  Overview: '/',
  Failures: '/failures',
  Records: '/records',
  'Records of a queue': '/records?queue=orders',
  'Records, the latest due first': '/records?order=reversed',
  'Records of the page before': `/records?${new URLSearchParams({ before: '{"in":"dead"}' })}`,
  'Dead records': '/records?status=DEAD',
  'Finished records': '/records?status=SUCCESS',
  'Records by an error': '/records?queue=orders&error=timeout',
  'Records by payload': '/records?where=order%3D4712',
  'One record': '/record?id=waiting-12-1f0d6a3c2e11',
  Tiers: '/tiers',
  'What if': '/what-if?queue=orders&policy=constant&interval=5m',
  Pause: '/queue?name=orders',
  'An action': '/record/act?id=waiting-12-1f0d6a3c2e11&do=snooze',
};
