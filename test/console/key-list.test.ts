import { describe, expect, it } from 'vitest';
import { busyKeysText, hashOfKey } from '../../src/record/busy-keys.js';
import { consoleUnderTest, dead, get, HOUR, inRetry, iso, NOW, waiting } from './console-under-test.js';

const QUEUE = { queues: () => [{ name: 'orders' }] };

/** The block of keys: each ranking as its title and its rows, with where their keys lead to. */
function blockOf(text: string) {
  const block = /<section class="panel keys".*?<div class="keylists">(.*)/s.exec(text)?.[1] ?? '';
  const words = (html: string) =>
    html
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  return [...block.matchAll(/<section>(.*?)<\/section>/gs)].map(([, html = '']) => ({
    title: words(/<h3>(.*?)<\/h3>/s.exec(html)?.[1] ?? ''),
    rows: [...html.matchAll(/<li.*?<\/li>/gs)].map(([row]) => words(row).replace(' Pause…', '')),
    hrefs: [...html.matchAll(/href="(\/records[^"]+)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    ),
    html,
  }));
}

describe('the keys of the failures page', () => {
  it('are the five with most waiting records and the five with most failures', async () => {
    const { app, store } = consoleUnderTest(QUEUE);
    const lane = { shard: 31, hash: hashOfKey('k6'), until: NOW + HOUR };
    await store.queues.noteBusyKeys('orders', busyKeysText([lane]), undefined);
    for (let k = 1; k <= 7; k++) {
      for (let i = 0; i < k; i++) store.put(waiting(`w${k}-${i}`, { key: `k${k}` }));
    }
    store.put(inRetry('r', { key: 'k1' }));
    for (const id of ['d1', 'd2']) store.put(dead(id, { key: 'gone' }));
    store.put(waiting('none'));
    const [most, failures] = blockOf((await get(app, '/failures')).text);
    expect(most?.title).toBe('Most waiting of 30 records that wait');
    expect(most?.rows).toEqual(['k7 7', 'k6 busy until 15:47 6', 'k5 5', 'k4 4', 'k3 3']);
    expect(most?.hrefs[0]).toBe('/records?key=k7');
    expect(failures?.title).toBe('Most failures of 3 records in retry or dead');
    expect(failures?.rows).toEqual(['gone 2', 'k1 1']);
    expect(failures?.hrefs).toEqual(['/records?key=gone&status=DEAD', '/records?key=k1&status=ERROR']);
  });

  it('lead to their records, whatever text they are', async () => {
    const { app, store } = consoleUnderTest(QUEUE);
    const hostile = [
      '__proto__',
      '"><script>alert(1)</script>',
      '\u202Egnp',
      'a\r\nb',
      ' x ',
      'k'.repeat(256),
    ];
    for (const [i, key] of hostile.entries()) {
      if (i > 0) store.put(waiting(`a-${i}`, { key }));
      store.put(waiting(`b-${i}`, { key }));
      store.put(inRetry(`c-${i}`, { key: 'other' }));
    }
    const { text } = await get(app, '/failures');
    expect(text).not.toContain('<script>alert');
    const [most] = blockOf(text);
    expect(most?.html).toContain('<bdi>');
    expect(most?.hrefs).toHaveLength(5);
    for (const href of most?.hrefs ?? []) {
      const key = new URLSearchParams(href.split('?')[1]).get('key') ?? '';
      const found = store.items().filter((item) => item.key === key);
      expect(found.length).toBeGreaterThan(1);
      const list = (await get(app, href)).text;
      const ids = [...list.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id);
      expect(ids.sort()).toEqual(found.map(({ id }) => id).sort());
    }
  });

  it('are marked where they are estimates', async () => {
    const { app, store } = consoleUnderTest(QUEUE);
    for (let i = 0; i < 600; i++)
      store.put(inRetry(`r${i}`, { key: i % 3 === 0 ? 'a' : 'b', dueAt: iso(i * 1_000) }));
    const { text } = await get(app, '/failures');
    expect(text).toContain('2 keys among the records that were read');
    const [most] = blockOf(text);
    expect(most?.title).toBe('Most waiting of ≈ 600 records that wait');
    expect(most?.rows).toEqual([
      expect.stringMatching(/^b ≈ (39\d|40\d)$/),
      expect.stringMatching(/^a ≈ (19\d|20\d)$/),
    ]);
  });

  it('are not there where no record has a key, and say when none fails', async () => {
    const { app, store } = consoleUnderTest(QUEUE);
    store.put(inRetry('r'));
    expect((await get(app, '/failures')).text).not.toContain('Keys');
    store.put(waiting('w', { key: 'acme' }));
    const [most, failures] = blockOf((await get(app, '/failures')).text);
    expect([most?.rows, failures?.rows]).toEqual([['acme 1'], []]);
    expect(failures?.html).toContain('No record with a key is in retry or dead.');
  });
});
