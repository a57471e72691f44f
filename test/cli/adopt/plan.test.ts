import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/record/index.js';
import { planAdoption } from '../../../tools/src/cli/adopt/plan.js';
import type { AdoptionRules } from '../../../tools/src/cli/adopt/rules.js';

const NOW = Date.parse('2026-11-20T09:30:00.000Z');
const MONTH_AGO = '2026-10-20T09:30:00.000Z';
const RULES: AdoptionRules = {
  sources: { status: 'STATE', insertedAt: 'DATE_INSERTED' },
  statuses: { OPEN: 'NEW', DONE: 'SUCCESS', BROKEN: 'ERROR', LOST: 'DEAD', '0': 'NEW' },
  utcOffsetMinutes: 0,
  undatedNow: false,
  leastAgeSeconds: 0,
};
const OLD = { id: 'a', STATE: 'OPEN', DATE_INSERTED: MONTH_AGO, payload: 1 };

function plan(item: Item, rules: Partial<AdoptionRules> = {}) {
  return planAdoption({ id: 'a', ...item }, { ...RULES, ...rules }, NOW);
}
function written(item: Item, rules: Partial<AdoptionRules> = {}) {
  const found = plan(item, rules);
  if (found.do !== 'write') throw new Error(`left: ${JSON.stringify(found.left)}`);
  return found;
}
function left(item: Item, rules: Partial<AdoptionRules> = {}) {
  const found = plan(item, rules);
  if (found.do !== 'leave') throw new Error(`written: ${JSON.stringify(found.change)}`);
  return found.left;
}

describe('an item that waits', () => {
  it('gets what it lacks, due since it was inserted; what it has stays', () => {
    expect(written(OLD)).toMatchObject({
      lane: 'default',
      change: {
        set: { status: 'NEW', insertedAt: MONTH_AGO, lane: 'default', dueAt: MONTH_AGO },
        copy: {},
        remove: [],
      },
      notes: [],
    });
    expect(Object.keys(written(OLD).change.set)).toHaveLength(4);
  });

  it('that follows the contract already is only indexed', () => {
    const item = { status: 'NEW', insertedAt: MONTH_AGO, queue: 'orders', payload: 1 };
    expect(written(item).change.set).toEqual({ lane: 'orders', dueAt: MONTH_AGO });
  });

  it('that has failed brings its failures along, so that the policy counts on', () => {
    const sources = { ...RULES.sources, failures: 'FAILURES', lastFailureAt: 'LAST' };
    const item = { ...OLD, STATE: 'BROKEN', FAILURES: '6', LAST: 1_795_167_000 };
    expect(written(item, { sources }).change.set).toMatchObject({
      status: 'ERROR',
      failures: 6,
      lastFailureAt: '2026-11-20T09:30:00.000Z',
    });
  });

  it('is written only if what is written is still not there', () => {
    const sources = { ...RULES.sources, failures: 'FAILURES' };
    const { asRead } = written({ ...OLD, STATE: 'BROKEN', FAILURES: 6 }, { sources });
    expect(asRead).toHaveProperty('failures', undefined);
    expect(asRead).toHaveProperty('FAILURES', 6);
  });

  it('gets its payload copied by DynamoDB, and is not held up by what it holds meanwhile', () => {
    const sources = { ...RULES.sources, payload: 'BODY' };
    const { payload: _, ...item } = OLD;
    const found = written({ ...item, BODY: { x: 1 } }, { sources });
    expect(found.change.copy).toEqual({ payload: 'BODY' });
    expect(found.asRead).not.toHaveProperty('BODY');
    expect(written({ ...OLD, BODY: 2 }, { sources }).change.copy).toEqual({});
  });

  it('is of the queue that it names, or else of the one that the user does', () => {
    expect(written(OLD, { queue: 'orders' }).change.set).toMatchObject({ queue: 'orders', lane: 'orders' });
    expect(written({ ...OLD, queue: 'bulk' }, { queue: 'orders' }).lane).toBe('bulk');
    const sources = { ...RULES.sources, queue: 'KIND' };
    expect(written({ ...OLD, KIND: 'bulk' }, { sources, queue: 'orders' }).change.set).toMatchObject({
      queue: 'bulk',
      lane: 'bulk',
    });
  });

  it('that was given up is listed with the dead', () => {
    expect(written({ ...OLD, STATE: 'LOST' })).toMatchObject({
      lane: 'default/dead',
      change: { set: { status: 'DEAD' } },
    });
  });

  it('may not expire', () => {
    expect(written({ ...OLD, expiresAt: 1_795_167_000 }).change.remove).toEqual(['expiresAt']);
  });

  it('without a time counts as inserted now, and that is noted', () => {
    const found = written({ STATE: 'OPEN', payload: 1 });
    expect(found.change.set).toMatchObject({ insertedAt: '2026-11-20T09:30:00.000Z' });
    expect(found.notes).toEqual(['undated']);
  });

  it('of the contract without a time is left alone where the table has a stream: it may be under its first attempt', () => {
    const item = { status: 'NEW', queue: 'orders', payload: 1 };
    expect(left(item, { leastAgeSeconds: 960 })).toEqual({ reason: 'undated', detail: '' });
    expect(written(item, { leastAgeSeconds: 0 }).lane).toBe('orders');
    // The intake takes none of another status.
    expect(written({ STATE: 'OPEN', payload: 1 }, { leastAgeSeconds: 960 }).lane).toBe('default');
  });

  it('has its write fenced by all that the decision was made by', () => {
    expect(written(OLD).asRead).toEqual({
      lane: undefined,
      dueAt: undefined,
      rev: undefined,
      status: undefined,
      queue: undefined,
      insertedAt: undefined,
      availableAt: undefined,
      STATE: 'OPEN',
      DATE_INSERTED: MONTH_AGO,
    });
  });

  it('notes what is worth knowing', () => {
    const { payload: _, ...item } = OLD;
    const odd = { ...item, DATE_INSERTED: '2026-10-20 09:30:00', retry: { type: 'fibonaci' } };
    expect(written(odd).notes).toEqual(['zoneless', 'noPayload', 'odd']);
  });

  it('is adopted once: what was written is left alone', () => {
    const { set } = written(OLD).change;
    expect(left({ ...OLD, ...set })).toEqual({ reason: 'indexed' });
  });
});

describe('an item that is done', () => {
  it('gets the status that says so, or it would be taken for new; no place, and no more', () => {
    const found = written({ ...OLD, STATE: 'DONE' });
    expect(found.change).toEqual({ set: { status: 'SUCCESS' }, copy: {}, remove: [] });
    expect(found.lane).toBeUndefined();
    expect(left({ ...OLD, STATE: 'DONE', status: 'SUCCESS' })).toEqual({ reason: 'done' });
  });
});

describe('a status', () => {
  it('is what the user says it means, numbers included', () => {
    expect(written({ ...OLD, STATE: 0 }).status).toBe('NEW');
    expect(written({ id: 'a', status: 'OPEN', payload: 1 }).change.set).toMatchObject({ status: 'NEW' });
  });

  it('in the contract’s words needs no mapping', () => {
    expect(written({ ...OLD, STATE: 'ERROR' }).status).toBe('ERROR');
  });

  it.each([
    [{ STATE: 'PARKED' }, { reason: 'unknownStatus', detail: 'STATE = "PARKED"' }],
    [{ STATE: 'open' }, { reason: 'unknownStatus', detail: 'STATE = "open"' }],
    [{ STATE: ['OPEN'] }, { reason: 'unknownStatus', detail: 'STATE = a list' }],
    [{ status: 'new' }, { reason: 'unknownStatus', detail: 'status = "new"' }],
    [{ STATE: 'toString' }, { reason: 'unknownStatus', detail: 'STATE = "toString"' }],
    [{ STATE: null }, { reason: 'noStatus', detail: 'STATE' }],
    [{ STATE: undefined }, { reason: 'noStatus', detail: 'STATE' }],
  ])('%j is left alone, never guessed', (change, reason) => {
    expect(left({ ...OLD, ...change })).toEqual(reason);
  });

  it('that is absent is what the user says it is', () => {
    expect(written({ payload: 1 }, { statuses: { '': 'NEW' } }).status).toBe('NEW');
  });

  it('that the library has written is not mapped again', () => {
    const statuses = { ERROR: 'DEAD' } as const;
    const item = { status: 'ERROR', rev: 'abcdefgh', payload: 1, insertedAt: MONTH_AGO };
    expect(written(item, { statuses }).status).toBe('ERROR');
  });
});

describe('what cannot be read for certain', () => {
  it.each([
    [{ DATE_INSERTED: '11/12/2026' }, 'DATE_INSERTED: no time that can be read for certain'],
    [{ DATE_INSERTED: '2027-01-01T00:00:00Z' }, 'DATE_INSERTED: a time that lies ahead'],
    [{ insertedAt: 7 }, 'insertedAt: no time that can be read for certain'],
    [{ queue: 'EU West' }, 'queue: no name of a queue'],
  ])('%j leaves the item alone', (change, detail) => {
    expect(left({ ...OLD, ...change })).toEqual({ reason: 'unreadable', detail });
  });

  it('a time may count as now, if the user wants it', () => {
    expect(written({ ...OLD, DATE_INSERTED: 'long ago' }, { undatedNow: true }).change.set).toMatchObject({
      insertedAt: '2026-11-20T09:30:00.000Z',
    });
  });

  it('an attribute of theirs with the name of one of the library is not destroyed', () => {
    expect(left({ ...OLD, dueAt: '2026-12-24' })).toEqual({ reason: 'inTheWay', detail: 'dueAt' });
    expect(left({ ...OLD, lane: 'left' })).toEqual({ reason: 'inTheWay', detail: 'lane' });
    expect(left({ ...OLD, backlogFormat: 2 })).toEqual({ reason: 'inTheWay', detail: 'backlogFormat' });
    expect(left({ ...OLD, rev: '3-9af' })).toEqual({ reason: 'inTheWay', detail: 'rev' });
    expect(left({ ...OLD, result: { status: 503 } })).toEqual({ reason: 'inTheWay', detail: 'result' });
    expect(written({ ...OLD, rev: 'abcdefgh', dueAt: MONTH_AGO }).lane).toBe('default');
  });
});

it('an item that has just come is left to the intake, which may be attempting it', () => {
  const rules = { leastAgeSeconds: 900 };
  expect(left({ ...OLD, DATE_INSERTED: NOW - 600_000 }, rules).reason).toBe('young');
  expect(written({ ...OLD, DATE_INSERTED: NOW - 901_000 }, rules).lane).toBe('default');
});
