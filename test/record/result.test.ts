import { describe, expect, it } from 'vitest';
import {
  CONTRACT_ATTRIBUTES,
  Done,
  outcomeOfReturn,
  outcomeOfThrow,
  settle,
  withinRoom,
} from '../../src/record/index.js';
import { parseNumber } from '../../src/store/dynamodb/attribute-values.js';
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

  it.each([{ resutl: 7 }, 'sent', 7, null, ['sent']])(
    'refuses %j as options, and does not quote it',
    (options) => {
      expect(() => new Done(options as never)).toThrow(/^Done: (?!.*(7|sent))/);
    },
  );

  it('is none that options inherit', () => {
    expect(new Done(Object.create({ result: 7 })).result).toBeUndefined();
  });

  it('is no promise, and one that is rejected does not end the process', async () => {
    const rejected = () => Promise.reject(new Error('not awaited'));
    for (const value of [Promise.resolve(1), rejected(), { all: [rejected(), rejected()] }]) {
      expect(keptOf(value)).toEqual({
        type: 'success',
        notKept: 'expected a value that JSON can hold, got a promise: await it',
      });
    }
    // A rejection that nothing handles would be reported now, and fail the run of the tests.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it.each<[unknown, string]>([
    [{ byId: new Map([[1, 2]]) }, 'an object of the kind Map'],
    [new Set(['tag']), 'an object of the kind Set'],
    [new TypeError('x'), 'an object of the kind Error'],
    [/x/, 'an object of the kind RegExp'],
    [new Uint8Array(3), 'an object of the kind Uint8Array'],
    [{ price: parseNumber('0.12345678901234567890') }, 'an object of the kind NumberValue'],
  ])('is not kept where JSON would turn it into something else: %o', (value, got) => {
    expect(keptOf(value)).toEqual({
      type: 'success',
      notKept: `expected a value that JSON can hold, got ${got}`,
    });
  });

  it('is kept of what has a JSON of its own', () => {
    expect(keptOf({ at: new Date(0), url: new URL('https://example.com') })).toMatchObject({
      result: '{"at":"1970-01-01T00:00:00.000Z","url":"https://example.com/"}',
    });
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
    expect(withinRoom(record({ payload: 'x'.repeat(408_500) }), success)).toEqual({
      type: 'success',
      notKept: 'its item has almost 400 KB',
    });
    expect(withinRoom(record({ payload: 'x'.repeat(400_000) }), success)).toBe(success);
    expect(withinRoom(record(), success)).toBe(success);
  });

  it('comes before the oldest attempts in an item of almost 400 KB', () => {
    const history = [1, 2, 3].map((attempt) => ({
      at: iso(0),
      attempt,
      name: 'E',
      message: 'm'.repeat(300),
    }));
    const most = 400 * 1024;
    const failed = (bytes: number) => record({ attempts: 3, history, payload: 'x'.repeat(most - bytes) });
    const kept = (bytes: number, result: string) => {
      const limits = { bytes: 2_048, entries: 20 };
      const { set } = settle(failed(bytes), { type: 'success', result }, context({ history: limits }));
      return { attempts: set.history?.map(({ attempt }) => attempt), result: set.result?.length };
    };
    expect(kept(2_900, '1')).toEqual({ attempts: [1, 2, 3, 4], result: 1 });
    expect(kept(2_900, 'r'.repeat(1_000))).toEqual({ attempts: [3, 4], result: 1_000 });
    expect(kept(100_000, 'r'.repeat(1_000))).toEqual({ attempts: [1, 2, 3, 4], result: 1_000 });
  });

  it('that is attempted again loses the result of before', () => {
    const again = record({ status: 'ERROR', result: '1' });
    expect(again).not.toHaveProperty('result');
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
    const read = record({ status: 'SUCCESS', result });
    expect(read).not.toHaveProperty('result');
    expect(read.problems).toEqual([`result: expected JSON of at most 1,024 bytes, got ${typeof result}`]);
  });

  it.each(['NEW', 'ERROR', 'DEAD'])(
    'of a record that is %s is of an earlier success, and not its own',
    (status) => {
      const read = record({ status, result: '{"invoice":7}' });
      expect(read).not.toHaveProperty('result');
      expect(read.problems).toEqual([]);
    },
  );

  it('cannot reach the prototype of objects', () => {
    const read = record({ status: 'SUCCESS', result: '{"__proto__":{"isAdmin":true}}' });
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
