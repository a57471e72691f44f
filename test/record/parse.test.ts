import { describe, expect, it } from 'vitest';
import { parseRecord } from '../../src/record/index.js';
import { iso, NOW } from './records.js';

const minimal = { id: 'r', status: 'NEW', payload: { a: 1 } };

describe('a record as a foreign producer wrote it', () => {
  it('needs an id, a status and a payload; everything else has a default', () => {
    expect(parseRecord(minimal, NOW)).toMatchObject({
      id: 'r',
      status: 'NEW',
      payload: { a: 1 },
      queue: 'default',
      insertedAt: iso(0),
      attempts: 0,
      failures: 0,
      history: [],
      attributes: {},
      problems: [],
    });
  });

  it('reads the history that earlier versions wrote, and leaves out what is none', () => {
    const old = { name: 'TypeError', message: 'x', at: iso(0), attempt: 1 };
    const success = { at: iso(1), attempt: 2, ms: 5, outcome: 'succeeded' };
    const odd = { at: 7, attempt: 'two', ms: 'long', outcome: 1, stack: 7, next: null, more: 1 };
    const { history } = parseRecord({ ...minimal, history: [old, success, 'text', null, odd] }, NOW);
    expect(history).toEqual([old, success, { at: '', attempt: 0 }]);
    expect(parseRecord({ ...minimal, history: 'none' }, NOW).history).toEqual([]);
  });

  it('keeps what the producer stored beside', () => {
    expect(parseRecord({ ...minimal, customer: 7 }, NOW).attributes).toEqual({ customer: 7 });
  });

  it.each([
    ['a misspelt status', { status: 'new' }, { status: 'NEW' }, 'status'],
    ['no status', { status: undefined }, { status: 'NEW' }, 'status'],
    ['a number as insertion time', { insertedAt: 1772366400 }, { insertedAt: iso(0) }, 'insertedAt'],
    ['an insertion time far ahead', { insertedAt: iso(301) }, { insertedAt: iso(0) }, 'insertedAt'],
    ['a queue with blanks', { queue: 'my queue' }, { queue: 'default' }, 'queue'],
    ['a queue of 129 letters', { queue: 'q'.repeat(129) }, { queue: 'default' }, 'queue'],
    ['a number as lane, from before there was an index', { lane: 4 }, { lane: undefined }, 'lane'],
    ['attempts as text', { attempts: '3' }, { attempts: 0 }, 'attempts'],
    ['a trace that is a number', { traceparent: 7 }, { traceparent: undefined }, 'traceparent'],
    ['a trace that is malformed', { traceparent: 'x' }, { traceparent: undefined }, 'traceparent'],
    ['a policy nobody knows', { retry: { type: 'fibonaci' } }, { retry: undefined }, 'retry'],
  ])('%s is replaced by its default and named', (_, attributes, parsed, named) => {
    const found = parseRecord({ ...minimal, ...attributes }, NOW);
    expect(found).toMatchObject(parsed);
    expect(found.problems.join()).toContain(named);
  });

  it('an insertion time that cannot be read falls back on the due time, which does not move with every reading', () => {
    expect(parseRecord({ ...minimal, insertedAt: 'yesterday', dueAt: iso(-100) }, NOW).insertedAt).toBe(
      iso(-100),
    );
  });

  it('and one that has failed is at least as old as its first failure, wherever its due time has moved', () => {
    const failed = { ...minimal, firstFailureAt: iso(-900), dueAt: iso(-100) };
    expect(parseRecord(failed, NOW).insertedAt).toBe(iso(-900));
  });

  it.each([
    ['with an offset', '2026-03-01T13:00:00+02:00', '2026-03-01T11:00:00.000Z'],
    ['without milliseconds', '2026-03-01T11:00:00Z', '2026-03-01T11:00:00.000Z'],
    ['a little ahead', iso(299), iso(299)],
  ])('a time %s is read as it is meant', (_, written, read) => {
    expect(parseRecord({ ...minimal, insertedAt: written }, NOW)).toMatchObject({
      insertedAt: read,
      problems: [],
    });
  });

  it('no problem tells what the payload holds', () => {
    const problems = parseRecord(
      { ...minimal, status: 'secret-value', insertedAt: 'secret-value' },
      NOW,
    ).problems;
    expect(problems.join()).not.toContain('secret-value');
  });
});
