import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import {
  assertInserted,
  assertSucceeded,
  assertWaiting,
  fakeFetch,
  perform,
  testBacklog,
} from 'dynamo-backlog/testing';
import { handler } from '../tasks/handler.js';
import { welcomeMail } from '../tasks/mail.js';

it('welcomes a user two hours later, although the mail service is down at first', async () => {
  const fetch = fakeFetch(503, 200);
  mock.method(globalThis, 'fetch', fetch);
  const backlog = testBacklog({ queues: { mails: { handler } }, now: '2026-01-01T09:00:00Z' });
  // Your producer gets backlog.client in place of its BacklogClient.
  await backlog.client.insert(welcomeMail, { to: 'ada@example.com' }, { id: 'mail-1', delay: '2h' });
  assertInserted(backlog, { task: welcomeMail, payload: { to: 'ada@example.com' } });
  await backlog.drain();
  assertWaiting(backlog.record('mail-1'), { until: '2026-01-01T11:00:00Z' });
  await backlog.runUntilSettled();
  assertSucceeded(backlog.record('mail-1'));
  assert.deepEqual(
    fetch.requests.map(({ headers }) => headers['idempotency-key']),
    ['mail-1', 'mail-1'],
  );
});

it('writes in the language of the user', async () => {
  const fetch = fakeFetch(200);
  mock.method(globalThis, 'fetch', fetch);
  const { outcome } = await perform(welcomeMail, { to: 'ada@example.com', language: 'de' });
  assert.equal(outcome, 'succeeded');
  assert.match(String(fetch.requests[0]?.body), /Willkommen!/);
});
