import { describe, expect, it } from 'vitest';
import { readingItem } from '../../src/monitor/index.js';
import { DEFAULT_HISTORY } from '../../src/record/index.js';
import { consoleUnderTest, dead, get, HOUR, inRetry, iso, MINUTE, waiting } from './console-under-test.js';

const fibonacci = {
  queues: () => [{ name: 'orders', retry: { type: 'fibonacci', maxAttempts: 20, jitter: 'none' } as const }],
};

describe('the page of a record', () => {
  it('says why it is not done, when it is attempted next, and when it is given up', async () => {
    const { app, store } = consoleUnderTest(fibonacci);
    store.put(inRetry('r'));
    const { status, text } = await get(app, '/record?id=r');
    expect(status).toBe(200);
    expect(text).toContain('2 attempts failed in 1 min, the last with');
    expect(text).toMatch(/Attempt 3 of 20 in/);
    expect(text).toMatch(
      new RegExp(`<time class="big" datetime="${iso(13 * MINUTE)}" data-countdown="">13 min<`),
    );
    expect(text).toContain('gives up after its last attempt');
    expect(text).toContain('fibonacci, its queue&#39;s, 20 attempts');
  });

  it('has the event about its end as a file, once it has ended', async () => {
    const { app, store } = consoleUnderTest(fibonacci);
    store.put({ ...dead('d', { payload: EVIL, deadReason: EVIL }), rev: 'x' });
    store.put(inRetry('r'));
    expect((await get(app, '/record?id=d')).text).toContain('<a href="/record/event?id=d">Event</a>');
    const { text, headers } = await get(app, '/record/event?id=d');
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('content-disposition')).toContain('attachment');
    expect(JSON.parse(text)).toMatchObject({
      'detail-type': 'Backlog record dead',
      detail: { id: 'd', end: 'dead', reason: 'refused' },
    });
    expect(Object.keys(JSON.parse(text).detail)).not.toEqual(expect.arrayContaining(['payload']));
    expect(Object.keys(JSON.parse(text).detail)).not.toEqual(expect.arrayContaining(['deadReason']));
    expect((await get(app, '/record?id=r')).text).not.toContain('>Event<');
    expect((await get(app, '/record/event?id=r')).status).toBe(404);
  });

  it('shows the result of a success before its payload, and none where there is none', async () => {
    const { app, store } = consoleUnderTest(fibonacci);
    const done = { status: 'SUCCESS', attempts: 1, lane: undefined, dueAt: undefined };
    store.put({ ...waiting('with'), ...done, result: '{"invoice":"<b>7</b>","pages":2}' });
    store.put({ ...waiting('without'), ...done });
    store.put({ ...waiting('wrong'), ...done, result: '{' });
    const { text } = await get(app, '/record?id=with');
    expect(text).toMatch(
      />Result<[\s\S]*&quot;invoice&quot;: &quot;&lt;b&gt;7&lt;\/b&gt;&quot;[\s\S]*>Payload</,
    );
    expect(text.match(/>Raw</g)).toHaveLength(1);
    expect(text).toContain('Done at its first attempt.');
    for (const id of ['without', 'wrong'])
      expect((await get(app, `/record?id=${id}`)).text).not.toContain('>Result<');
  });

  it('of a paused queue says that it waits for the queue, and so do the list and the time to drain', async () => {
    const { app, store } = consoleUnderTest(fibonacci);
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    await store.queues.setPaused('orders', true);
    store.put(inRetry('due', { dueAt: iso(-MINUTE) }));
    store.put(inRetry('later'));
    const { text } = await get(app, '/record?id=due');
    expect(text.match(/when its queue goes on/g)).toHaveLength(2);
    expect(text).not.toContain('at the next run');
    expect((await get(app, '/record?id=later')).text).toContain('its queue is paused');
    expect((await get(app, '/records')).text.match(/when its queue goes on/g)).toHaveLength(1);
    expect((await get(app, '/tiers')).text).toContain('<span class="num q">paused</span>');
  });

  it('says of one that is not ready yet that it waits, and plans its attempts by all that its policy counts', async () => {
    const { app, store } = consoleUnderTest(fibonacci);
    const retry = { type: 'list', waits: [600, 1200, 3600, 7200], jitter: 'none' };
    const history = [{ at: iso(-MINUTE), attempt: 2, outcome: 'snoozed', message: 'the order is open' }];
    const changes = { status: 'NEW', failures: 0, notReady: 2, lastAttemptAt: iso(-MINUTE), history, retry };
    store.put({ ...waiting('r'), dueAt: iso(13 * MINUTE), attempts: 2, ...changes });
    const { text } = await get(app, '/record?id=r');
    expect(text).toContain('It waits, <bdi>not ready yet: the order is open</bdi>.');
    expect(text).not.toContain('failed in');
    // Two of four waits are used up: the third attempt is next, and two more follow if it is not ready either.
    expect(text).toContain('2 more are planned if it fails');
    expect((await get(app, '/records')).text).toContain('not ready yet: the order is open');
  });

  it('draws past and planned attempts on the curve of its own policy before that of its queue', async () => {
    const { app, store } = consoleUnderTest(fibonacci);
    store.put(inRetry('r', { retry: { type: 'constant', interval: 600, maxAttempts: 6 } }));
    const { text } = await get(app, '/record?id=r');
    expect(text).toContain('constant, its own, 6 attempts');
    // Two past ones, the third is next, three more planned: at 13, 23, 33 and 43 minutes from now.
    expect(text).toContain(
      '2 attempts ended. The next one is due 15:00:18. 3 more are planned if it fails. The record is given up 15:30:18.',
    );
  });

  it('draws no plan where the policy is not known, and says so', async () => {
    const { app, store } = consoleUnderTest();
    store.put(inRetry('r'));
    const { text } = await get(app, '/record?id=r');
    expect(text).toContain('No monitor has noted the policy of its queue');
    expect(text).not.toContain('planned if it fails');
  });

  it('draws the plan of the policy that the monitor has noted for its queue', async () => {
    const { app, store } = consoleUnderTest();
    store.put(inRetry('r'));
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    const counts = { pending: 1, dead: 0, oldestDueAt: undefined };
    const retry = { type: 'constant', interval: 600, maxAttempts: 6 } as const;
    const reading = { at: iso(), shards: 1, retryMode: 'perRecord', retry, counts } as const;
    await store.readings.write('orders', readingItem(reading));
    const { text } = await get(app, '/record?id=r');
    expect(text).toContain('constant, its queue&#39;s, 6 attempts');
    expect(text).toContain('3 more are planned if it fails.');
  });

  it('has each attempt with the gap before it, its error and its stack', async () => {
    const { app, store } = consoleUnderTest();
    const stack = 'at sendOrder (orders.ts:18:29)';
    const history = [
      { name: 'AttemptTimeout', message: 'no answer', at: iso(-HOUR), attempt: 1, ms: 10_000 },
      { name: 'HttpError', message: 'HTTP 503', at: iso(-20 * MINUTE), attempt: 2, ms: 200, stack },
    ];
    store.put(inRetry('r', { history }));
    const { text } = await get(app, '/record?id=r');
    expect(text).toContain('newest first');
    expect(text).not.toContain('not kept');
    expect(text).toMatch(
      /HttpError.*?HTTP 503.*?at sendOrder.*?40 min.*?AttemptTimeout.*?timed out.*?10\.0 s/s,
    );
  });

  it('says that older attempts are not kept', async () => {
    const { app, store } = consoleUnderTest();
    const history = [24, 25].map((attempt) => ({ name: 'E', message: 'm', at: iso(), attempt }));
    store.put(inRetry('r', { attempts: DEFAULT_HISTORY.entries + 5, history }));
    const { text } = await get(app, '/record?id=r');
    expect(text).toContain('2 of 25');
    expect(text).toContain('Older attempts are not kept (history.bytes, history.entries).');
  });

  it('offers what applies to its status', async () => {
    const { app, store } = consoleUnderTest();
    store.put(inRetry('r'));
    store.put(dead('d'));
    store.put(waiting('s', { status: 'SUCCESS', lane: undefined, dueAt: undefined }));
    const offered = async (id: string) =>
      [...(await get(app, `/record?id=${id}`)).text.matchAll(/&amp;do=([a-z-]+)"/g)].map(([, name]) => name);
    expect(await offered('r')).toEqual(['run-now', 'snooze', 'edit', 'move', 'change-policy', 'discard']);
    expect(await offered('d')).toEqual(['redrive', 'edit', 'move', 'change-policy', 'discard']);
    expect(await offered('s')).toEqual([]);
  });

  it('answers 404 for a record that is not there', async () => {
    const { app } = consoleUnderTest();
    for (const path of [
      '/record?id=nothing',
      '/record',
      '/record/act?id=nothing&do=redrive',
      '/record/payload?id=x',
    ]) {
      expect((await get(app, path)).status).toBe(404);
    }
  });
});

const EVIL =
  '</textarea></pre></title><script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="alert(1)';
const RTL = '\u202egnp.exe\u2066';

it('a record page names the key, and leads to the records of it', async () => {
  const { app, store } = consoleUnderTest();
  store.put(inRetry('keyed', { key: 'c 7&' }));
  store.put(inRetry('number', { key: 7 }));
  const { text } = await get(app, '/record?id=keyed');
  expect(text).toMatch(/>Key<[\s\S]*<a href="\/records\?key=c\+7%26"><bdi>c 7&amp;<\/bdi><\/a>/);
  const list = await get(app, '/records?key=c+7%26');
  expect(list.text).toContain('<h1>Records that are not finished and with the key <bdi>c 7&amp;</bdi></h1>');
  expect(list.text).toContain('<input class="mono" name="key" value="c 7&amp;"/>');
  expect((await get(app, '/record?id=number')).text).not.toContain('>Key<');
});

describe('hostile records', () => {
  const hostile = (changes: Record<string, unknown> = {}) => {
    const text = `${EVIL}${RTL}`;
    const lastError = { name: text, message: text, at: iso(-MINUTE), attempt: 2 };
    return inRetry(`id ${text}`, {
      queue: 'orders',
      task: text,
      key: text,
      payload: { [text]: text, nested: [text] },
      lastError,
      history: [{ ...lastError, stack: text, next: text }],
      deadReason: text,
      [`own ${text}`]: text,
      ...changes,
    });
  };

  it('turn no line of their payload: marks of direction are escapes, also in the field and the changes', async () => {
    const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }] });
    store.put(waiting('r', { payload: { file: RTL } }));
    for (const path of ['/record?id=r', '/record/act?id=r&do=edit']) {
      const { text } = await get(app, path);
      expect(text).toContain('\\u202egnp.exe\\u2066');
      expect(text).not.toContain('\u202e');
    }
  });

  it('run no script on any page', async () => {
    const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }] });
    store.put(hostile());
    store.put({ ...hostile({ status: 'DEAD', lane: 'orders/dead' }), id: `dead ${EVIL}` });
    const id = encodeURIComponent(`id ${EVIL}${RTL}`);
    const deadId = encodeURIComponent(`dead ${EVIL}`);
    const query = encodeURIComponent(EVIL);
    const actions = ['run-now', 'snooze', 'edit', 'move', 'change-policy', 'discard'];
    const paths = [
      '/',
      '/records',
      `/records?error=${query}&id=${query}&where=${query}&queue=${query}&after=${query}&pattern=${query}&key=${query}`,
      `/record?id=${id}`,
      `/record?id=${deadId}`,
      ...actions.map((name) => `/record/act?id=${id}&do=${name}`),
      `/record/act?id=${deadId}&do=redrive`,
      `/${query}`,
    ];
    for (const path of paths) {
      const { text, status } = await get(app, path);
      expect(status, path).toBeLessThan(500);
      expect(text, path).not.toContain('<script>');
      expect(text, path).not.toContain('<img');
      expect(text, path).not.toMatch(/<[^>]*" onmouseover="/);
    }
  });

  it('change the direction of no text but their own', async () => {
    const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }] });
    store.put(hostile());
    const id = encodeURIComponent(`id ${EVIL}${RTL}`);
    for (const path of ['/records', `/record?id=${id}`]) {
      const { text } = await get(app, path);
      const [body = ''] = /<body[\s\S]*/.exec(text) ?? [];
      // Attributes move no text on the page.
      const outside = body.replace(/<bdi[^>]*>[\s\S]*?<\/bdi>/g, '').replace(/<[^>]*>/g, '');
      expect(outside).not.toContain('\u202e');
    }
  });

  it('of a megabyte make no page of a megabyte', async () => {
    const { app, store } = consoleUnderTest();
    const long = 'x'.repeat(1_000_000);
    const lastError = { name: long, message: long, at: iso(-MINUTE), attempt: 1 };
    store.put(
      inRetry('big', { payload: { long }, lastError, history: [lastError], deadReason: long, own: long }),
    );
    const { text } = await get(app, '/record?id=big');
    expect(text.length).toBeLessThan(120_000);
    expect(text).toContain('The first 39.1 KB of 976.6 KB');
    expect(text).toMatch(/<details id="payload">/);
    expect((await get(app, '/records')).text.length).toBeLessThan(60_000);
  });

  it('are sent raw as a file, not as a page', async () => {
    const { app, store } = consoleUnderTest();
    store.put(waiting('a', { payload: { text: EVIL, amount: 12345678901234567890n } }));
    const { text, headers } = await get(app, '/record/payload?id=a');
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('content-disposition')).toContain('attachment');
    expect(text).toContain('12345678901234567890');
  });
});
