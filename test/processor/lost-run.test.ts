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
      const answer = await harness.store.holdLease('q', { holder: 'spy', until: 0, ids: [], rev: '' });
      if (!answer.held) journals.push([...(answer.lease?.ids ?? [])]);
      await harness.sleep(1);
    });
    expect(journals.slice(0, 3)).toEqual([['a'], ['b'], ['c']]);
    expect(journals[3]).toContain('other');
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
