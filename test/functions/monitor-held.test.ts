import { afterEach, describe, expect, it, vi } from 'vitest';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import { lineKey } from '../../src/lines/names.js';
import { noteHeld } from '../../src/lines/note-held.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import { context, environment, workbench } from './support.js';

const queues = {
  events: { retryMode: 'perRecord' as const },
  orders: { retryMode: 'perRecord' as const },
};

/** The monitor of two queues with order, of which events has no own alarm. */
function monitored({ isPassive = false, tableAlarms = true } = {}) {
  const bench = workbench(queues);
  const { clock, logger } = bench.overrides;
  const lines = bench.store.lines as MemorySharedItems;
  const written: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(JSON.parse(String(line)));
    return true;
  });
  const described = { ...queues, orders: { ...queues.orders, ownAlarms: ['held'] } };
  const env = {
    ...environment(described),
    BACKLOG_ORDERED_QUEUES: JSON.stringify(['events', 'orders']),
    ...(tableAlarms && { BACKLOG_TABLE_ALARMS: 'true' }),
    ...(isPassive && { AWS_REGION: 'eu-west-1', BACKLOG_PRIMARY_REGION: 'us-east-1' }),
  };
  const { store } = bench;
  const handler = monitorHandler({ store, lines, clock, logger, env, trouble: async () => undefined });
  /** A line that has waited for a number for so long. */
  const hold = async (queue: string, key: string, seconds: number) => {
    const gapSince = clock.now() - seconds * 1000;
    lines.put(lineKey({ queue, key }), { rev: 'r', next: 1, last: 2, gapSince });
    await noteHeld(queue, [{ key, isNew: true }], { lines, clock, random: Math.random });
  };
  const read = async () => {
    await handler({ monitor: true }, context);
    return written
      .filter((line) => 'OldestHeldAge' in line)
      .map(({ Queue, OldestHeldAge }) => ({ Queue, OldestHeldAge }));
  };
  return { ...bench, hold, read, lines };
}

describe('the metric OldestHeldAge', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is how long a line has waited for an operator, also of all queues that have no alarm of their own', async () => {
    const { hold, read, log } = monitored();
    await hold('events', 'a', 600);
    await hold('events', 'b', 60);
    await hold('orders', 'c', 7200);
    expect(await read()).toEqual([
      { Queue: 'events', OldestHeldAge: 600 },
      { Queue: 'orders', OldestHeldAge: 7200 },
      { Queue: undefined, OldestHeldAge: 600 },
    ]);
    expect(log()).toContainEqual(
      expect.objectContaining({
        message: 'lines are held until an operator acts',
        ...{ queue: 'events', dead: 0, missing: 2, seconds: 600, keys: ['a', 'b'] },
      }),
    );
  });

  it('is not written where no line is held', async () => {
    expect(await monitored().read()).toEqual([]);
  });

  it('is not read in a region that is not the active one', async () => {
    const { hold, read } = monitored({ isPassive: true });
    await hold('events', 'a', 600);
    expect(await read()).toEqual([]);
  });
});
