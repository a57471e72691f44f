import { describe, expect, it } from 'vitest';
import { BacklogClient, defineTask } from '../../src/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { withinAttempt } from '../../src/support/attempt-scope.js';
import { systemClock } from '../../src/support/clock.js';
import { type TestBacklog, testBacklog } from '../../src/testing/index.js';

const START = { now: '2026-01-01T00:00:00Z' };

/** A backlog whose handler inserts. */
function backlogOf(
  insert: (client: BacklogClient) => Promise<unknown>,
  more: { readonly firstAttempt?: 'onInsert' | 'scheduled' } = {},
): TestBacklog {
  const backlog: TestBacklog = testBacklog({
    queues: { default: { process: async () => void (await insert(backlog.client)), ...more } },
    ...START,
  });
  return backlog;
}

const task = defineTask({ name: 'loop', perform: () => {} });

describe('a handler that inserts into its own queue', () => {
  it.each<[string, (client: BacklogClient) => Promise<unknown>, object]>([
    ['by insert', (client) => client.insert({ payload: 1 }), {}],
    ['at the rule', (client) => client.insert({ payload: 1 }), { firstAttempt: 'scheduled' }],
    ['by insertMany', (client) => client.insertMany([{ payload: 1 }]), {}],
    ['with a delay of seconds', (client) => client.insert({ payload: 1 }, { delay: 20 }), {}],
    [
      'after a wait, and from a callback',
      async (client) => {
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.all([1].map((payload) => client.insert({ payload })));
      },
      {},
    ],
  ])('%s comes to an end: the record above the limit is dead, with its payload', async (_, insert, more) => {
    const backlog = backlogOf(insert, more);
    await backlog.client.insert({ id: 'first', payload: 1 });
    expect(await backlog.runUntilSettled()).toMatchObject({ attempted: 17, succeeded: 17 });
    const dead = backlog.records().filter(({ status }) => status === 'DEAD');
    expect(dead).toHaveLength(1);
    expect(dead[0]).toMatchObject({ attempts: 0, payload: 1 });
    expect(dead[0]?.deadReason).toMatch(/^16 hops: /);
    await backlog.operator.redrive([dead[0]?.id ?? '']);
    expect(await backlog.runUntilSettled()).toMatchObject({ attempted: 17 });
  });

  it('by tasks counts as well, up to the limit of the client', async () => {
    const store = new MemoryStore({ clock: systemClock });
    const client = new BacklogClient({ table: 'records', store, maxHops: 3 });
    for (const before of [0, 2, 3]) await withinAttempt(before, () => client.insert(task, {}));
    await client.insert(task, {});
    expect(store.items().map(({ hops, status }) => [hops, status])).toEqual([
      [1, 'NEW'],
      [3, 'NEW'],
      [undefined, 'DEAD'],
      [undefined, 'NEW'],
    ]);
    expect(() => new BacklogClient({ table: 'records', store, maxHops: 0 })).toThrow('BacklogClient.maxHops');
  });

  it('for the next week goes on for as long as it likes', async () => {
    const backlog = backlogOf((client) => client.insert({ payload: 1 }, { delay: '7d' }));
    await backlog.client.insert({ payload: 1 });
    expect(await backlog.advance('210d')).toMatchObject({ attempted: 31, succeeded: 31 });
    expect(backlog.records().filter(({ status }) => status === 'DEAD')).toEqual([]);
  });

  it('is another than a producer outside of attempts, which has no limit', async () => {
    const backlog = backlogOf(async () => {});
    for (let i = 0; i < 40; i++) await backlog.client.insert({ payload: i });
    await backlog.drain();
    expect(backlog.records().every(({ hops, status }) => hops === undefined && status === 'SUCCESS')).toBe(
      true,
    );
  });
});
