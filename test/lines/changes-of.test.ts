import { describe, expect, it } from 'vitest';
import { lineChangesOf } from '../../src/lines/changes-of.js';
import { type Item, parseRecord } from '../../src/record/index.js';

const NOW = Date.UTC(2026, 0, 1);
const record = (item: Item | undefined) =>
  item && parseRecord({ id: 'a', status: 'NEW', queue: 'q', key: 'k', seq: 1, payload: 0, ...item }, NOW);
const changesOf = (before: Item | undefined, after: Item | undefined) =>
  lineChangesOf({ id: 'a', before: record(before), after: record(after) }, (queue) => queue !== 'none', {
    now: () => NOW,
  });
const PLACE = { queue: 'q', key: 'k', seq: 1 };

describe('the changes of lines', () => {
  it('are none without a key, a number or an order', () => {
    for (const item of [
      { key: undefined },
      { seq: undefined },
      { seq: 0 },
      { seq: 1.5 },
      { seq: '1' },
      { key: '' },
      { queue: 'none' },
    ])
      expect(changesOf(item, item)).toEqual([]);
  });

  it('are one of the line that a record is in', () => {
    expect(changesOf(undefined, {})).toMatchObject([{ id: 'a', place: PLACE, isOwnEnd: false }]);
    expect(changesOf({}, { payload: 2 })).toHaveLength(1);
  });

  it.each([[{ seq: 2 }], [{ key: 'l' }], [{ queue: 'r' }]])(
    'are two where it has gone elsewhere: %j',
    (to) => {
      const [left, now] = changesOf({}, to);
      expect(left).toMatchObject({ place: PLACE, record: undefined, goesOn: false });
      expect(now).toMatchObject({ place: { ...PLACE, ...to }, record: to });
    },
  );

  it('are one of the line that it has left where it is deleted, or has no order now', () => {
    for (const after of [undefined, { queue: 'none' }, { seq: undefined }])
      expect(changesOf({}, after)).toEqual([{ id: 'a', place: PLACE, record: undefined, goesOn: false }]);
  });

  it('tell that a long attempt goes on', () => {
    const until = new Date(NOW + 60_000).toISOString();
    const before = { lane: 'q', dueAt: until, notBefore: { until }, rev: 'r' };
    expect(changesOf(before, undefined)).toMatchObject([{ goesOn: true }]);
  });
});

describe('an end', () => {
  const isOwn = (before: Item | undefined, after: Item) => changesOf(before, after)[0]?.isOwnEnd;

  it('is that of an attempt if a run has written it', () => {
    expect(isOwn({ rev: 'r' }, { rev: 's', status: 'SUCCESS' })).toBe(true);
    expect(isOwn({}, { rev: 's', status: 'DEAD', deadReason: 'maxAttempts' })).toBe(true);
    expect(
      isOwn({ attempts: 1 }, { rev: 's', status: 'DEAD', deadReason: 'cancelled: so', attempts: 2 }),
    ).toBe(true);
  });

  it('is none of an attempt if a producer or an operator has', () => {
    expect(isOwn({ rev: 'r' }, { rev: 'r', status: 'SUCCESS' })).toBe(false);
    expect(isOwn({}, { status: 'SUCCESS' })).toBe(false);
    expect(isOwn({ rev: 'r' }, { rev: 's', status: 'DEAD', deadReason: 'discarded' })).toBe(false);
    expect(isOwn({ rev: 'r' }, { rev: 's', status: 'DEAD', deadReason: 'cancelled: so' })).toBe(false);
    expect(isOwn({ rev: 'r' }, { rev: 's', status: 'ERROR' })).toBe(false);
  });
});
