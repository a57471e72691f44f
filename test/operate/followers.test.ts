import { describe, expect, it } from 'vitest';
import { RecordLines } from '../../src/lines/index.js';
import { deployed, QUEUES } from '../cli/work/ordered.js';

/** A line whose head, number 1, waits for its second attempt: three records wait behind it. */
async function held(onDeadHead: 'hold' | 'skip' | 'cancel' = 'hold') {
  const bench = deployed(QUEUES, { onDeadHead });
  bench.work(({ id }, attempt) => (id === 'a1' && attempt < 4 ? -1 : 1));
  bench.come('a', 1, 2, 3, 4);
  await bench.world.pass(10);
  expect(bench.begun).toEqual(['a1']);
  const { memory, clock } = bench.world;
  const lines = new RecordLines({ table: 'records', controlTable: 'control', store: memory, clock });
  const ids = ['a1', 'a2', 'a3', 'a4'];
  return {
    ...bench,
    lane: () => ids.map((id) => memory.item(id)?.lane),
    status: () => ids.map((id) => memory.item(id)?.status),
    line: () => lines.get({ queue: 'orders', key: 'a' }),
  };
}

describe('a selection in a queue with order', () => {
  it('has the heads of lines alone, as it reads the index', async () => {
    const { operator, status, world, witness, begun } = await held();
    const waiting = { queue: 'orders', key: 'a', status: ['NEW', 'ERROR'] } as const;
    for (const act of [
      operator.runNow(waiting, { dryRun: true }),
      operator.snooze(waiting, { delay: 60, dryRun: true }),
      operator.discard(waiting, { dryRun: true }),
      operator.move(waiting, { queue: 'r', dryRun: true }),
    ])
      expect(await act).toMatchObject({ matched: 1 });
    expect(await operator.discard(waiting)).toMatchObject({ changed: 1 });
    await world.pass(60);
    expect(status()).toEqual(['DEAD', 'SUCCESS', 'SUCCESS', 'SUCCESS']);
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(witness.violations).toEqual([]);
  });
});

describe('a selection of the whole table', () => {
  const waiting = { key: 'a', status: ['NEW', 'ERROR'] } as const;

  it('runs followers now only in their turns', async () => {
    const { operator, lane, world, witness, begun, status } = await held();
    expect(await operator.runNow(waiting)).toMatchObject({ changed: 4 });
    await world.pass(8);
    expect(lane().slice(1)).toEqual([undefined, undefined, undefined]);
    await world.pass(100);
    expect(begun).toEqual(['a1', 'a1', 'a1', 'a1', 'a2', 'a3', 'a4']);
    expect(status()).toEqual(Array.from({ length: 4 }, () => 'SUCCESS'));
    expect(witness.violations).toEqual([]);
  });

  it('snoozes followers: none is attempted before that time, nor before its turn', async () => {
    const { operator, world, witness, begun } = await held();
    const followers = ['a2', 'a3', 'a4'];
    expect(await operator.snooze(followers, { delay: 200 })).toMatchObject({ changed: 3 });
    await world.pass(180);
    expect(begun).toEqual(['a1', 'a1', 'a1', 'a1']);
    await world.pass(60);
    expect(begun.slice(4)).toEqual(followers);
    expect(witness.violations).toEqual([]);
  });

  it('snoozed for less than the head takes, followers wait for their turns', async () => {
    const { operator, world, witness, begun, lane } = await held();
    await operator.snooze(['a2', 'a3'], { delay: 12 });
    await world.pass(25);
    expect(lane().slice(1)).toEqual([undefined, undefined, undefined]);
    await world.pass(120);
    expect(begun).toEqual(['a1', 'a1', 'a1', 'a1', 'a2', 'a3', 'a4']);
    expect(witness.violations).toEqual([]);
  });

  it('discards the whole line, and none of it is attempted any more', async () => {
    const { operator, world, begun, status, line } = await held();
    expect(await operator.discard(waiting)).toMatchObject({ changed: 4 });
    await world.pass(200);
    expect(begun).toEqual(['a1']);
    expect(status()).toEqual(['DEAD', 'DEAD', 'DEAD', 'DEAD']);
    expect(await line()).toMatchObject({ state: 'idle', waiting: 0 });
  });

  it('discards followers, and the line goes on with the next one', async () => {
    const { operator, world, witness, begun, line } = await held();
    expect(await operator.discard(['a2', 'a3'])).toMatchObject({ changed: 2 });
    await world.pass(120);
    expect(begun).toEqual(['a1', 'a1', 'a1', 'a1', 'a4']);
    expect(await line()).toMatchObject({ next: 5, state: 'idle' });
    expect(witness.violations).toEqual([]);
  });

  it('moves none of a line', async () => {
    const { operator, world, witness, status } = await held();
    expect(await operator.move(waiting, { queue: 'r' })).toMatchObject({
      ...{ matched: 4, changed: 0 },
      skipped: { numbered: 4 },
    });
    await world.pass(120);
    expect(status()).toEqual(Array.from({ length: 4 }, () => 'SUCCESS'));
    expect(witness.violations).toEqual([]);
  });
});

describe('a redrive in a queue with order', () => {
  it('brings back followers that were cancelled with their head, in their order', async () => {
    const bench = deployed(QUEUES, { onDeadHead: 'cancel' });
    const { world, operator, begun, witness } = bench;
    let isDown = true;
    bench.work(({ id }) => (isDown && id === 'a1' ? -1 : 1), 30, 2);
    bench.come('a', 1, 2, 3, 4);
    await world.pass(120);
    const statusOf = () => ['a1', 'a2', 'a3', 'a4'].map((id) => world.memory.item(id)?.status);
    expect(statusOf()).toEqual(['DEAD', 'DEAD', 'DEAD', 'DEAD']);
    isDown = false;
    expect(await operator.redrive({ queue: 'orders', key: 'a' })).toMatchObject({ changed: 1 });
    expect(await operator.redrive({ queue: 'orders', key: 'a', deadReason: 'cancelled' })).toMatchObject({
      changed: 3,
    });
    await world.pass(120);
    expect(begun.slice(2)).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(statusOf()).toEqual(Array.from({ length: 4 }, () => 'SUCCESS'));
    expect(witness.violations).toEqual([]);
  });
});
