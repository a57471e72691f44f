import { describe, expect, it } from 'vitest';
import { troublesOf } from '../../src/overview/check.js';
import { CountsReader, type ExactCounts } from '../../src/overview/counts.js';
import type { OverviewDeps } from '../../src/overview/deps.js';
import { snapshotOf } from '../../src/overview/snapshot.js';
import { MemoryStore, type QueueOwner } from '../../src/store/index.js';
import { iso, MINUTE, NOW, waiting } from '../console/console-under-test.js';

const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {}, speed: 1 };
const entry = (changes: Partial<QueueOwner> = {}): QueueOwner => ({
  ...{ owner: 'Shop', function: 'arn', retryMode: 'perRecord', at: iso(-MINUTE) },
  ...changes,
});

function reader() {
  const store = new MemoryStore({ clock });
  const look = async (changes: Partial<OverviewDeps> = {}, exact?: ExactCounts) => {
    const deps = { backlog: { table: 'Records', controlTable: 'Control', store, clock }, ...changes };
    const { counts } = await new CountsReader(deps, undefined, exact).read();
    const snapshot = snapshotOf(deps, counts, NOW);
    const views = snapshot.queues?.map(({ stats, condition, neverServed }) => [
      ...[stats.queue, stats.retryMode, stats.pending, condition, neverServed],
    ]);
    return { views, troubles: troublesOf(snapshot) };
  };
  const register = (queues: Record<string, QueueOwner>) =>
    store.registry.write({ rev: 'r', queues: new Map(Object.entries(queues)) }, '');
  const late = (queue: string) =>
    store.put(waiting(queue, { queue, lane: queue, dueAt: iso(-16 * MINUTE) }) as never);
  return { store, look, register, late };
}

describe('a queue that no run has served yet', () => {
  it.each([[undefined], [{}]])('is there if a function has registered it, with what waits', async (exact) => {
    const { look, register, late } = reader();
    await register({ orders: entry(), bulk: entry({ retryMode: 'progressive' }) });
    late('orders');
    late('bulk');
    const { views, troubles } = await look({}, exact);
    expect(views).toEqual([
      ['orders', 'perRecord', 1, 'late', true],
      // Its records have no due times.
      ['bulk', 'progressive', 1, 'waiting', true],
    ]);
    expect(troubles).toContain('orders is 16 min late: 1 record due, no run has served it yet.');
  });

  it('is there if the deployed stack has it; queues of other stacks stay served', async () => {
    const { look, register, late } = reader();
    await register({ theirs: entry({ owner: 'Other' }) });
    late('orders');
    late('theirs');
    const { views, troubles } = await look({ deployed: [{ name: 'orders', retryMode: 'perRecord' }] });
    expect(views?.map(([queue, , , condition]) => [queue, condition])).toEqual([
      ['orders', 'late'],
      ['theirs', 'late'],
    ]);
    expect(troubles.join()).not.toContain('no rule');
  });

  it('has no rule if its owner has given it up, though the stack had it', async () => {
    const { look, register, late } = reader();
    await register({ orders: entry({ removedAt: iso(-MINUTE) }), other: entry() });
    late('orders');
    const { views } = await look({ deployed: [{ name: 'orders', retryMode: 'perRecord' }] });
    expect(views?.[0]).toEqual(['orders', 'perRecord', 1, 'unserved', true]);
  });

  it('has been served as soon as a run holds its lease, or has noted its retry mode', async () => {
    const { look, store, register } = reader();
    await register({ orders: entry(), mails: entry() });
    const lease = { holder: 'run', until: NOW + MINUTE, ids: [], rev: 'r' };
    await store.leases.hold('orders', lease);
    await store.queues.setRetryMode('mails', { mode: 'perRecord', since: 0 }, undefined);
    const { views } = await look();
    expect(views?.map(([queue, , , , neverServed]) => [queue, neverServed])).toEqual([
      ['orders', false],
      ['mails', false],
    ]);
  });
});
