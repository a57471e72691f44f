import { describe, expect, it } from 'vitest';
import {
  CONTRACT_ATTRIBUTES,
  Done,
  hasRoomForResult,
  outcomeOfReturn,
  outcomeOfThrow,
  settle,
} from '../../src/record/index.js';
import { context, iso, record } from './records.js';

const keptOf = (value: unknown) => outcomeOfReturn(new Done({ result: value }));

describe('a result that an attempt gives', () => {
  it.each<[unknown, string]>([
    [{ invoice: 'INV-7', lines: [1, 2] }, '{"invoice":"INV-7","lines":[1,2]}'],
    ['sent', '"sent"'],
    [0, '0'],
    [false, 'false'],
    [null, 'null'],
    // DynamoDB has no room for these as its own types.
    [1e200, '1e+200'],
    [new Date('2026-01-01T00:00:00Z'), '"2026-01-01T00:00:00.000Z"'],
    ['\ud83d', '"\\ud83d"'],
    [{ a: undefined, b: Number.NaN }, '{"b":null}'],
  ])('is kept as JSON: %j', (value, result) => {
    expect(keptOf(value)).toEqual({ type: 'success', result });
    expect(outcomeOfThrow(new Done({ result: value }))).toEqual({ type: 'success', result });
  });

  it('is kept up to 1,024 bytes, of which a letter may have several', () => {
    expect(keptOf('x'.repeat(1_022))).toMatchObject({ type: 'success', result: expect.any(String) });
    expect(keptOf('x'.repeat(1_023))).toEqual({
      type: 'success',
      notKept: 'expected at most 1024 bytes of JSON, got 1025',
    });
    expect(keptOf('é'.repeat(600))).toMatchObject({ notKept: expect.stringContaining('got 1202') });
  });

  it.each<[string, unknown]>([
    ['a function', () => 7],
    ['a symbol', Symbol('s')],
    ['a bigint', 7n],
    ['what holds itself', circular()],
    ['what throws when it is read', { toJSON: () => thrower() }],
  ])('is not kept where it is no JSON: %s. The attempt is a success', (_, value) => {
    expect(keptOf(value)).toEqual({ type: 'success', notKept: 'expected a value that JSON can hold' });
  });

  it('may be absent', () => {
    expect(keptOf(undefined)).toEqual({ type: 'success' });
    expect(outcomeOfReturn(new Done({}))).toEqual({ type: 'success' });
  });

  it('of another copy of this package, as of a version that has none', () => {
    const branded = (more: object) =>
      outcomeOfReturn({ [Symbol.for('dynamo-backlog.outcome')]: 'done', ...more });
    expect(branded({})).toEqual({ type: 'success' });
    expect(branded({ result: 7 })).toEqual({ type: 'success', result: '7' });
  });

  it.each([{ resutl: 7 }, 'sent', 7, null])('refuses %j as options', (options) => {
    expect(() => new Done(options as never)).toThrow(/^Done/);
  });
});

describe('a success with a result', () => {
  const success = { type: 'success', result: '{"invoice":7}' } as const;

  it('writes it with the outcome', () => {
    expect(settle(record(), success, context())).toEqual({
      set: { status: 'SUCCESS', attempts: 1, lastAttemptAt: iso(0), result: '{"invoice":7}' },
      remove: ['lane', 'dueAt', 'notBefore', 'deadReason'],
    });
  });

  it('has no room for it in an item of almost 400 KB', () => {
    expect(hasRoomForResult(record({ payload: 'x'.repeat(408_500) }), success.result)).toBe(false);
    expect(hasRoomForResult(record({ payload: 'x'.repeat(400_000) }), success.result)).toBe(true);
    expect(hasRoomForResult(record(), success.result)).toBe(true);
  });

  it('that is attempted again loses the result of before', () => {
    const again = record({ result: '1' });
    expect(settle(again, { type: 'success' }, context()).remove).toContain('result');
    expect(settle(again, { type: 'failure', error: { name: 'E', message: '' } }, context()).remove).toContain(
      'result',
    );
    const next = settle(again, success, context());
    expect(next.set.result).toBe(success.result);
    expect(next.remove).not.toContain('result');
  });
});

describe('the attribute of a result', () => {
  it.each<[string, unknown]>([
    ['{"invoice":7}', { invoice: 7 }],
    ['null', null],
    ['""', ''],
    ['1e+200', 1e200],
  ])('is read: %s', (text, result) => {
    const read = record({ status: 'SUCCESS', result: text });
    expect(read.result).toEqual(result);
    expect(read.problems).toEqual([]);
  });

  it('adds no property to a record without one', () => {
    expect(record()).not.toHaveProperty('result');
    expect(record({ result: null })).not.toHaveProperty('result');
  });

  it.each<[unknown]>([
    ['{'],
    [''],
    [7],
    [{ invoice: 7 }],
    ['"'.padEnd(1_025, 'x')],
    [`[${'1,'.repeat(600)}1]`],
  ])('that a producer wrote is named and left out: %j', (result) => {
    const read = record({ result });
    expect(read).not.toHaveProperty('result');
    expect(read.problems).toEqual([`result: expected JSON of at most 1,024 bytes, got ${typeof result}`]);
  });

  it('cannot reach the prototype of objects', () => {
    const read = record({ result: '{"__proto__":{"isAdmin":true}}' });
    expect((read.result as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('is of the contract, and none of the producer', () => {
    expect(CONTRACT_ATTRIBUTES.has('result')).toBe(true);
    expect(record({ result: '1' }).attributes).toEqual({});
  });
});

function circular(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

function thrower(): never {
  throw new Error('secret');
}
