import { describe, expect, it, vi } from 'vitest';
import { RecordLines } from '../../src/lines/index.js';
import { lineKey, linePageKey } from '../../src/lines/names.js';
import { deployed, QUEUES } from '../cli/work/ordered.js';
// Loaded in real time, in which virtual time would go on.
import '../../src/lines/waiting-ids.js';

/** A line of four, whose head waits for its second attempt. Number 1 is the head, unless it has succeeded. */
async function held(onDeadHead: 'hold' | 'skip' | 'cancel' = 'hold', head = 'a1') {
  const bench = deployed(QUEUES, { onDeadHead });
  bench.work(({ id }, attempt) => (id === head && attempt < 4 ? -1 : 1));
  bench.come('a', 1, 2, 3, 4);
  for (let i = 0; i < 12 && bench.begun.at(-1) !== head; i++) await bench.world.pass(10);
  expect(bench.begun.at(-1)).toBe(head);
  const { memory, clock } = bench.world;
  const lines = new RecordLines({ table: 'records', controlTable: 'control', store: memory, clock });
  const ids = ['a1', 'a2', 'a3', 'a4'];
  return {
    ...bench,
    memory,
    lane: () => ids.map((id) => memory.item(id)?.lane),
    status: () => ids.map((id) => memory.item(id)?.status),
    line: () => lines.get({ queue: 'orders', key: 'a' }),
  };
}

describe('a selection of a queue with order', () => {
  it('without a key has the heads of lines alone, as it reads the index', async () => {
    const { operator, status, world, witness, begun } = await held();
    const waiting = { queue: 'orders', status: ['NEW', 'ERROR'] } as const;
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

describe.each([
  ['the whole table', { key: 'a', status: ['NEW', 'ERROR'] }],
  ['the queue', { queue: 'orders', key: 'a', status: ['NEW', 'ERROR'] }],
] as const)('a selection of a key in %s', (_, waiting) => {
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

describe('a selection of a key and its queue', () => {
  const waiting = { queue: 'orders', key: 'a', status: ['NEW', 'ERROR'] } as const;

  it('has each record once, also one that is in the index for a moment, and those of no other key', async () => {
    const { operator, come, memory, world } = await held();
    come('b', 1);
    await world.pass(5);
    await operator.runNow(['a2']);
    expect(memory.item('a2')).toHaveProperty('lane');
    expect(await operator.discard(waiting, { dryRun: true })).toMatchObject({ matched: 4 });
    const exported: unknown[] = [];
    for await (const { id } of operator.export(waiting)) exported.push(id);
    expect(exported.sort()).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(await operator.discard({ ...waiting, queue: ['mails'] })).toMatchObject({ matched: 0 });
  });

  it('has one that is noted at two numbers once, and a head that lies in no lane', async () => {
    const { operator, memory } = await held();
    const name = { queue: 'orders', key: 'a' };
    const line = { rev: '', ...(await memory.lines.read([lineKey(name)])).get(lineKey(name)) };
    await memory.lines.write(lineKey(name), { ...line, last: 31 }, line.rev);
    const gone = Array.from({ length: 110 }, (_, i) => [16, `gone-${i}`]);
    await memory.lines.create(linePageKey(name, 1), { rev: 'r', waiting: [...gone, [31, 'a2']].flat() });
    memory.put({ id: '', ...memory.item('a1'), lane: undefined, dueAt: undefined });
    expect(await operator.discard(waiting, { dryRun: true })).toMatchObject({ matched: 4 });
  });

  it('reads the line where it is for records that wait, and not for dead ones', async () => {
    const { operator, memory } = await held();
    const reads = vi.spyOn(memory.lines, 'getMany');
    await operator.redrive({ queue: 'orders', key: 'a' }, { dryRun: true });
    await operator.runNow({ queue: 'orders' }, { dryRun: true });
    expect(reads).not.toHaveBeenCalled();
    await operator.runNow({ queue: 'orders', key: 'a' }, { dryRun: true });
    expect(reads).toHaveBeenCalled();
  });

  it('has those of a long line, and not one that is gone', async () => {
    const { operator, come, memory, world, begun, witness } = await held();
    come('a', ...Array.from({ length: 246 }, (_, i) => i + 5));
    await world.pass(10);
    memory.delete('a7');
    expect(await operator.discard(waiting)).toMatchObject({ changed: 249, failed: 0 });
    await world.pass(300);
    expect(begun).toEqual(['a1']);
    expect(world.statuses()).toEqual({ DEAD: 249 });
    expect(witness.violations).toEqual([]);
  });

  it.each([['a1'], ['a2']])(
    'ends with the head %s: none has its turn while others are given up, however slowly',
    async (head) => {
      const { operator, world, begun } = await held('hold', head);
      const before = new Set(begun);
      const discarded = operator.discard(waiting, { perSecond: 0.1 });
      await world.pass(200);
      expect(await discarded).toMatchObject({ changed: head === 'a1' ? 4 : 3 });
      expect(new Set(begun)).toEqual(before);
    },
  );
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
