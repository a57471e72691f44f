import { describe, expect, it } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { consoleUnderTest, get, inRetry, NOW } from './console-under-test.js';

const seconds = (minutesAgo: number) => NOW / 1000 - minutesAgo * 60;
const outage = (group: string, from: number, to: number, error = '') => ({
  ...{ group, since: seconds(from), endedAt: seconds(to), error },
});

async function consoleAfter(outages: readonly ReturnType<typeof outage>[], endedMinutesAgo?: number) {
  const console = consoleUnderTest();
  const endedAt = endedMinutesAgo === undefined ? {} : { endedAt: seconds(endedMinutesAgo) };
  const text = failingText({ notes: [], past: outages, ...endedAt });
  for (const queue of ['orders', 'bulk']) await console.store.queues.noteFailing(queue, text, undefined);
  const page = async () => {
    const { status, text } = await get(console.app, '/');
    expect(status).toBe(200);
    return text.slice(text.indexOf('<main'));
  };
  return { ...console, page };
}
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const endedIn = (page: string) => wordsOf(/data-live="ended">(.*?)<\/details>/s.exec(page)?.[1] ?? '');

describe('incidents that have ended', () => {
  it('are in a fold, with their queues, beginning, end and length', async () => {
    const { page } = await consoleAfter([
      outage('erp.example.com', 42, 7, 'HttpError 503'),
      outage('', 26 * 60, 23 * 60),
    ]);
    expect(endedIn(await page())).toBe(
      [
        'Ended in the last 24 hours 3 incidents, the last at 14:40 UTC after 35 min',
        'Incident From, UTC To, UTC Lasted',
        'erp.example.com (HttpError 503) bulk and orders 14:05 14:40 35 min',
        'bulk Sun 22 Nov 12:47 Sun 22 Nov 15:47 3 h orders Sun 22 Nov 12:47 Sun 22 Nov 15:47 3 h',
      ].join(' '),
    );
    expect(endedIn(await (await consoleAfter([])).page())).toBe('');
  });

  it('stay incidents of the same id while records are left that had failed', async () => {
    const { page, store } = await consoleAfter([outage('erp.example.com', 42, 7, 'HttpError 503')], 7);
    store.put(inRetry('a'));
    const html = await page();
    expect(html).toContain('data-key="destination erp.example.com"');
    const words = wordsOf(html);
    expect(words).toContain(
      'erp.example.com (HttpError 503) is back since 14:40 UTC, after 35 min: 1 record waits in orders',
    );
    expect(words).toContain(
      'Recovering erp.example.com (HttpError 503) back for 7 min, after an outage of 35 min',
    );
    expect(endedIn(html)).toBe('');
  });

  it('are not there while it fails: the next probe is about at a time, where no breaker is open', async () => {
    const { page, store } = await consoleAfter([]);
    const note = { group: 'erp', since: seconds(20), lastAt: seconds(1), countedAt: seconds(1), records: 9 };
    const counts = { evidence: 9, recentSuccesses: 0, recentFailures: 9, error: 'HttpError 502' };
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    const { failing } = await store.queues.read('orders');
    await store.queues.noteFailing(
      'orders',
      failingText({ notes: [{ ...note, ...counts }], past: [] }),
      failing,
    );
    const html = await page();
    expect(wordsOf(html)).toContain('Next probe about 14:50 UTC , if no record is due before');
    expect(endedIn(html)).toBe('');
  });

  it('are shown as text, whatever the item says', async () => {
    const { page } = await consoleAfter([
      outage('<script>alert(1)</script>', 42, 7, '<b>'),
      outage('__proto__', 40, 7),
      outage('\u202e\u0000', 9e6, 3),
    ]);
    const html = await page();
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('(<b>)');
    expect(endedIn(html)).toContain('__proto__');
  });
});
