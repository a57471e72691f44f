import { describe, expect, it } from 'vitest';
import { causeText } from '../../src/operate/cause.js';
import { causesOf } from '../../src/overview/causes.js';
import { type KeyCounts, keysOf } from '../../src/overview/keys.js';
import { laneTotals } from '../../src/overview/lane-totals.js';
import type { Stratum } from '../../src/overview/weighed.js';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { parseRecord } from '../../src/record/index.js';
import { dead, HOUR, inRetry, iso, MINUTE, NOW, waiting } from '../console/console-under-test.js';

const orders = [{ queue: 'orders' }];
const failedWith = (name: string, message: string) => ({
  lastError: { name, message, at: iso(-MINUTE), attempt: 2 },
});
const stratum = (items: readonly Record<string, unknown>[], changes: Partial<Stratum> = {}): Stratum => ({
  queue: 'orders',
  dead: false,
  total: items.length,
  records: items.map((item) => parseRecord(item, NOW)),
  ...changes,
});
const deadOnes = (items: readonly Record<string, unknown>[], changes: Partial<Stratum> = {}) =>
  stratum(items, { dead: true, ...changes });
const numbersOf = (keys: readonly KeyCounts[]) =>
  keys.map(({ key, waiting: all, retry, dead: given }) => [
    key,
    ...[all, retry, given].map((number) => Math.round(number)),
  ]);
const many = (count: number, make: (i: number) => Record<string, unknown>) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('the keys of records', () => {
  it('are counted by what waits, is in retry and is dead; records without a key are one row, the last', () => {
    const living = [
      ...many(3, (i) => waiting(`a${i}`, { key: 'acme' })),
      inRetry('a-retry', { key: 'acme', insertedAt: iso(-3 * HOUR) }),
      inRetry('b', { key: 'bistro' }),
      ...many(9, (i) => waiting(`none${i}`)),
    ];
    const gone = many(2, (i) =>
      dead(`d${i}`, { key: i === 0 ? 'acme' : 'cafe', insertedAt: iso(-9 * HOUR) }),
    );
    const keys = keysOf([stratum(living), deadOnes(gone)], orders, NOW);
    expect(numbersOf(keys)).toEqual([
      ['acme', 4, 1, 1],
      ['bistro', 1, 1, 0],
      ['cafe', 0, 0, 1],
      [undefined, 9, 0, 0],
    ]);
    expect(keys.map(({ oldestAt }) => oldestAt)).toEqual([NOW - 3 * HOUR, NOW - HOUR, undefined, NOW - HOUR]);
    expect(keys.every(({ counted }) => counted === 'exact')).toBe(true);
  });

  it('have the cause of most of their failures, and their queues, the one with most records first', () => {
    const slow = failedWith('AttemptTimeout', 'no answer within 10 s');
    const down = failedWith('HttpError', 'HTTP 503 from https://erp.example: down');
    const inBulk = { key: 'acme', queue: 'bulk', lane: 'bulk' };
    const [acme, none] = keysOf(
      [
        stratum([inRetry('a', { key: 'acme', ...slow }), waiting('w', { key: 'other', ...down })]),
        stratum(
          many(2, (i) => inRetry(`b${i}`, { ...inBulk, ...down })),
          { queue: 'bulk' },
        ),
      ],
      orders,
      NOW,
    );
    expect(acme?.cause && causeText(acme.cause)).toBe('HttpError 503 erp.example');
    expect(acme?.queues).toEqual(['bulk', 'orders']);
    // It has not failed since it was made to wait again.
    expect(none?.cause).toBeUndefined();
  });

  it('are busy while their lane is theirs, in a queue of their records', () => {
    const busyKeys = [
      { shard: 31, hash: hashOfKey('acme'), until: NOW + 50 * MINUTE },
      { shard: 30, hash: hashOfKey('past'), until: NOW - MINUTE },
    ];
    const living = stratum(['acme', 'past', 'quiet'].map((key) => waiting(key, { key })));
    const until = (queues: Parameters<typeof keysOf>[1]) =>
      keysOf([living], queues, NOW).map(({ key, busyUntil }) => [key, busyUntil]);
    expect(until([{ queue: 'orders', busyKeys }])).toEqual([
      ['acme', NOW + 50 * MINUTE],
      ['past', undefined],
      ['quiet', undefined],
    ]);
    expect(until([{ queue: 'bulk', busyKeys }, ...orders])[0]).toEqual(['acme', undefined]);
  });

  it('weigh what their lane holds: a few records of a busy lane stand for thousands', () => {
    const busy = many(5, (i) => waiting(`b${i}`, { key: 'acme', lane: 'orders#31' }));
    const own = many(10, (i) => waiting(`o${i}`, { key: `quiet-${i % 2}` }));
    const keys = keysOf([stratum(own, { total: 40 }), stratum(busy, { total: 4_000 })], orders, NOW);
    expect(numbersOf(keys)).toEqual([
      ['acme', 4_000, 0, 0],
      ['quiet-0', 20, 0, 0],
      ['quiet-1', 20, 0, 0],
    ]);
    expect(keys.map(({ counted, examined }) => [counted, examined])).toEqual([
      ['about', 5],
      ['about', 5],
      ['about', 5],
    ]);
  });

  it('are as many in retry as the queue has, in all its lanes, and the others are new', () => {
    const items = [
      ...many(8, (i) => inRetry(`r${i}`, { key: 'acme' })),
      ...many(2, (i) => waiting(`n${i}`, { key: 'new' })),
    ];
    const busy = many(4, (i) => inRetry(`b${i}`, { key: 'busy', lane: 'orders#31' }));
    const strata = [stratum(items, { total: 100, failed: 24 }), stratum(busy, { failed: 24 })];
    expect(numbersOf(keysOf(strata, orders, NOW))).toEqual([
      ['new', 80, 0, 0],
      ['acme', 20, 20, 0],
      ['busy', 4, 4, 0],
    ]);
    const retry = causesOf(strata, NOW).reduce((sum, one) => sum + one.retry, 0);
    expect(Math.round(retry)).toBe(24);
  });

  it('leave out a record that has ended, or was made to wait, since the index was read', () => {
    const { lane: _, dueAt: __, ...done } = waiting('done', { key: 'acme', status: 'SUCCESS' });
    const keys = keysOf(
      [stratum([done, waiting('w', { key: 'acme' })]), deadOnes([waiting('again', { key: 'acme' })])],
      orders,
      NOW,
    );
    expect(numbersOf(keys)).toEqual([['acme', 1, 0, 0]]);
  });

  it('are any text of 256 bytes', () => {
    const hostile = ['__proto__', 'constructor', '\u202Egnp', '<b>', 'a\nb', ' ', 'é'.repeat(128)];
    const keys = keysOf(
      [stratum(hostile.map((key, i) => waiting(`r${i}`, { key, insertedAt: 'x' })))],
      orders,
      NOW,
    );
    expect(new Set(keys.map(({ key }) => key))).toEqual(new Set(hostile));
    expect(keys.map(({ waiting: own }) => own)).toEqual(hostile.map(() => 1));
  });
});

describe('the totals of lanes', () => {
  const totals = (total: number, beginnings: Record<string, [entries: number, more: boolean]>) =>
    laneTotals(
      Object.keys(beginnings),
      { total, counted: 'about' },
      new Map(Object.entries(beginnings).map(([lane, [entries, more]]) => [lane, { entries, more }])),
    ).map(({ lane, ...rest }) => [lane, rest.total, rest.counted]);

  it('are exact where all was read, and one other lane has the rest', () => {
    expect(totals(5_000, { q: [300, false], 'q#31': [800, true], 'q#30': [0, false] })).toEqual([
      ['q', 300, 'exact'],
      ['q#31', 4_700, 'about'],
    ]);
  });

  it('share the rest, and none has less than was read', () => {
    expect(totals(2_001, { q: [800, true], 'q#31': [800, true] }).map(([, total]) => total)).toEqual([
      1_000, 1_001,
    ]);
    expect(totals(900, { q: [800, true], 'q#31': [800, true] }).map(([, total]) => total)).toEqual([
      800, 800,
    ]);
  });
});
