import { describe, expect, test } from 'vitest';
import { Harness, START, succeed } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

describe('after a run was lost', () => {
  /** The lease of a run that never came back, with these records under attempt. */
  async function lose(ids: readonly string[]): Promise<Harness> {
    const harness = new Harness();
    for (const id of ids) harness.put(id);
    await harness.store.holdLease('q', { holder: 'lost', until: START + 70_000, ids, rev: 'unwritten' });
    return harness;
  }

  /** The ids that the lease of the lane names at the moment. */
  async function journal(harness: Harness): Promise<string[]> {
    const answer = await harness.store.holdLease('q', { holder: 'spy', until: 0, ids: [], rev: '' });
    return answer.held ? [] : [...(answer.lease?.ids ?? [])];
  }

  test('its lane is blocked until its lease has run out, and not longer', async () => {
    const harness = await lose(['a', 'b']);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'held', attempted: 0 });
    await harness.pass(74);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'held', attempted: 0 });
    await harness.pass(2);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'drained', succeeded: 2 });
  });

  test('the only record under attempt gets a failure without another attempt', async () => {
    const harness = await lose(['a']);
    await harness.pass(80);
    const attempted: string[] = [];
    await harness.run((record) => void attempted.push(record.id));
    expect(attempted).toEqual([]);
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      attempts: 1,
      failures: 1,
      lastError: { name: 'WorkerLost' },
    });
  });

  test('several are attempted alone, one after the other, each journalled by itself', async () => {
    const harness = await lose(['a', 'b', 'c']);
    await harness.pass(80);
    harness.put('other');
    const journals: string[][] = [];
    await harness.run(async () => {
      journals.push(await journal(harness));
      await harness.sleep(1);
    });
    expect(journals.slice(0, 3)).toEqual([['a'], ['b'], ['c']]);
    expect(journals[3]).toContain('other');
  });

  test('those that a run gives back in doubt are attempted alone by the next one, and the others behind them', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'other']) harness.put(id);
    await harness.store.holdLease('q', { holder: 'ended', until: START, ids: [], rev: 'r' });
    await harness.store.releaseLease('q', 'ended', { suspects: ['a', 'b'] });
    const journals: Record<string, string[]> = {};
    await harness.run(async ({ id }) => {
      journals[id] = await journal(harness);
      await harness.sleep(1);
    });
    expect(journals).toMatchObject({ a: ['a'], b: ['b'] });
    expect(journals.other).toContain('other');
  });

  test('who was left in doubt remains so while the queue is paused', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) harness.put(id);
    const lost = {
      holder: 'lost',
      until: START + 70_000,
      ids: ['a'],
      rev: 'unwritten',
      suspects: ['b', 'c'],
    };
    await harness.store.holdLease('q', lost);
    await harness.pass(80);
    await harness.store.setPaused('q', true);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'paused', attempted: 0 });
    await harness.store.setPaused('q', false);
    const journals: string[][] = [];
    await harness.run(async () => {
      journals.push(await journal(harness));
      await harness.sleep(1);
    });
    expect(journals).toEqual([['a'], ['b'], ['c']]);
  });

  test('a record that ended its process is attempted alone ever after, behind the others', async () => {
    const harness = new Harness();
    const lastError = { name: 'WorkerLost', message: 'gone', at: iso(-60), attempt: 1 };
    harness.put('poison', {
      status: 'ERROR',
      attempts: 1,
      failures: 1,
      lastFailureAt: iso(-60),
      lastError,
      dueAt: iso(-1),
    });
    for (let i = 0; i < 5; i++) harness.put(`good-${i}`);
    const order: string[] = [];
    await harness.run((record) => void order.push(record.id), { concurrency: 1 });
    expect(order).toHaveLength(6);
    expect(order.at(-1)).toBe('poison');
  });

  test('no more than twenty are attempted alone in one run', async () => {
    const harness = new Harness();
    const lastError = { name: 'WorkerLost', message: 'gone', at: iso(-60), attempt: 1 };
    for (let i = 0; i < 30; i++) {
      harness.put(`p${i}`, {
        status: 'ERROR',
        attempts: 1,
        failures: 1,
        lastFailureAt: iso(-60),
        lastError,
        dueAt: iso(-1),
      });
    }
    expect(await harness.run(succeed)).toMatchObject({ attempted: 20, leftOver: 10 });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 10, ended: 'drained' });
  });

  test('a lost worker kills no record before its second attempt, under any policy', async () => {
    const once = { type: 'none' as const };
    const harness = await lose(['a']);
    await harness.pass(80);
    await harness.run(succeed, { retry: once });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 1 });
    await harness.store.holdLease('q', {
      holder: 'lost',
      until: harness.clock.wall() + 120_000,
      ids: ['a'],
      rev: 'unwritten',
    });
    await harness.pass(200);
    await harness.run(succeed, { retry: once });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', deadReason: 'maxAttempts', attempts: 2 });
  });
});
