import { expect, it } from 'vitest';
import { memberChanges } from '../../src/groups/member-changes.js';
import { parseRecord } from '../../src/record/index.js';

const item = { id: 'r', payload: 1, memberOf: '1003#import', insertedAt: '2026-01-05T12:00:00Z' };
const other = '4#other';
const record = (attributes: object) => parseRecord({ ...item, ...attributes }, Date.UTC(2026, 1, 1));

it.each([
  ['an insertion', undefined, { status: 'NEW' }, ['waiting']],
  ['a failure', { status: 'NEW' }, { status: 'ERROR' }, ['waiting']],
  ['a success', { status: 'ERROR' }, { status: 'SUCCESS' }, ['succeeded']],
  ['a death', { status: 'ERROR' }, { status: 'DEAD', deadReason: 'maxAttempts' }, ['dead']],
  ['a death without a reason', { status: 'ERROR' }, { status: 'DEAD' }, ['dead']],
  [
    'a cancellation',
    { status: 'NEW' },
    { status: 'DEAD', deadReason: 'cancelled: by its producer' },
    ['cancelled'],
  ],
  ['a discard', { status: 'DEAD' }, { status: 'DEAD', deadReason: 'discarded' }, ['cancelled']],
  ['a redrive', { status: 'DEAD' }, { status: 'NEW' }, ['waiting']],
  ['a deletion', { status: 'NEW' }, undefined, ['removed']],
  ['the removal of one that has ended', { status: 'SUCCESS' }, undefined, ['succeeded']],
  [
    'a replacement without membership',
    { status: 'NEW' },
    { status: 'NEW', memberOf: undefined },
    ['removed'],
  ],
  ['a replacement of one that has ended', { status: 'DEAD' }, { status: 'NEW', memberOf: 7 }, ['dead']],
  ['a damaged status', undefined, { status: 'DONE?' }, ['waiting']],
  ['no member', { memberOf: 'x' }, { memberOf: undefined }, []],
])('reports %s', (_, before, after, states) => {
  const changes = memberChanges({ before: before && record(before), after: after && record(after) });
  const place = { group: 'import', page: 1, index: 3 };
  expect(changes).toEqual(states.map((state) => ({ place, state, id: 'r' })));
});

it('reports both groups when a record is replaced by a member of another one', () => {
  const changes = memberChanges({
    before: record({ status: 'NEW' }),
    after: record({ status: 'DEAD', memberOf: other }),
  });
  expect(changes.map(({ place, state }) => [place.group, state])).toEqual([
    ['import', 'removed'],
    ['other', 'dead'],
  ]);
});
