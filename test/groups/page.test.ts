import { describe, expect, it } from 'vitest';
import { memberText, placeOf } from '../../src/groups/names.js';
import { GroupPage, MEMBER_STATES, type MemberState } from '../../src/groups/page.js';
import { seededRandom } from '../../src/support/seeded-random.js';

describe('a page of a group', () => {
  it('keeps the state of each member, as it is written and read again', () => {
    const random = seededRandom(3);
    for (const size of [0, 1, 2, 7, 999, 1000]) {
      const expected = new Map<number, MemberState>();
      let page = GroupPage.opened(size, 5);
      for (let step = 0; step < 300 && size > 0; step++) {
        const index = Math.floor(random() * size);
        const state = MEMBER_STATES[Math.floor(random() * MEMBER_STATES.length)] as MemberState;
        expected.set(index, state);
        page = page.with(new Map([[index, state]])) ?? page;
      }
      const read = GroupPage.parse({ ...page.attributes(), rev: 'a' });
      const states = Array.from({ length: size }, (_, index) => read?.stateAt(index));
      expect(states).toEqual(states.map((_, index) => expected.get(index) ?? 'waiting'));
      const total = Object.values(read?.counts() ?? {}).reduce((sum, count) => sum + count, 0);
      expect(total).toBe(size);
      expect(read?.places('waiting')).toEqual(
        states.flatMap((state, index) => (state === 'waiting' ? [index] : [])),
      );
    }
  });

  it('is the same page where nothing changes, and leaves out places that it does not have', () => {
    const page = GroupPage.opened(3, 0);
    expect(page.with(new Map([[0, 'waiting']]))).toBeUndefined();
    expect(page.with(new Map([[3, 'dead']]))).toBeUndefined();
    expect(page.with(new Map([[2, 'dead']]))?.counts()).toMatchObject({ waiting: 2, dead: 1 });
    expect(page.counts()).toMatchObject({ waiting: 3, dead: 0 });
  });

  it('is below 1 KB with its key, so that a write of it is one unit', () => {
    const { states } = GroupPage.opened(1_000, 0).attributes();
    const others = 'key group-page#999# states size until rev'.length + 128 + 22 + 3 * 21;
    expect((states as Uint8Array).length + others).toBeLessThan(1_024);
  });

  it.each([
    ['no bytes', { states: 'x', size: 2 }],
    ['too few bytes', { states: new Uint8Array(1), size: 3 }],
    ['too many members', { states: new Uint8Array(501), size: 1_001 }],
    ['no number', { states: new Uint8Array(1), size: 'two' }],
    ['a negative number', { states: new Uint8Array(0), size: -1 }],
  ])('is damaged with %s', (_, item) => {
    expect(GroupPage.parse({ ...item, until: 0, rev: 'a' })).toBeUndefined();
  });

  it('takes a state that this version does not know for one that waits', () => {
    const page = GroupPage.parse({ states: new Uint8Array([0xf1]), size: 2, until: 0, rev: 'a' });
    expect(page?.counts()).toMatchObject({ waiting: 1, succeeded: 1 });
  });
});

describe('the attribute memberOf', () => {
  it('names a place', () => {
    for (const place of [
      { group: 'a', page: 0, index: 0 },
      { group: 'im#port 7/ü', page: 3, index: 41 },
      { group: 'x'.repeat(128), page: 999, index: 999 },
    ])
      expect(placeOf(memberText(place))).toEqual(place);
  });

  it.each([
    undefined,
    7,
    '',
    '7',
    '#a',
    '7#',
    '-1#a',
    '1.5#a',
    '1000000#a',
    '99999999#a',
    `1#${'x'.repeat(129)}`,
    ['7#a'],
    { S: '7#a' },
  ])('is none: %j', (value) => {
    expect(placeOf(value)).toBeUndefined();
  });
});
