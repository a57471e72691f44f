import { afterEach, describe, expect, it, vi } from 'vitest';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import { pendingEnd } from '../../src/record/completion.js';
import { context, environment, workbench } from './support.js';

const queues = {
  payments: { retryMode: 'perRecord' as const, shards: 2 },
  orders: { retryMode: 'perRecord' as const },
};
const TOKEN = '1.abcdefghijklmnopqrstuv.abcdefghijklmnop.abcdefgh';

function monitored(pending: readonly string[]) {
  const bench = workbench(queues);
  const lines: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)));
    return true;
  });
  const { clock, logger } = bench.overrides;
  const env = { ...environment(queues), BACKLOG_PENDING_AGES: JSON.stringify(pending) };
  const handler = monitorHandler({ store: bench.store, clock, logger, env, trouble: async () => undefined });
  const now = clock.now();
  /** A record that has waited for so many seconds, of a wait of so many. */
  const wait = (id: string, age: number, timeout: number, changes: Record<string, unknown> = {}) => {
    const since = new Date(now - age * 1000);
    const until = pendingEnd(since.getTime(), timeout);
    const wait = { token: TOKEN, timeout, since: since.toISOString() };
    const own = { id, queue: 'payments', lane: 'payments', payload: 1, status: 'NEW', rev: 'r' };
    bench.store.put({ ...own, dueAt: until, notBefore: { until, pending: wait }, ...changes });
  };
  const read = async () => {
    await handler({ monitor: true }, context);
    const found = lines.filter((line) => 'OldestPending' in line);
    return found.map(({ _aws, Table: _, ...line }) => line);
  };
  return { ...bench, wait, read, now };
}

describe('the metric OldestPending', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is how long a record has waited for its end from outside, in whatever lane', async () => {
    const { wait, read } = monitored(['payments']);
    wait('a', 600, 86_400);
    wait('b', 7200, 86_400, { lane: 'payments#1' });
    expect(await read()).toEqual([{ Queue: 'payments', OldestPending: 7200 }]);
  });

  it('is not written where none waits so, nor of a queue without the alarm', async () => {
    const { wait, insert, read, now } = monitored(['payments']);
    await insert({ id: 'later', queue: 'payments', dueAt: new Date(now + 60_000).toISOString() });
    wait('other', 600, 86_400, { queue: 'orders', lane: 'orders' });
    expect(await read()).toEqual([]);
    vi.restoreAllMocks();
    const without = monitored([]);
    without.wait('a', 600, 86_400);
    expect(await without.read()).toEqual([]);
  });

  it('is not of a record that waits otherwise by now, or whose mark is none', async () => {
    const { wait, read, now } = monitored(['payments']);
    wait('over', 90_000, 86_400);
    wait('ended', 600, 86_400, { notBefore: undefined });
    wait('hostile', 600, 86_400, {
      notBefore: { until: pendingEnd(now, 60), pending: { token: 7, since: 'x' } },
    });
    wait('odd', 600, 86_400, {
      notBefore: {
        until: pendingEnd(now, 60),
        pending: { token: TOKEN, timeout: 60, since: 'soon' },
      },
    });
    expect(await read()).toEqual([]);
  });

  it('is found behind a thousand records that wait for their next attempts', async () => {
    const { wait, read, store, now } = monitored(['payments']);
    for (let i = 0; i < 1_500; i++) {
      const dueAt = new Date(now + 1_000 * (i + 1)).toISOString();
      store.put({
        id: `r-${i}`,
        queue: 'payments',
        lane: 'payments',
        payload: 1,
        status: 'ERROR',
        rev: 'r',
        dueAt,
      });
    }
    wait('behind', 3600, 86_400);
    expect(await read()).toEqual([{ Queue: 'payments', OldestPending: 3600 }]);
  });
});
