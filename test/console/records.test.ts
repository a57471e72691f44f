import { describe, expect, it } from 'vitest';
import {
  consoleUnderTest,
  DAY,
  dead,
  get,
  HOUR,
  inRetry,
  iso,
  MINUTE,
  waiting,
} from './console-under-test.js';

const orders = { queues: () => [{ name: 'orders' }] };
const idsIn = (text: string) =>
  [...text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id);

describe('the list of records', () => {
  it('has what waits by its due time, then what is dead, and no finished record', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(dead('c'));
    store.put(waiting('b', { dueAt: iso(2 * HOUR) }));
    store.put(waiting('a'));
    store.put(waiting('done', { status: 'SUCCESS', lane: undefined, dueAt: undefined }));
    const { text } = await get(app, '/records');
    expect(idsIn(text)).toEqual(['a', 'b', 'c']);
  });

  it('marks records in retry by row, icon and word', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(inRetry('r'));
    store.put(waiting('w'));
    const { text } = await get(app, '/records');
    expect(text.match(/<tr class="retry">/g)).toHaveLength(1);
    expect(text).toMatch(
      /<tr class="retry">.*?<svg.*?In retry.*?HttpError: the ERP answered 503.*?in 13 min/,
    );
  });

  it('shows a record that a live lease names as running', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(inRetry('r'));
    await store.leases.hold('orders', {
      holder: 'run',
      until: Date.parse(iso(MINUTE)),
      ids: ['r'],
      begun: true,
      rev: 'x',
    });
    const { text } = await get(app, '/records');
    expect(text).toContain('Running');
    expect(text).not.toContain('<tr class="retry">');
  });

  it('shows a record as running that says so itself, on its own page too, unless that is made up', async () => {
    const { app, store } = consoleUnderTest(orders);
    const held = (until: string) => ({ notBefore: { until }, dueAt: until });
    store.put({ ...inRetry('r'), ...held(iso(MINUTE)) });
    for (const page of ['/records', '/record?id=r']) {
      expect((await get(app, page)).text).toContain('Running');
    }
    store.put({ ...inRetry('r'), ...held(iso(60 * MINUTE)) });
    expect((await get(app, '/records')).text).not.toContain('Running');
  });

  it.each([
    ['queue=bulk', ['bulk-1']],
    ['status=ERROR', ['failed', 'old']],
    ['status=DEAD', ['given-up']],
    ['status=NEW', ['bulk-1', 'fresh']],
    ['error=timeout', ['old']],
    ['error=HTTPERROR', ['failed', 'given-up']],
    ['error=maxAttempts', ['given-up']],
    ['older=1d', ['old']],
    ['younger=30m', ['fresh']],
    ['id=fa', ['failed']],
    ['where=customer.id%3D8', ['fresh']],
    ['where=customer.id%3D%228%22', []],
    ['key=c-7', ['fresh']],
    ['key=+c-7', ['bulk-1']],
    ['key=c-7&queue=bulk', []],
    ['key=__proto__', []],
    ['failedWithin=1h', ['failed', 'given-up']],
    ['failedBefore=1h', ['old']],
    ['errorName=AttemptTimeout', ['old']],
    ['errorName=HttpError+503', ['failed', 'given-up']],
    ['errorName=HttpError+503+no+host&status=ERROR', ['failed']],
    ['errorName=HttpError+no+host', []],
    ['pattern=the+ERP+answered+503', ['failed', 'given-up']],
    ['pattern=the+{word}+answered+503', ['failed', 'given-up']],
    ['pattern=no+answer+within+{n}+s', ['old']],
    ['status=ERROR&error=timeout&queue=orders', ['old']],
  ])('is filtered by the address: %s', async (query, expected) => {
    const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }, { name: 'bulk' }] });
    store.put(
      waiting('fresh', { insertedAt: iso(-5 * MINUTE), payload: { customer: { id: 8 } }, key: 'c-7' }),
    );
    store.put(waiting('bulk-1', { queue: 'bulk', lane: 'bulk', key: ' c-7' }));
    store.put(inRetry('failed'));
    const lastError = {
      name: 'AttemptTimeout',
      message: 'no answer within 10 s',
      at: iso(-2 * DAY),
      attempt: 2,
    };
    store.put(inRetry('old', { insertedAt: iso(-3 * DAY), lastError, lastFailureAt: iso(-2 * DAY) }));
    store.put(dead('given-up'));
    const { status, text } = await get(app, `/records?${query}`);
    expect(status).toBe(200);
    expect(idsIn(text).sort()).toEqual([...expected].sort());
  });

  it('finds finished records in the table, page by page', async () => {
    const { app, store } = consoleUnderTest(orders);
    for (let i = 0; i < 90; i++) {
      store.put(
        waiting(`s${i}`, { status: i % 2 === 0 ? 'SUCCESS' : 'NEW', lane: undefined, dueAt: undefined }),
      );
    }
    const found: (string | undefined)[] = [];
    let path: string | undefined = '/records?status=SUCCESS';
    for (let pages = 0; path !== undefined && pages < 10; pages++) {
      const { text }: { text: string } = await get(app, path);
      found.push(...idsIn(text));
      path = nextOf(text);
    }
    expect(found).toHaveLength(45);
    expect(new Set(found).size).toBe(45);
  });

  it('has each record once on its pages, whatever shards and states they are in', async () => {
    const { app, store } = consoleUnderTest(orders);
    const expected: string[] = [];
    for (let i = 0; i < 130; i++) {
      const lane = i % 3 === 0 ? 'orders' : i % 3 === 1 ? 'orders#1' : 'orders#31';
      const id = `r${i}`;
      expected.push(id);
      // Many are due at the same time: the place in the index is then told by the id.
      store.put(
        i % 5 === 0 ? dead(id, { lane: `${lane}/dead` }) : waiting(id, { lane, dueAt: iso((i % 4) * HOUR) }),
      );
    }
    const found: (string | undefined)[] = [];
    let path: string | undefined = '/records?queue=orders';
    for (let pages = 0; path !== undefined && pages < 20; pages++) {
      const { text }: { text: string } = await get(app, path);
      expect(idsIn(text).length).toBeLessThanOrEqual(40);
      found.push(...idsIn(text));
      path = nextOf(text);
    }
    expect([...found].sort()).toEqual([...expected].sort());
  });

  it('can be turned over: the latest due first, then the oldest of the dead', async () => {
    const { app, store } = consoleUnderTest(orders);
    for (let i = 0; i < 50; i++) store.put(waiting(`w${i}`, { dueAt: iso(i * MINUTE) }));
    for (let i = 0; i < 3; i++) store.put(dead(`d${i}`, { dueAt: iso(-i * MINUTE) }));
    const { text } = await get(app, '/records');
    expect(text).toContain('the earliest due first; dead ones follow, the newest first.');
    const turned = /href="([^"]+)">Latest due/.exec(text)?.[1] ?? '';
    const first = await get(app, turned);
    expect(first.text).toContain('the latest due first; dead ones follow, the oldest first.');
    expect(idsIn(first.text).slice(0, 2)).toEqual(['w49', 'w48']);
    const second = await get(app, nextOf(first.text) ?? '');
    expect(idsIn(second.text)).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `w${9 - i}`),
      'd2',
      'd1',
      'd0',
    ]);
    const back = await get(app, previousOf(second.text) ?? '');
    expect(idsIn(back.text)).toEqual(idsIn(first.text));
    expect(previousOf(back.text)).toBeUndefined();
  });

  it('has a count on each state, and on what can be done with it', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(waiting('a'));
    store.put(inRetry('b'));
    for (const id of ['c', 'd']) store.put(dead(id));
    const { text } = await get(app, '/records');
    expect(plain(/<nav class="states" aria-label="State">.*?<\/nav>/s.exec(text)?.[0])).toBe(
      'Not finished 4 New – In retry – Dead 2 Success –',
    );
    expect(plain(/All that match.*?<\/span>/s.exec(text)?.[0])).toBe(
      'All that match: retry now 2, redrive 2, snooze 2, move 4, discard 4',
    );
    const filtered = await get(app, '/records?error=503&status=DEAD');
    expect(plain(/<nav class="states" aria-label="State">.*?<\/nav>/s.exec(filtered.text)?.[0])).toBe(
      'Not finished New In retry Dead Success',
    );
  });

  it('examines 200 records at most for a page, says so, and goes on from there', async () => {
    const { app, store } = consoleUnderTest(orders);
    for (let i = 0; i < 450; i++)
      store.put(waiting(`r${String(i).padStart(3, '0')}`, { dueAt: iso(i * MINUTE) }));
    store.put(waiting('needle', { dueAt: iso(500 * MINUTE), payload: { hay: true } }));
    let reads = 0;
    const read = store.records.getItems.bind(store);
    store.records.getItems = async (ids, consistency) => {
      reads += ids.length;
      expect(consistency).toBe('eventual');
      return read(ids);
    };
    const first = await get(app, '/records?where=hay%3Dtrue');
    expect(first.text).toContain(
      '200 records were examined for this page, 0 match. The next page goes on from there.',
    );
    expect(reads).toBe(200);
    const second = await get(app, nextOf(first.text) ?? '');
    const third = await get(app, nextOf(second.text) ?? '');
    expect(idsIn(third.text)).toEqual(['needle']);
    expect(nextOf(third.text)).toBeUndefined();
  });

  it('finds a whole id wherever its record is', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(waiting('done', { status: 'SUCCESS', lane: undefined, dueAt: undefined }));
    expect(idsIn((await get(app, '/records?id=done')).text)).toEqual(['done']);
  });

  it.each(['queue=a%20b', 'status=LOST', 'younger=soon', 'where=nothing', `key=${'x'.repeat(257)}`])(
    'says what is wrong with a filter: %s',
    async (query) => {
      const { app } = consoleUnderTest(orders);
      const { status, text } = await get(app, `/records?${query}`);
      expect(status).toBe(200);
      expect(text).toMatch(/role="alert"><p class="error"/);
    },
  );

  it.each(['nonsense', '{"lane":"orders","dueAt":1}', 'null', '[]'])(
    'begins at the beginning for a cursor that is none: %s',
    async (after) => {
      const { app, store } = consoleUnderTest(orders);
      store.put(waiting('a'));
      expect(idsIn((await get(app, `/records?after=${encodeURIComponent(after)}`)).text)).toEqual(['a']);
    },
  );
});

/** The words of a part of a page. */
function plain(html = ''): string {
  return html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(' ,', ',')
    .trim();
}

function previousOf(text: string): string | undefined {
  return /href="([^"]+)" rel="prev"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
}

function nextOf(text: string): string | undefined {
  return /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
}
