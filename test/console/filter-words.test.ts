import { describe, expect, it } from 'vitest';
import { type FilterText, readFilter } from '../../tools/src/console/records/filter.js';
import { filterText } from '../../tools/src/console/records/filter-words.js';
import { consoleUnderTest, get, inRetry } from './console-under-test.js';

const words = (given: Partial<FilterText>) =>
  filterText(readFilter((name) => given[name as keyof FilterText]));

describe('a filter in words', () => {
  it.each([
    [{}, 'records that are not finished'],
    [{ queue: 'orders', status: 'ERROR' }, 'records of orders that are in retry'],
    [{ queue: 'orders', status: 'NEW' }, 'new records of orders'],
    [{ status: 'SUCCESS' }, 'records that have succeeded'],
    [{ status: 'nonsense' }, 'records that are not finished'],
    [{ status: 'DEAD', errorName: 'HttpError' }, 'dead records whose last error is HttpError'],
    [{ status: 'NEW', younger: '1h' }, 'new records inserted within 1h'],
    [
      { older: '7d', id: 'a' },
      'records that are not finished, inserted longer ago than 7d and whose id begins with a',
    ],
    [
      { queue: 'orders', status: 'ERROR', pattern: '{id} refused', failedWithin: '3h', failedBefore: '1h' },
      'records of orders that are in retry, whose message is like {id} refused, whose last failure is within 3h and whose last failure is longer ago than 1h',
    ],
    [{ where: 'customer.id=7' }, 'records that are not finished and with customer.id=7 in the payload'],
    [{ status: 'DEAD', key: 'c-7' }, 'dead records with the key c-7'],
    [{ error: '503' }, 'records that are not finished and whose error contains 503'],
  ] as const)('%j', (given, expected) => {
    expect(words(given)).toBe(expected);
  });

  it('is what the page of records and the page of an action begin with', async () => {
    const { app, store } = consoleUnderTest();
    store.put(inRetry('a'));
    const query = 'queue=orders&status=ERROR';
    expect((await get(app, `/records?${query}`)).text).toContain(
      '<h1>Records of <bdi>orders</bdi> that are in retry</h1>',
    );
    const { text } = await get(app, `/bulk?do=run-now&${query}`);
    expect(text).toContain('<h1>Retry 1 record now?</h1>');
    expect(text).toContain('Records of orders that are in retry.');
    expect((await get(app, '/record/act?id=a&do=run-now')).text).toContain(
      '<h1>Retry <bdi>a</bdi> now?</h1>',
    );
  });
});
