import { describe, expect, it } from 'vitest';
import { type RecordChange, RetryAfter } from '../../src/record/index.js';
import { StoreError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/store.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, START, succeed } from './harness.js';

/** A store that refuses to settle this record, or to settle it so, as DynamoDB refuses what it cannot hold. */
function refusing(
  store: BacklogStore,
  id: string,
  refuses: (change: RecordChange) => boolean = () => true,
): BacklogStore {
  const settle: BacklogStore['records']['settle'] = (record, change, rev) =>
    record.id === id && refuses(change)
      ? Promise.reject(new StoreError('UpdateItem: ValidationException'))
      : store.records.settle(record, change, rev);
  return replacing({ records: { settle } }, store);
}

/** The CPU time of this process alone: a busy machine does not count. */
function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('no record can stop a queue', () => {
  const unreadable = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('not for you');
    },
  });

  it.each([
    ['cannot be read', unreadable],
    ['has a message that is no text', Object.assign(new Error('x'), { message: { code: 7n } })],
    ['asks for a wait beyond all dates', new RetryAfter(1e300)],
  ])('by an error that %s', async (_, error) => {
    const harness = new Harness();
    harness.put('odd');
    await harness.pass(1);
    for (let i = 0; i < 5; i++) harness.put(`good-${i}`);
    const summary = await harness.run(
      (record) => {
        if (record.id === 'odd') throw error;
      },
      { concurrency: 1 },
    );
    expect(summary).toMatchObject({ succeeded: 5, failed: 1, ended: 'drained' });
    expect(harness.item('odd')).toMatchObject({ status: 'ERROR', attempts: 1 });
  });

  it('by an outcome that the store refuses to write', async () => {
    const harness = new Harness();
    harness.put('odd');
    await harness.pass(1);
    for (let i = 0; i < 5; i++) harness.put(`good-${i}`);
    const store = refusing(harness.store, 'odd');
    const summary = await harness.run(succeed, { concurrency: 1, store });
    expect(summary).toMatchObject({ attempted: 6, succeeded: 5, unsettled: 1, refused: 1, ended: 'drained' });
    expect(harness.warnings).toContain('the outcome of an attempt could not be written');
  });

  it('by a record that can neither be placed nor quarantined: a run on arrival counts it, too', async () => {
    const harness = new Harness();
    harness.put('odd', { lane: undefined, dueAt: undefined, backlogFormat: 99 });
    harness.put('good', { lane: undefined, dueAt: undefined });
    const store = refusing(harness.store, 'odd');
    const summary = await harness.run(succeed, { store, arrivals: { batch: '1', ids: ['odd', 'good'] } });
    expect(summary).toMatchObject({ succeeded: 1, refused: 1 });
  });

  it('by a success that the store refuses to write: it is quarantined, and not attempted again', async () => {
    const harness = new Harness();
    harness.put('odd');
    const store = refusing(harness.store, 'odd', ({ set }) => set.status === 'SUCCESS');
    expect(await harness.run(succeed, { store })).toMatchObject({ attempted: 1, dead: 1, unsettled: 0 });
    expect(harness.item('odd')).toMatchObject({
      status: 'DEAD',
      lane: 'q/dead',
      deadReason: 'quarantined: the outcome of its attempt could not be written',
    });
    expect(await harness.run(succeed, { store })).toMatchObject({ attempted: 0, ended: 'drained' });
  });

  it('by a history that its item has no room for: its failures are counted without', async () => {
    const harness = new Harness();
    harness.put('full');
    const store = refusing(harness.store, 'full', ({ set }) => (set.history?.length ?? 0) > 0);
    for (let i = 0; i < 2; i++) {
      const summary = await harness.run(fail, { store, retry: { type: 'constant', maxAttempts: 2 } });
      expect(summary).toMatchObject({ attempted: 1, unsettled: 0, ended: 'drained' });
      await harness.pass(600);
    }
    expect(harness.item('full')).toMatchObject({
      status: 'DEAD',
      attempts: 2,
      lastError: { message: 'as always', attempt: 2 },
      history: [],
    });
    expect(harness.warnings).toContain('a record has no room for its history');
  });

  it('by counts that no library ever wrote', async () => {
    const harness = new Harness();
    harness.put('odd', { failures: 3_000_000_000, attempts: 1 });
    const before = process.cpuUsage();
    await harness.run(fail, { retry: { type: 'fibonacci', maxAge: '400d' } });
    expect(cpuMsSince(before)).toBeLessThan(1_000);
    const { status, dueAt } = harness.item('odd');
    expect(status).toBe('ERROR');
    expect(Date.parse(String(dueAt)) - START).toBeLessThanOrEqual(365 * 86_400_000);
  });

  it("by a producer's own attribute of the name of ours", async () => {
    const harness = new Harness();
    const history = Array.from({ length: 6_000 }, (_, i) => ({
      name: 'E',
      message: 'm',
      at: '',
      attempt: i,
    }));
    harness.put('odd', { history });
    const before = process.cpuUsage();
    await harness.run(fail);
    expect(cpuMsSince(before)).toBeLessThan(1_000);
    expect(harness.item('odd')).toMatchObject({ status: 'ERROR', attempts: 1 });
  });

  it.each(['ERROR', 'DEAD'])(
    'does not count a record that was put as %s, and is written without an attempt',
    async (status) => {
      for (const attributes of [{ queue: 'other' }, { lane: 'q', queue: 'other', insertedAt: 12_345 }, {}]) {
        const harness = new Harness();
        harness.put('a', { status, insertedAt: 12_345, dueAt: '2026-02-01', ...attributes });
        const by = status === 'DEAD' ? { skipped: 1 } : {};
        expect(await harness.run(succeed)).toMatchObject({ failed: 0, dead: 0, ...by });
      }
      const harness = new Harness();
      harness.store.put({ id: 'b', status, payload: {}, insertedAt: 12_345 });
      const arrivals = { batch: 'x', ids: ['b'] };
      const summary = await harness.run(succeed, { arrivals, stop: AbortSignal.abort() });
      expect(summary).toMatchObject({ failed: 0, dead: 0 });
    },
  );
});
