import { NumberValue } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BacklogClient, InvalidRecordError, type NewRecord } from '../../src/index.js';
import { plainOfReceived } from '../fuzz/plain.js';
import { anyText } from '../fuzz/raw-values.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { startDynamoDb } from '../store/start-dynamodb.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let underTest: DynamoDbUnderTest;
let backlog: BacklogClient;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
  backlog = new BacklogClient({ table: underTest.tables.records, endpoint: dynamoDb.endpoint });
});
afterAll(async () => {
  await underTest.close();
  await dynamoDb.stop();
});

/** The embedded database takes it for no name of a map. */
function protoUnlessHidden(value: unknown): object {
  return process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT ? { ['__proto__']: value } : {};
}

const names = fc.oneof(
  fc.constantFrom(
    ...Object.keys(protoUnlessHidden(1)),
    'constructor',
    'toString',
    'toBigInt',
    'toJSON',
    'S',
    ' ',
    '#n',
    'a.b[0]',
    '\ud800',
  ),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const odd = fc.constantFrom<unknown>(
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MIN_VALUE,
  Number.MAX_VALUE,
  9.999e125,
  Number('1.2345678901234568e25'),
  Number('1.2345678901234568e-10'),
  2 ** 53,
  2n ** 53n + 1n,
  10n ** 38n - 1n,
  10n ** 38n + 1n,
  10n ** 130n,
  'half a pair: \udfff',
  '\u0000',
  Symbol('s'),
  () => 1,
  new Date(0),
  new Date(Number.NaN),
  new Map([[1, 2]]),
  /x/,
  new Error('no'),
  Promise.resolve(1),
  new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('not for you');
      },
    },
  ),
  new Array(3),
  new Array(2 ** 32 - 1),
  new Set(),
  new Set(['', 'a']),
  new Set([1, 1n]),
  new Set([1, 'a']),
  new Set([new Uint8Array([1]), new Uint8Array([1])]),
  new Set(['\ud800', '\udfff']),
  new Float64Array([1.5]),
  new ArrayBuffer(2),
  new SharedArrayBuffer(2),
  { toBigInt: () => 1n },
  Object.create({ inherited: 1 }),
  Object.defineProperty({}, 'getter', {
    enumerable: true,
    get: () => {
      throw new Error('not for you');
    },
  }),
);
const anything = fc.oneof(
  { weight: 2, arbitrary: odd },
  {
    weight: 3,
    arbitrary: fc.anything({
      key: names,
      values: [anyText(), fc.double(), fc.bigInt(), fc.boolean(), fc.constant(null), odd],
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    }),
  },
);

/**
 * The part of a value that is data: as in JSON, `undefined` in a map is no entry. Bytes are bytes, whatever shows
 * them.
 */
function data(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Set) return new Set([...value].map(data));
  if (Array.isArray(value)) return value.map(data);
  if (typeof value !== 'object' || value === null || value instanceof NumberValue) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.fromEntries(entries.map(([name, child]) => [name, data(child)]));
}

const plain = (value: unknown) => JSON.stringify(plainOfReceived(data(value)));

describe('any value of JavaScript', () => {
  it('is stored and comes back as it was, or is refused by name; the others of its batch go in', async () => {
    let stored = 0;
    let refused = 0;
    let trials = 0;
    const trial = fc.asyncProperty(fc.array(anything, { minLength: 20, maxLength: 20 }), async (payloads) => {
      const name = `t${trials++}`;
      const records = payloads.map((payload, i): NewRecord => ({ id: `${name}-${i}`, payload }));
      const good: NewRecord = { id: `${name}-good`, payload: { good: true } };
      const { inserted, failed, duplicates } = await backlog.insertMany([...records, good]);
      expect(inserted + failed.length).toBe(21);
      expect(duplicates).toEqual([]);
      const ids = [...records, good].map(({ id }) => String(id));
      const read = new Map((await underTest.store.records.getMany(ids)).map((record) => [record.id, record]));
      expect(read.get(`${name}-good`)?.payload).toEqual({ good: true });
      for (const { id, payload } of records) {
        const failure = failed.find((one) => one.id === id);
        if (failure) {
          refused++;
          expect(failure.error).toBeInstanceOf(InvalidRecordError);
          expect(failure.error.message).toMatch(
            /^record t\d+-\d+: (.*payload|a value of it cannot be read)|^record .t\d+-\d+.: payload/s,
          );
          expect(failure.error.message.length).toBeLessThan(400);
        } else {
          stored++;
          expect(plain(read.get(String(id))?.payload)).toBe(plain(payload));
        }
      }
    });
    await fc.assert(trial, { numRuns: 15, seed: 5, endOnFailure: true });
    expect([stored, refused].every((count) => count > 50)).toBe(true);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'half of a surrogate pair',
      () => ['a', 'b\ud800'],
      /^record r: payload\[1\] has half of a surrogate pair/,
    ],
    ['half of one in a name', () => ({ a: { 'b\udc00': 1 } }), /^record r: a name in payload\.a has half of/],
    ['what holds itself', () => cyclic(), /payload(\.self)+.* is nested deeper than 32 levels/],
    ['the same object many times over', () => doubled(30), /more than 409600 values/],
    ['a fraction of 39 digits', () => 10n ** 38n + 1n, /payload has more than 38 significant digits/],
    ['a set with a member twice', () => new Set([1, 1n]), /payload is a set that has a member twice/],
    ['a set with an empty member', () => new Set(['']), /payload is a set with an empty member/],
    ['a hole in a list', () => new Array(2), /payload\[0\] is undefined; use null in lists/],
    [
      'a getter that throws',
      () => ({
        get mine() {
          throw new Error('not for you');
        },
      }),
      /^record r: a value of it cannot be read$/,
    ],
  ])('is refused: %s', async (_, payload, reason) => {
    await expect(backlog.insert({ id: 'r', payload: payload() })).rejects.toThrow(reason);
    const { inserted, failed } = await backlog.insertMany([{ payload: 1 }, { id: 'r', payload: payload() }]);
    expect([inserted, failed.length]).toEqual([1, 1]);
    expect(failed[0]?.error).toBeInstanceOf(InvalidRecordError);
  });

  it('is no record: what is none stops no other', async () => {
    const unreadable = {
      get id() {
        throw new Error('not for you');
      },
      payload: 1,
    };
    const none: unknown[] = [
      undefined,
      null,
      7,
      'text',
      [],
      () => 1,
      unreadable,
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw 1;
          },
        },
      ),
    ];
    const { inserted, failed } = await backlog.insertMany([...none, { payload: 1 }] as NewRecord[]);
    expect([inserted, failed.map(({ index }) => index)]).toEqual([1, none.map((_, i) => i)]);
    for (const { error } of failed) expect(error).toBeInstanceOf(InvalidRecordError);
    await expect(backlog.insert(unreadable as never)).rejects.toThrow(InvalidRecordError);
  });

  it('that was handed over by a handler can be put again: numbers of 38 digits, bytes and sets', async () => {
    const payload = {
      big: 10n ** 37n + 1n,
      exact: NumberValue.from('0.12345678901234567890123456789012345678'),
      bytes: new Uint8Array([0, 255]),
      set: new Set(['a', 'b']),
      ...protoUnlessHidden({ constructor: 1 }),
    };
    await backlog.insert({ id: 'first', payload });
    const [first] = await underTest.store.records.getMany(['first']);
    await backlog.insert({ id: 'second', payload: first?.payload });
    const [second] = await underTest.store.records.getMany(['second']);
    expect(plain(second?.payload)).toBe(plain(payload));
  });

  it('an attribute of the name __proto__ beside the payload is refused: it would be lost', async () => {
    const attributes = JSON.parse('{"__proto__":1}');
    await expect(backlog.insert({ id: 'r', payload: 1, attributes })).rejects.toThrow(
      /of the name __proto__/,
    );
  });
});

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

/** Two to the power of the levels, if each is looked at. */
function doubled(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value, value];
  return value;
}
