import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { causesOf } from '../../src/overview/causes.js';
import { parseRecord } from '../../src/record/index.js';
import { causeLines } from '../../tools/src/cli/failures/lines.js';
import { painter, width } from '../../tools/src/cli/paint.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { dead, HOUR, inRetry, iso, MINUTE, NOW } from '../console/console-under-test.js';
import { backlogTables, readingItem } from './backlog-tables.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

const failedAgo = (ms: number, message: string, name = 'HttpError') => ({
  lastFailureAt: iso(-ms),
  lastError: { name, message, at: iso(-ms), attempt: 2 },
  history: [],
});
const down = (i: number) =>
  failedAgo(MINUTE, `HTTP 503 from https://erp.example.com: warehouse ${i} is closed`);
const missing = failedAgo(26 * HOUR, 'HTTP 400 from https://erp.example.com: vat missing');

describe('the lines of causes', () => {
  const linesOf = (items: readonly Record<string, unknown>[], columns?: number, total = items.length) => {
    const records = items.map((item) => parseRecord(item, NOW));
    const stratum = { queue: 'orders', dead: false, total, records };
    return causeLines(causesOf([stratum], NOW), { now: NOW, columns, paint: painter(false) });
  };

  it('are a row for each cause, its patterns and a few records', () => {
    const items = [...[1, 2, 3, 4].map((i) => inRetry(`o${i}`, down(i))), inRetry('bad', missing)];
    expect(linesOf(items, 80)).toEqual([
      'CAUSE                            RETRY     DEAD  SINCE, UTC        QUEUES',
      'HttpError 503 erp.example.com        4        0  14:46             orders',
      '        4  warehouse {n} is closed',
      '           e.g. o1, o2, o3',
      'HttpError 400 erp.example.com        1        0  Sun 22 Nov 12:47  orders',
      '        1  vat missing',
      '           e.g. bad',
    ]);
    expect(linesOf(items, undefined, 500)[1]).toMatch(/^HttpError 503 erp\.example\.com {4}≈ 400 /);
  });

  it('are no longer than the terminal, and have nothing that it would obey, whatever others wrote', () => {
    const text = `\u202Egnp \u001b[31m \u0007 \u200F 古池や 👩‍👩‍👧 ${'x '.repeat(200)}`;
    const items = Array.from({ length: 30 }, (_, i) =>
      inRetry(`${text}${i}`, { queue: 'q'.repeat(120), ...failedAgo(MINUTE, `${text} y`, `${i}${text}`) }),
    );
    for (const columns of [40, 80, 120]) {
      const lines = linesOf(items, columns);
      expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns);
      expect(lines.join('\n')).not.toMatch(/[^\P{C}\n]/u);
    }
    expect(linesOf(items).at(-1)).toContain('10 more causes: --json');
  });
});

describe('backlog failures', () => {
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

  const run = (...args: string[]) => tables.run(...args);
  const failures = (...args: string[]) => run('failures', ...args);
  const fill = () =>
    table.put(
      ...[1, 2, 3].map((i) => inRetry(`o${i}`, down(i))),
      inRetry('b', { queue: 'bulk', lane: 'bulk', ...down(4) }),
      dead('bad', missing),
    );

  it('has a row for each cause of all queues, and says what was read', async () => {
    await fill();
    const { code, out, err } = await failures();
    expect(code).toBe(0);
    expect(out).toMatch(/^HttpError 503 erp\.example\.com +4 +0 .* {2}orders and bulk$/m);
    expect(out).toMatch(/^HttpError 400 erp\.example\.com +0 +1 /m);
    expect(err).toMatch(
      /^5 records fail: 4 in retry, 1 dead; all 5 records that are not finished were read; table Records .*read units$/,
    );
  });

  it('has the same for programs, of one queue', async () => {
    await fill();
    const { code, out } = await failures('--queue', 'bulk', '--json');
    expect(code).toBe(0);
    const { causes, records } = JSON.parse(out);
    expect(records).toEqual({ examined: 1, total: 1, counted: 'exact' });
    expect(causes).toMatchObject([
      {
        cause: 'HttpError 503 erp.example.com',
        error: 'HttpError',
        status: 503,
        host: 'erp.example.com',
        counted: 'exact',
        retry: 1,
        dead: 0,
        lastAt: iso(-MINUTE),
        queues: [{ queue: 'bulk', retry: 1 }],
        patterns: [{ pattern: 'warehouse {n} is closed', retry: 1, examples: [{ id: 'b', queue: 'bulk' }] }],
      },
    ]);
  });

  it('says when none fails, and does not know a queue that there is not', async () => {
    const none = await failures();
    expect({ code: none.code, out: none.out }).toEqual({ code: 0, out: '' });
    expect(none.err).toMatch(/^no record fails; all 0 records that are not finished were read/);
    const { code, err } = await failures('--queue', 'order');
    expect(code).toBe(2);
    expect(err).toMatch(/has no queue "order".*orders/s);
  });

  it('names causes as selections take them', async () => {
    await fill();
    const cause = JSON.parse((await failures('--json')).out).causes[0].cause;
    const { out } = await run('run-now', '--error', cause, '--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({ matched: 4 });
  });
});

describe('backlog list', () => {
  let dynamodb: EmbeddedDynamoDb;
  let table: Awaited<ReturnType<typeof oldTable>>;

  beforeAll(async () => {
    dynamodb = await startEmbeddedDynamoDb();
    table = await oldTable(dynamodb.endpoint, 'Listed');
    const now = Date.now();
    const insertedAt = (ms: number) => ({ insertedAt: new Date(now - ms).toISOString() });
    await table.put(
      inRetry('old', { ...down(1), ...insertedAt(HOUR), payload: { customer: { id: 7 } } }),
      inRetry('young', { ...down(2), ...insertedAt(MINUTE), payload: { customer: { id: 8 } } }),
      dead('bad', { ...missing, ...insertedAt(HOUR), payload: { customer: { id: 8 } } }),
    );
  });
  afterAll(async () => {
    table.close();
    await dynamodb.stop();
  });

  const idsOf = async (...args: string[]) => {
    const { out } = await backlog(
      'list',
      '--json',
      '--endpoint',
      dynamodb.endpoint,
      '--table',
      table.name,
      ...args,
    );
    return JSON.parse(out)
      .map(({ id }: { id: string }) => id)
      .sort();
  };

  it.each([
    [
      ['--error', 'HttpError'],
      ['bad', 'old', 'young'],
    ],
    [
      ['--error', 'HttpError 503'],
      ['old', 'young'],
    ],
    [['--error', 'HttpError 400 erp.example.com'], ['bad']],
    [['--error', 'RangeError'], []],
    [
      ['--older-than', '15m'],
      ['bad', 'old'],
    ],
    [
      ['--where', 'customer.id=8'],
      ['bad', 'young'],
    ],
    [['--where', 'customer.id=8', '--older-than', '15m', '--status', 'DEAD'], ['bad']],
  ])('takes %j', async (args, expected) => {
    expect(await idsOf(...args)).toEqual(expected);
  });

  it('looks with --where into what is shown of a payload', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-list-'));
    const module = join(folder, 'redact.mjs');
    await writeFile(module, 'export default () => ({ customer: { id: 0 } });');
    expect(await idsOf('--where', 'customer.id=8', '--redact', module)).toEqual([]);
    expect(await idsOf('--where', 'customer.id=0', '--redact', module)).toHaveLength(3);
  });
});
