import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/support/clock.js';
import { consoleApp } from '../../tools/src/console/app.js';
import { oldTable } from '../cli/old-table.js';
import { get, hiddenField, post } from '../console/console-under-test.js';
import { startDynamoDb } from '../store/start-dynamodb.js';

const HOUR = 3_600_000;
const iso = (ms = 0) => new Date(Date.now() + ms).toISOString();

describe('the console on DynamoDB', () => {
  let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
  let records: Awaited<ReturnType<typeof oldTable>>;
  let control: Awaited<ReturnType<typeof oldTable>>;

  beforeAll(async () => {
    dynamodb = await startDynamoDb();
    records = await oldTable(dynamodb.endpoint, 'ConsoleRecords');
    control = await oldTable(dynamodb.endpoint, 'ConsoleControl', { key: 'key', index: false });
    await control.put({ key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 });
    const lastError = { name: 'HttpError', message: 'HTTP 503', at: iso(-60_000), attempt: 1 };
    const record = (id: string, changes: Record<string, unknown>) => ({
      id,
      status: 'ERROR',
      queue: 'orders',
      payload: { text: '<script>' },
      insertedAt: iso(-HOUR),
      lane: 'orders',
      dueAt: iso(HOUR),
      attempts: 1,
      failures: 1,
      lastError,
      lastFailureAt: lastError.at,
      rev: 'r',
      ...changes,
    });
    await records.put(
      ...Array.from({ length: 120 }, (_, i) => record(`r${i}`, { dueAt: iso(HOUR + i) })),
      record('late', { dueAt: iso(-HOUR) }),
      record('gone', { status: 'DEAD', lane: 'orders/dead', dueAt: iso(-HOUR), deadReason: 'maxAttempts' }),
      { id: 'finished', status: 'SUCCESS', queue: 'orders', payload: 1, insertedAt: iso(-HOUR), attempts: 1 },
    );
  });
  afterAll(async () => {
    records.close();
    control.close();
    await dynamodb.stop();
  });

  const open = () =>
    consoleApp({
      backlog: {
        table: 'ConsoleRecords',
        controlTable: 'ConsoleControl',
        client: records.client,
        clock: systemClock,
      },
      name: 'shop',
      where: 'a test',
      access: { write: true, as: 'ops' },
      onAction: () => {},
      countsForMs: 0,
    });

  it('shows each queue, whatever is written into the control table, over several pages of it', async () => {
    const app = open();
    const reading = { at: iso(), shards: 1, retryMode: 'perRecord', counts: { pending: 1, dead: 0 } };
    let deep: unknown = 1;
    for (let i = 0; i < 28; i++) deep = { deep };
    const hostile: unknown[] = [
      1,
      'text',
      null,
      [reading],
      new Set(['a']),
      new Uint8Array([1]),
      2n ** 80n,
      deep,
      { ...reading, at: '9999-99-99T99:99:99.999Z' },
      { ...reading, counts: { pending: 2n ** 70n, dead: 0 } },
      { ...reading, counts: { pending: 1, dead: 0, due: deep } },
      { ...reading, retry: { type: 'list', waits: Array.from({ length: 9_000 }, () => 1) } },
    ];
    const names = ['nosuch', 'a#b', '#', '日本', '__proto__', 'constructor', 'toString', '😀'.repeat(200)];
    await control.put(
      ...hostile.map((one, i) => ({ key: `reading#orders${i}`, reading: one })),
      ...names.map((name) => ({ key: `reading#${name}`, reading })),
      ...Array.from({ length: 1_000 }, (_, i) => ({ key: `reading#queue${i}`, reading })),
      ...Array.from({ length: 12 }, (_, i) => ({ key: `reading#large${i}`, reading: 'x'.repeat(300_000) })),
    );
    for (const [i, one] of hostile.entries()) {
      await control.put({ key: 'reading#orders', reading: one });
      const { status, text } = await get(app, '/');
      expect([status, text.includes('orders is 1 h late'), text.includes('nosuch')], `item ${i}`).toEqual([
        200,
        true,
        false,
      ]);
      expect(text).not.toMatch(/NaN|Invalid|undefined|\[object/);
    }
  });

  const behind = (cursor: object) => `/records?${new URLSearchParams({ after: JSON.stringify(cursor) })}`;
  const long = 'x'.repeat(2_100);
  it.each([
    ['no id', '/record?id=', 404],
    ['too long an id', `/record?id=${long}`, 404],
    ['too long an id of a payload', `/record/payload?id=${long}`, 404],
    ['too long an id of an action', `/record/act?do=redrive&id=${long}`, 404],
    ['too long an id in a filter', `/records?id=${long}`, 200],
    ['an empty cursor', behind({ in: 'waiting', lane: 'orders', dueAt: '', id: '' }), 200],
    ['too long a cursor', behind({ in: 'waiting', lane: 'orders', dueAt: long, id: long }), 200],
    ['a cursor of other types', behind({ in: 'waiting', lane: 'orders', dueAt: {}, id: 7 }), 200],
    ['an empty cursor of finished records', '/records?status=SUCCESS&after=table%20', 200],
    ['too long a cursor of finished records', `/records?status=SUCCESS&after=table%20${long}`, 200],
  ])('answers as ever to an address with %s', async (_, path, status) => {
    expect((await get(open(), path)).status).toBe(status);
  });

  it('answers on each view, and says what the view has cost', async () => {
    const app = open();
    const paths = ['/', '/failures', '/records', '/records?status=SUCCESS', '/tiers', '/record?id=gone'];
    for (const path of paths) expect((await get(app, path)).status, path).toBe(200);
    expect((await get(app, '/')).text).toContain('orders is 1 h late');
    expect((await get(app, '/failures')).text).toMatch(/≈, from 50 of 122 records, [\d.]+ read units/);
    expect((await get(app, '/records?status=SUCCESS')).text).toContain('id=finished');
  });

  it('pages through the index without a gap, there and back', async () => {
    const app = open();
    const there: (string | undefined)[] = [];
    const back: (string | undefined)[] = [];
    let [path, last]: (string | undefined)[] = ['/records?queue=orders'];
    const look = async (rel: 'next' | 'prev') => {
      const { text }: { text: string } = await get(app, path ?? '');
      path = new RegExp(`href="([^"]+)" rel="${rel}"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
      return [...text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id);
    };
    for (let pages = 0; path !== undefined && pages < 10; pages++) {
      last = path;
      there.push(...(await look('next')));
    }
    expect([there.length, new Set(there).size]).toEqual([122, 122]);
    path = last;
    for (let pages = 0; path !== undefined && pages < 10; pages++) back.unshift(...(await look('prev')));
    expect(back).toEqual(there);
  });

  it('acts', async () => {
    const app = open();
    const path = '/record/act?id=gone&do=redrive';
    expect((await post(app, path)).status).toBe(303);
    expect(await records.get('gone')).toMatchObject({ status: 'NEW', lane: 'orders' });
  });

  it('acts on a record that was never written by the library, unless it was overwritten since', async () => {
    const app = open();
    const path = '/record/act?id=bare&do=discard';
    const bare = {
      id: 'bare',
      status: 'ERROR',
      queue: 'elsewhere',
      payload: { tags: new Set(['b', 'a']), lines: [{ n: 1 }] },
      insertedAt: iso(-HOUR),
      lane: 'elsewhere',
      dueAt: iso(HOUR),
    };
    await records.put(bare);
    const seen = hiddenField((await get(app, path)).text, 'seen');
    await records.put({ ...bare, payload: { tags: new Set(['b', 'a']), lines: [{ n: 2 }] } });
    expect((await post(app, path, { seen })).status).toBe(409);
    expect(await records.get('bare')).toMatchObject({ status: 'ERROR' });
    await records.put(bare);
    expect((await post(app, path, { seen })).status).toBe(303);
    expect(await records.get('bare')).toMatchObject({ status: 'DEAD' });
  });

  it('says why a table cannot be read', async () => {
    const app = consoleApp({
      backlog: { table: 'NoSuchTable', controlTable: 'NoSuchTable', client: records.client },
      name: 'shop',
      where: 'a test',
      access: { write: false, reason: 'read-only' },
      onAction: () => {},
    });
    expect((await get(app, '/')).text).toContain(
      'The tables cannot be read: Scan (table NoSuchTable): the table or its index does not exist',
    );
    for (const path of ['/failures', '/tiers', '/record?id=a']) {
      const { text, status } = await get(app, path);
      expect(status).toBeLessThanOrEqual(500);
      expect(text).toContain('the table or its index does not exist');
    }
  });
});
