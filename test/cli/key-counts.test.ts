import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keysOf } from '../../src/overview/keys.js';
import { busyKeysText, hashOfKey } from '../../src/record/busy-keys.js';
import { parseRecord } from '../../src/record/index.js';
import { hintLines } from '../../tools/src/cli/key-counts/hints.js';
import { keyLines } from '../../tools/src/cli/key-counts/lines.js';
import { painter, width } from '../../tools/src/cli/paint.js';
import { dead, HOUR, inRetry, iso, MINUTE, NOW, waiting } from '../console/console-under-test.js';
import { backlogTables, readingItem } from './backlog-tables.js';

type Items = readonly Record<string, unknown>[];

const many = (count: number, make: (i: number) => Record<string, unknown>) =>
  Array.from({ length: count }, (_, i) => make(i));
const down = {
  lastError: { name: 'HttpError', message: 'HTTP 503 from https://a.example: down', at: iso(), attempt: 2 },
};
const HOSTILE = [
  '__proto__',
  '<script>alert(1)</script>',
  '\u202Egnp \u001b[31m \u0007',
  '\u202E\n',
  "it's $(reboot)",
  '-rf',
  'k'.repeat(256),
];

describe('the lines of keys', () => {
  const keysIn = (items: Items, changes: object = {}) =>
    keysOf(
      [
        {
          queue: 'orders',
          dead: false,
          total: items.length,
          records: items.map((item) => parseRecord(item, NOW)),
          ...changes,
        },
      ],
      [
        {
          queue: 'orders',
          busyKeys: [{ shard: 31, hash: hashOfKey('acme'), until: NOW + 50 * MINUTE }],
        },
      ],
      NOW,
    );
  const look = { now: NOW, columns: 100, paint: painter(false), top: 10 };
  const items = [
    ...many(3, (i) => waiting(`a${i}`, { key: 'acme' })),
    inRetry('a', { key: 'acme', ...down }),
    waiting('b', { key: 'bistro' }),
    waiting('none'),
  ];

  it('are a row for each key, and one for records without a key', () => {
    expect(keyLines(keysIn(items), look)).toEqual([
      'KEY        WAITING     RETRY      DEAD       OLDEST     BUSY FOR  CAUSE',
      'acme             4         1         0          1 h       50 min  HttpError 503 a.example',
      'bistro           1         0         0          1 h            -  -',
      '(no key)         1         0         0          1 h            -  -',
    ]);
    expect(keyLines(keysIn(items, { total: 600 }), look)[1]).toContain('acme         ≈ 400     ≈ 100 ');
  });

  it('are as many as asked for, and say how many more there are', () => {
    const lines = keyLines(keysIn(items), { ...look, top: 1 });
    expect(lines.slice(2)).toEqual([expect.stringMatching(/^\(no key\) +1 /), '1 more key: --top 2']);
  });

  it('are no longer than the terminal, and have nothing that it would obey', () => {
    const keys = keysIn(HOSTILE.map((key, i) => inRetry(`r${i}`, { key, ...down })));
    for (const columns of [40, 80, 120]) {
      const lines = keyLines(keys, { ...look, columns });
      expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns);
      expect(lines.join('\n')).not.toMatch(/[^\P{C}\n]/u);
    }
    const text = keyLines(keys, { ...look, columns: undefined }).join('\n');
    expect(text).toContain('__proto__');
    expect(text).toContain('(unprintable)');
    expect(text).toContain(`${'k'.repeat(63)}…  `);
  });

  it('lead to commands that a shell takes as they are, or to none', () => {
    const hintsOf = (key: string) => hintLines(keysIn([inRetry('r', { key, ...down })]));
    expect(hintsOf('acme')).toEqual(['npx backlog list --queue orders --key acme --status ERROR']);
    expect(hintsOf("it's $(reboot)")).toEqual([
      "npx backlog list --queue orders --key 'it'\\''s $(reboot)' --status ERROR",
    ]);
    expect(hintsOf('-rf')).toEqual(['npx backlog list --queue orders --key=-rf --status ERROR']);
    expect(hintsOf('a\nb')).toEqual([]);
    expect(hintsOf('\u202Eb')).toEqual([]);
    expect(hintLines(keysIn([waiting('w')]))).toEqual([]);
  });
});

describe('backlog keys', () => {
  let tables: Awaited<ReturnType<typeof backlogTables>>;
  let { table, control } = {} as typeof tables;

  beforeAll(async () => {
    tables = await backlogTables();
    ({ table, control } = tables);
  });
  afterAll(() => tables.stop());
  beforeEach(async () => {
    await tables.renew('orders', 'bulk');
    await control.put(readingItem('orders'), readingItem('bulk'));
  });

  const keys = (...args: string[]) => tables.run('keys', ...args);
  const json = async (...args: string[]) => JSON.parse((await keys('--json', ...args)).out);
  const inBulk = { queue: 'bulk', lane: 'bulk' };
  const busy = (...of: readonly (readonly [key: string, shard: number, until: number])[]) =>
    control.put({
      key: 'queue#orders',
      retryMode: 'perRecord',
      retryModeSince: 0,
      busyKeys: busyKeysText(of.map(([key, shard, until]) => ({ shard, hash: hashOfKey(key), until }))),
    });

  it('has the keys of all queues, says what was read, and what to do next', async () => {
    await table.put(
      ...many(3, (i) => inRetry(`a${i}`, { key: 'acme', ...down })),
      waiting('b', { key: 'bistro', ...inBulk }),
      dead('d', { key: 'cafe', ...down }),
    );
    const { code, out, err } = await keys();
    expect(code).toBe(0);
    expect(out).toMatch(/^acme +3 +3 +0 .*HttpError 503 a\.example$/m);
    expect(out).toMatch(/^bistro +1 +0 +0 /m);
    expect(out).toMatch(/^cafe +0 +0 +1 +- +- {2}HttpError 503 a\.example$/m);
    expect(out).not.toContain('(no key)');
    expect(err.split('\n')).toEqual([
      'acme has 75 % of the records that wait.',
      'npx backlog list --queue orders --key acme --status ERROR',
      'npx backlog redrive --queue orders --key cafe --dry-run',
      expect.stringMatching(
        /^3 keys; all 5 records that are not finished were read; table Records .*; [\d.]+ read units$/,
      ),
    ]);
  });

  it('has the same for programs, of one queue, and says which keys are busy', async () => {
    const until = Math.floor((Date.now() + HOUR) / MINUTE) * MINUTE;
    await busy(['acme', 31, until]);
    await table.put(
      inRetry('a', { key: 'acme', lane: 'orders#31', ...down }),
      waiting('none'),
      waiting('b', { key: 'bistro', ...inBulk }),
    );
    const { keys: all, records, moreKeys, readUnits } = await json('orders');
    expect({ records, moreKeys }).toEqual({
      records: { examined: 2, total: 2, counted: 'exact' },
      moreKeys: 0,
    });
    expect(readUnits).toBeGreaterThan(0);
    expect(all).toEqual([
      {
        ...{ key: 'acme', waiting: 1, retry: 1, dead: 0, counted: 'exact', examined: 1 },
        ...{ queues: ['orders'], oldestAt: iso(-HOUR), cause: 'HttpError 503 a.example' },
        busyUntil: new Date(until).toISOString(),
      },
      {
        ...{ waiting: 1, retry: 0, dead: 0, counted: 'exact', examined: 1 },
        ...{ queues: ['orders'], oldestAt: iso(-HOUR) },
      },
    ]);
    expect((await json('bulk')).keys.map(({ key }: { key: string }) => key)).toEqual(['bistro']);
  });

  it('says when there is nothing, no record with a key, no such queue, and what it expects', async () => {
    const none = await keys();
    expect({ code: none.code, out: none.out }).toEqual({ code: 0, out: '' });
    expect(none.err).toMatch(/^no record waits or is dead; all 0 records that are not finished were read/);
    await table.put(waiting('a'));
    const without = await keys();
    expect({ code: without.code, out: without.out }).toEqual({ code: 0, out: '' });
    expect(without.err).toMatch(/^no record has a key; all 1 record that are not finished/);
    const unknown = await keys('order');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(/has no queue "order"; did you mean "orders".*Known: bulk, orders/s);
    expect((await keys('--top', '0')).code).toBe(2);
    expect((await keys('a b')).err).toContain('Expected the name of a queue');
  });

  it('takes keys that someone wants to do harm with', async () => {
    const hostile = HOSTILE.map((key) => (key.length > 256 ? key.slice(0, 256) : key));
    await table.put(...hostile.map((key, i) => waiting(`h${i}`, { key })));
    const found = (await json()).keys.map(({ key }: { key: string }) => key);
    expect(found.sort()).toEqual([...hostile].sort());
    const { code, out, err } = await keys('--top', '50');
    expect(code).toBe(0);
    expect(`${out}${err}`).not.toMatch(/[^\P{C}\n]/u);
  });

  it('estimates 51 keys from 1,000 of 2,500 records, and misses none of them', async () => {
    // Each quiet key has 30 records, and the noisy one 1,000 in its own lane.
    const until = Math.floor((Date.now() + HOUR) / MINUTE) * MINUTE;
    await busy(['noisy', 31, until]);
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const quiet = many(1_500, (i) =>
      waiting(`q${i}`, { key: `quiet-${i % 50}`, dueAt: iso(Math.floor(random() * 3_000 * MINUTE)) }),
    );
    const noisy = many(1_000, (i) =>
      waiting(`n${i}`, { key: 'noisy', lane: 'orders#31', dueAt: iso(i * MINUTE) }),
    );
    for (let i = 0; i < quiet.length; i += 500) await table.put(...quiet.slice(i, i + 500));
    for (let i = 0; i < noisy.length; i += 500) await table.put(...noisy.slice(i, i + 500));
    await control.put(readingItem('orders', Date.now(), { pending: 2_500, dead: 0 }));
    const { keys: all, records } = await json('orders');
    expect(records).toEqual({ examined: 1_000, total: 2_500, counted: 'about' });
    const [first, ...others] = all;
    expect(others).toHaveLength(50);
    // Two lanes are too long for the look: they are counted.
    expect(first).toMatchObject({ key: 'noisy', counted: 'about', examined: 500, waiting: 1_000 });
    expect(first.busyUntil).toBe(new Date(until).toISOString());
    const sum = all.reduce((total: number, one: { waiting: number }) => total + one.waiting, 0);
    expect(Math.abs(sum - 2_500)).toBeLessThan(30);
    // The sample has ten of a key's 30 records on average; three standard deviations are eight.
    for (const { waiting: own } of others) {
      expect(own).toBeGreaterThanOrEqual(3);
      expect(own).toBeLessThanOrEqual(3 * 18);
    }
    const { err } = await keys('orders');
    expect(err).toMatch(/^51 keys; estimated from 1,000 of ≈ 2,500 records that are not finished/m);
    expect(err).toMatch(/^noisy has ≈ 40 % of the records that wait\.$/m);
  }, 120_000);
});
