import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/overview/runtime.js';
import type { RunSummary } from '../../src/worker/index.js';
import { FunctionLogs, type Notice } from '../../tools/src/local/sandbox/function-logs.js';
import { RunLog } from '../../tools/src/local/status/run-log.js';

const AT = '2026-01-01T00:00:00.000Z';
const STACK = [
  'at charge (file:///tmp/cdk.out/asset.0123456789abcdef/index.mjs:12:5)',
  'at async attempt (/app/node_modules/dynamo-backlog/dist/src/worker/attempt.js:3:1)',
  'at node:internal/process/task_queues:95:5',
];
const notice = (changes: Partial<Notice> = {}): Notice => ({
  functionName: 'Orders',
  level: 'ERROR',
  text: 'TypeError',
  record: 'order-1',
  queue: 'orders',
  stack: STACK,
  ...changes,
});
const run = (summary: Partial<RunSummary>, changes: Partial<RunReport> = {}): RunReport => ({
  at: AT,
  rule: 'r',
  label: 'orders, every minute',
  outcome: 'ok',
  text: '',
  idle: false,
  coalesced: 0,
  durationMs: 1,
  summary: { queue: 'orders', succeeded: 0, failed: 0, dead: 0, ...summary } as RunSummary,
  ...changes,
});

describe('errors of handlers', () => {
  it('are shown once each, with a count, the last record and the places of their own code', () => {
    const log = new RunLog();
    for (const record of ['order-1', 'order-2']) log.addNotice(notice({ record }), AT);
    log.addNotice(notice({ stack: ['at other (src/other.ts:1:1)'] }), AT);
    log.addNotice(notice({ record: 'order-3' }), AT);
    expect(log.errors.current).toMatchObject([
      { count: 1, stack: ['at other (src/other.ts:1:1)'] },
      {
        where: 'orders',
        text: 'TypeError',
        record: 'order-3',
        count: 3,
        stack: ['at charge (asset.01234567/index.mjs:12:5)'],
      },
    ]);
    expect(log.notices).toEqual([]);
  });

  it('go when a run of their queue has successes and no failure, and not before', () => {
    const log = new RunLog();
    log.addNotice(notice(), AT);
    for (const summary of [
      {},
      { succeeded: 3, failed: 1 },
      { succeeded: 1, dead: 1 },
      { succeeded: 1, queue: 'others' },
    ]) {
      log.add(run(summary));
      expect(log.errors.current).toHaveLength(1);
    }
    log.add(run({ queue: 'both', queues: [run({ succeeded: 1 }).summary as RunSummary] }));
    expect(log.errors.current).toEqual([]);
  });

  it('are also those that end a whole run, until one of the same rule ends well', () => {
    const log = new RunLog();
    const text = 'failed: TypeError: no such thing';
    const stack = 'TypeError: no such thing\n    at load (file:///app/asset.0123456789/index.mjs:1:2)';
    log.add(run({}, { outcome: 'error', text, summary: undefined }), { logs: [], stack });
    expect(log.errors.current).toMatchObject([
      { where: 'orders, every minute', text, stack: ['at load (asset.01234567/index.mjs:1:2)'] },
    ]);
    log.add(run({}, { idle: true }));
    expect(log.errors.current).toEqual([]);
  });

  it('are ten at most, the newest', () => {
    const log = new RunLog();
    for (let i = 0; i < 12; i++) log.addNotice(notice({ stack: [`at f${i} (src/a.ts:${i}:1)`] }), AT);
    expect(log.errors.current).toHaveLength(10);
    expect(log.errors.current.at(-1)?.stack).toEqual(['at f11 (src/a.ts:11:1)']);
  });
});

describe('warnings of functions', () => {
  const warning = (text: string, changes: Partial<Notice> = {}) =>
    notice({ level: 'WARN', text, record: undefined, ...changes });
  const LATER = '2026-01-01T00:05:00.000Z';

  it('are kept once each, with a count and the last time, the latest last', () => {
    const log = new RunLog();
    log.addNotice(warning('the control table is slow'), AT);
    log.addNotice(warning('a message was left'), AT);
    log.addNotice(warning('the control table is slow'), LATER);
    expect(log.notices).toMatchObject([
      { text: 'a message was left', at: AT, count: 1 },
      { text: 'the control table is slow', at: LATER, count: 2 },
    ]);
  });

  it('are the same if they differ in numbers alone, and show the latest', () => {
    const log = new RunLog();
    for (const waited of [120, 3400, 12.5]) log.addNotice(warning(`throttled, waited=${waited} ms`), AT);
    expect(log.notices).toMatchObject([{ text: 'throttled, waited=12.5 ms', count: 3 }]);
  });

  it.each<[string, Partial<Notice>]>([
    ['another function', { functionName: 'Bulk' }],
    ['another level', { level: 'ERROR' }],
    ['another queue with a number in its name', { text: 'slow queue=orders-2' }],
  ])('are kept apart for %s', (_, changes) => {
    const log = new RunLog();
    log.addNotice(warning('slow queue=orders-1'), AT);
    log.addNotice(warning('slow queue=orders-1', changes), AT);
    expect(log.notices.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('are ten at most; one that comes again does not push another out', () => {
    const log = new RunLog();
    for (const sign of 'abcdefghij') log.addNotice(warning(`warning ${sign}`), AT);
    for (let i = 0; i < 20; i++) log.addNotice(warning('warning j'), AT);
    expect(log.notices).toHaveLength(10);
    expect(log.notices.at(-1)).toMatchObject({ text: 'warning j', count: 21 });
    log.addNotice(warning('warning k'), AT);
    expect(log.notices.map(({ text }) => text)).not.toContain('warning a');
  });
});

describe('the two lines of an attempt that threw', () => {
  const lines = async (...written: object[]) => {
    const notices: Notice[] = [];
    const logs = new FunctionLogs(await mkdtemp(join(tmpdir(), 'backlog-lines-')), (one) =>
      notices.push(one),
    );
    for (const line of written) logs.write('Orders', JSON.stringify(line), 'stdout');
    await logs.close();
    return notices;
  };
  const threw = { level: 'WARN', message: 'attempt threw', id: 'order-1', stack: STACK.join('\n') };
  const failed = {
    level: 'WARN',
    message: 'attempt failed',
    id: 'order-1',
    queue: 'orders',
    error: 'TypeError',
  };

  it('become one notice with the record, the queue and the stack', async () => {
    expect(await lines(threw, failed, failed)).toEqual([notice()]);
    expect(await lines(threw, { ...failed, reason: 'no such thing' })).toMatchObject([
      { text: 'TypeError: no such thing' },
    ]);
  });

  it('are none where the destination answered, or only one is there', async () => {
    expect(await lines(threw, { ...failed, error: 'HttpError', reason: 'HTTP 503' })).toEqual([]);
    expect(await lines(failed)).toEqual([]);
    expect(await lines(threw, { ...failed, id: 'order-2' })).toEqual([]);
  });
});
