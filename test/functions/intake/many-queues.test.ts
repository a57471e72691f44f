import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import { intercepted } from '../../../src/store/bounded-store.js';
import type { BacklogStore } from '../../../src/store/index.js';
import { context, workbench } from '../support.js';

/** Requests of the store, and how many of them had to wait for those before. */
function counting(store: BacklogStore) {
  const requests: Record<string, number> = {};
  const seen = { requests, rounds: 0 };
  let underway = 0;
  const counted = intercepted(store, async (name, call) => {
    requests[name] = (requests[name] ?? 0) + 1;
    if (underway++ === 0) seen.rounds++;
    await new Promise(setImmediate);
    underway--;
    return call();
  });
  return { counted, seen };
}

/** @param names how many queues a batch of 100 records names, none of which is there */
async function takeBatch(names: number) {
  const { overrides, store, changesOf } = workbench({ default: { retryMode: 'perRecord' } });
  const { counted, seen } = counting(store);
  const env = {
    ...overrides.env,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Fast: ['default'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
  const invoker = {
    invoke: async () => 'accepted' as const,
    async sendToRedelivery() {},
    async sendShortWait() {},
    async giveUp() {},
  };
  const intake = intakeHandler({ ...overrides, env, invoker, store: counted });
  // Something was attempted on arrival before, in the queue that is there.
  const claim = { batch: 'b', holder: 'h', until: 0, ids: ['x'], now: 0 };
  await store.claims.take('default', claim);
  const changes = changesOf(() => {
    store.put({ id: 'good', status: 'NEW', payload: 1 });
    for (let i = 0; i < 100; i++) {
      store.put({ id: `r${i}`, status: 'NEW', payload: 1, queue: `invented-${i % names}` });
    }
  });
  expect(await intake({ Records: changes }, context)).toEqual({ batchItemFailures: [] });
  const lanes = store.items().flatMap(({ lane }) => lane ?? []);
  expect(lanes).toHaveLength(100);
  return seen;
}

describe('the requests of the intake', () => {
  it('are as many for a hundred queues that a producer has invented as for one', async () => {
    const one = await takeBatch(1);
    expect(one.requests).toEqual({ 'records.getMany': 1, 'claims.find': 1, 'records.settle': 100 });
    expect(await takeBatch(100)).toEqual(one);
    // A look at the records, one at the claims, and the writes, 25 at a time.
    expect(one.rounds).toBe(6);
  });
});
