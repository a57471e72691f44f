import { describe, expect, it } from 'vitest';
import { outsideWaiting, waitingToken } from '../outside-waiting.js';
import {
  consoleUnderTest,
  get,
  HOUR,
  hiddenField,
  iso,
  MINUTE,
  post,
  waiting,
} from './console-under-test.js';

const UNTIL = iso(48 * HOUR);
const WAITING_TOKEN = waitingToken({ ...waiting('a'), rev: 'r1' });
const EVIL = '<script>alert(1)</script>\u202e';

/** A console with the record `a`, which waits for its end from outside. */
function withWaiting(more: Record<string, unknown> = {}, deps: Parameters<typeof consoleUnderTest>[0] = {}) {
  const console = consoleUnderTest(deps);
  console.store.put(outsideWaiting({ ...waiting('a'), rev: 'r1' }, UNTIL, more));
  const item = () => console.store.items().find(({ id }) => id === 'a');
  return { ...console, item };
}
const path = (name: string) => `/record/act?id=a&do=${name}`;

describe('the page of a record that waits for its end from outside', () => {
  it('says that, and until when, in place of its next attempt', async () => {
    const { app } = withWaiting();
    const { text } = await get(app, '/record?id=a');
    expect(text).toMatch(
      /It waits <bdi>for its end from outside until .* UTC \(2 d left\): waits for approval<\/bdi>\./,
    );
    expect(text).toMatch(/Attempt 1\s*ends outside, within/);
    expect(text).toContain('waits for its end from outside, at the latest');
    expect(text).toMatch(/class="btn pri[^>]*do=complete[\s\S]*do=fail[\s\S]*do=run-now/);
  });

  it('and the list have neither the token nor the rev that it is computed of', async () => {
    const { app, store } = withWaiting();
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    for (const page of ['/record?id=a', '/records', path('complete'), path('fail')]) {
      const { text } = await get(app, page);
      expect(text).not.toContain(WAITING_TOKEN);
      expect(text).not.toMatch(/\br1\b/);
    }
    const { text } = await get(app, '/records');
    expect(text).toContain('waits for its end from outside: waits for approval');
    expect(text).toMatch(/outside, at the latest <time/);
  });

  it('shows a hostile reason as text', async () => {
    const { app, store } = withWaiting({ reason: EVIL });
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    for (const page of ['/record?id=a', '/records']) {
      expect((await get(app, page)).text).not.toContain('<script>alert(1)');
    }
  });

  it('has no such action where it waits for something else', async () => {
    const { app, store } = consoleUnderTest();
    store.put(waiting('a'));
    store.put({ ...waiting('b'), notBefore: { until: UNTIL, pending: { token: 'x', timeout: 'y' } } });
    for (const id of ['a', 'b']) {
      expect((await get(app, `/record?id=${id}`)).text).not.toContain('do=complete');
      expect((await get(app, `/record/act?id=${id}&do=complete`)).status).toBe(404);
    }
  });

  it('says of one that failed, or whose time is up, that the next run writes that', async () => {
    const { app, store } = withWaiting();
    const error = { name: 'FailedOutside', message: 'no' };
    const item = outsideWaiting(waiting('f'), UNTIL);
    const { token } = item.notBefore.pending;
    store.put({ ...item, dueAt: iso(), completion: { token, error } });
    store.put(outsideWaiting(waiting('late'), iso(-MINUTE)));
    expect((await get(app, '/record?id=f')).text).toContain('writes the failure that came from outside');
    expect((await get(app, '/record?id=late')).text).toContain('did not come in time');
  });
});

describe('an end that an operator gives', () => {
  it('completes the record, with and without a result', async () => {
    for (const [result, kept] of [
      ['{"by": "finance"}', '{"by":"finance"}'],
      [' ', undefined],
    ] as const) {
      const { app, item, log } = withWaiting();
      const { status, location } = await post(app, path('complete'), { result });
      expect(status).toBe(303);
      expect(item()).toMatchObject({ status: 'SUCCESS', attempts: 1, rev: WAITING_TOKEN });
      expect(item()?.result).toBe(kept);
      expect((await get(app, location)).text).toMatch(/class="flash ok" role="status">.*?it has succeeded/);
      expect(log).toMatchObject([{ as: 'ops', text: 'complete: a', result: 'completed: it has succeeded' }]);
    }
  });

  it('fails its attempt, which the next run writes', async () => {
    const { app, item } = withWaiting();
    expect((await post(app, path('fail'), { error: ' not approved ' })).status).toBe(303);
    expect(item()).toMatchObject({
      status: 'NEW',
      dueAt: iso(),
      completion: { token: WAITING_TOKEN, error: { name: 'FailedOutside', message: 'not approved' } },
    });
    expect((await get(app, '/record?id=a')).text).not.toContain('do=complete');
    expect((await get(app, path('complete'))).status).toBe(404);
  });

  it.each([
    ['complete', { result: '{bad' }, 'Result: expected JSON'],
    ['complete', { result: JSON.stringify('x'.repeat(2_000)) }, 'expected at most 1024 bytes of JSON'],
    ['fail', { error: ' ' }, 'expected an error, or its message'],
  ])(
    'with an invalid field changes nothing, and says what is wrong: %s %o',
    async (name, fields, message) => {
      const { app, item } = withWaiting();
      const before = item();
      const { status, text } = await post(app, path(name), fields);
      expect({ status, says: text.includes(message) }).toEqual({ status: 422, says: true });
      expect(item()).toEqual(before);
    },
  );

  it('is refused if another attempt waits by now, or the form is not of this console', async () => {
    const { app, item, store } = withWaiting();
    const seen = hiddenField((await get(app, path('complete'))).text, 'seen');
    store.put(
      outsideWaiting({ ...waiting('a'), rev: 'r2' }, UNTIL, { token: WAITING_TOKEN.replace('1', '2') }),
    );
    const before = item();
    expect((await post(app, path('complete'), { seen })).status).toBe(409);
    expect((await post(app, path('complete'), { csrf: 'wrong' })).status).toBe(403);
    expect(item()).toEqual(before);
  });

  it('is not possible in a console that may only read', async () => {
    const access = { write: false, reason: 'this console only reads' } as const;
    const { app, item } = withWaiting({}, { access });
    const before = item();
    expect((await get(app, '/record?id=a')).text).toMatch(/<button[^>]*disabled[^>]*>[\s\S]*?Complete…/);
    expect((await post(app, path('complete'))).status).toBe(403);
    expect(item()).toEqual(before);
  });
});
