import { backlogMatchers, fakeFetch, testBacklog } from 'dynamo-backlog/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { forward } from './forward.js';
import { handler } from './orders.js';

expect.extend(backlogMatchers);
afterEach(() => vi.unstubAllGlobals());

const message = (messageId: string, body: string) => ({
  messageId,
  body,
  attributes: { SentTimestamp: String(Date.parse('2026-03-02T08:00:00Z')) },
});

it('makes a record of each message, once, and gives back what is no JSON', async () => {
  vi.stubGlobal('fetch', fakeFetch(200));
  const backlog = testBacklog({ queues: { orders: { handler } }, now: '2026-03-02T09:00:00Z' });
  const first = { Records: [message('m-1', '{"total":12}'), message('m-2', 'oops')] };
  expect(await forward(first, backlog.client)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-2' }] });
  await backlog.drain();
  expect(backlog.record('m-1')).toHaveSucceeded();
  await forward({ Records: [message('m-1', '{"total":12}')] }, backlog.client);
  expect(await backlog.drain()).toMatchObject({ attempted: 0 });
});
