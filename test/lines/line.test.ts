import { describe, expect, it } from 'vitest';
import { attributesOf, NEW_LINE, parseLine } from '../../src/lines/line.js';
import { parsePage } from '../../src/lines/line-page.js';
import { hasEnded, orderRulesOf } from '../../src/lines/rules.js';
import { parseRecord } from '../../src/record/index.js';

const FULL = {
  ...{ next: 5, last: 9, head: { id: 'a', seq: 5, by: 'b', since: 4 }, back: 2, backTo: 3, ahead: 90 },
  ...{ gapSince: 1.5, until: 2, cancelTo: 7, leftOut: { from: 1, to: 2, at: 3 } },
};

describe('a line', () => {
  it('is read as it was written', () => {
    expect(parseLine({ ...attributesOf({ ...FULL, rev: 'x' }), rev: 'r' })).toEqual({ ...FULL, rev: 'r' });
    expect(parseLine({ ...attributesOf(NEW_LINE), rev: 'r' })).toEqual({ ...NEW_LINE, rev: 'r' });
    expect(parseLine(undefined)).toEqual(NEW_LINE);
  });

  it.each(['x', -1, 0, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, true, [], {}, null])(
    'has defaults for what is no number of a record: %s',
    (wrong) => {
      const item = Object.fromEntries(Object.keys(FULL).map((name) => [name, wrong]));
      const { gapSince: _, until: __, ...line } = parseLine({ ...item, rev: 5 });
      expect(line).toEqual(NEW_LINE);
    },
  );

  it('has no time that is none', () => {
    for (const wrong of ['x', Number.NaN, Number.POSITIVE_INFINITY, null, {}])
      expect(parseLine({ gapSince: wrong, until: wrong })).toEqual(NEW_LINE);
  });
});

it('a page leaves out what is no entry, and sorts the others', () => {
  const waiting = [2, 'b', 1, 'c', 1, 'a', 0, 'x', '3', 'x', 4, 5, 6];
  expect(parsePage({ rev: 'r', waiting })).toEqual({
    ...{ rev: 'r', hasBack: false },
    entries: [
      { seq: 1, id: 'a' },
      { seq: 1, id: 'c' },
      { seq: 2, id: 'b' },
    ],
  });
  for (const wrong of ['x', 1, null, { length: 4 }])
    expect(parsePage({ rev: 1, waiting: wrong }).entries).toEqual([]);
});

it('a queue has order by its settings', () => {
  expect(orderRulesOf({})).toBeUndefined();
  expect(orderRulesOf({ order: 'key' })).toEqual({ onDeadHead: 'hold', skipGapAfter: 120 });
  const own = { onDeadHead: 'skip', skipGapAfter: 'never' } as const;
  expect(orderRulesOf({ order: 'key', ...own })).toEqual({ onDeadHead: 'skip', skipGapAfter: undefined });
});

it('a turn is over with success, removal, or a death that holds up no one', () => {
  const ended = (status: string, deadReason: string, onDeadHead: 'hold' | 'skip' | 'cancel') =>
    hasEnded(parseRecord({ id: 'a', status, deadReason }, 0), { onDeadHead, skipGapAfter: 1 });
  expect(hasEnded(undefined, { onDeadHead: 'hold', skipGapAfter: 1 })).toBe(true);
  expect(['NEW', 'ERROR', 'SUCCESS', 'DEAD'].map((status) => ended(status, 'x', 'hold'))).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(['discarded', 'cancelled: x'].map((reason) => ended('DEAD', reason, 'hold'))).toEqual([true, true]);
  expect([ended('DEAD', 'x', 'skip'), ended('DEAD', 'x', 'cancel')]).toEqual([true, true]);
});
