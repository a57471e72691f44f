import { describe, expect, it } from 'vitest';
import { heldBack } from '../../src/lines/held-back.js';
import type { BacklogRecord } from '../../src/record/index.js';
import { OneLine } from './one-line.js';

const verdict = async (
  line: OneLine,
  id: string,
  given: Parameters<Awaited<ReturnType<typeof heldBack>>['verdictOf']>[1],
) => {
  const record = line.record(id) as BacklogRecord;
  return (await heldBack([record], line.store.lines)).verdictOf(record, given);
};
const OUT = { do: 'correct', change: { set: {}, remove: ['lane', 'dueAt', 'exact'] } };

describe('a run', () => {
  it('attempts the record whose turn it is, and takes others out of the index', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    expect(await verdict(line, '1', { do: 'attempt' })).toEqual({ do: 'attempt' });
    for (const what of ['attempt', 'expire'] as const)
      expect(await verdict(line, '2', { do: what })).toEqual(OUT);
    expect(await verdict(line, '2', { do: 'reschedule', dueAt: 1 })).toEqual(OUT);
    expect(await verdict(line, '2', { do: 'skip', reason: 'notDue' })).toEqual(OUT);
  });

  it('leaves alone what is in another lane, or may be under attempt', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    const moved = { do: 'skip', reason: 'moved' } as const;
    expect(await verdict(line, '2', moved)).toEqual(moved);
    line.put('2', 2, { notBefore: { until: '2026-01-02T00:00:00.000Z', lane: 'q' } });
    const notDue = { do: 'skip', reason: 'notDue' } as const;
    expect(await verdict(line, '2', notDue)).toEqual(notDue);
    expect(await verdict(line, '2', { do: 'lost' })).toEqual({ do: 'lost' });
  });

  it('attempts none of a line that has no head, or whose head has another number', async () => {
    const line = new OneLine();
    line.put('1', 1);
    expect(await verdict(line, '1', { do: 'attempt' })).toEqual(OUT);
    await line.come(1);
    line.put('1', 2);
    expect(await verdict(line, '1', { do: 'attempt' })).toEqual(OUT);
  });

  it('reads no line for records without a key or number, or that have ended', async () => {
    const line = new OneLine();
    line.put('none', 1, { seq: undefined });
    line.put('text', 1, { seq: '1' });
    line.put('ended', 1, { status: 'DEAD' });
    const records = line.store.items().map(({ id }) => line.record(String(id)) as BacklogRecord);
    const getMany = () => Promise.reject(new Error('no line is to be read'));
    const held = await heldBack(records, { getMany });
    expect(held.others).toEqual(records);
  });
});
