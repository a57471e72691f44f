import { NumberValue } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attributes,
  toAttributes,
  toAttributeValue,
  toItem,
  toValue,
} from '../../src/store/dynamodb/attribute-values.js';
import { StoreError } from '../../src/store/errors.js';

const NAMES = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'S', 'M'];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'grapheme', minLength: 1 }));
/** Numbers of up to 38 digits. */
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(String),
  fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 37n }), fc.integer({ min: 1, max: 30 })).map(([n, at]) => {
    const digits = String(n).padStart(at + 1, '0');
    return `${digits.slice(0, -at)}.${digits.slice(-at).replace(/0+$/, '')}1`;
  }),
);
const bytes = fc.uint8Array({ maxLength: 9 });
const { attribute } = fc.letrec<{ attribute: unknown; attributes: unknown }>((tie) => ({
  attributes: fc
    .uniqueArray(fc.tuple(name, tie('attribute')), { selector: ([key]) => key, maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
  attribute: fc.oneof(
    { maxDepth: 6 },
    fc.record({ S: fc.string({ unit: 'grapheme' }) }),
    fc.record({ N: number }),
    fc.record({ BOOL: fc.boolean() }),
    fc.constant({ NULL: true }),
    fc.record({ B: bytes }),
    fc.record({ SS: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }) }),
    fc.record({ NS: fc.uniqueArray(number, { minLength: 1, maxLength: 4 }) }),
    fc.record({ BS: fc.uniqueArray(bytes, { selector: String, minLength: 1, maxLength: 4 }) }),
    fc.record({ L: fc.array(tie('attribute'), { maxLength: 4 }) }),
    fc.record({ M: tie('attributes') }),
  ),
}));
const item = fc
  .uniqueArray(fc.tuple(name, attribute), { selector: ([key]) => key, maxLength: 8 })
  .map((entries) => Object.fromEntries(entries) as Attributes);

describe('attribute values', () => {
  it('come back as they were, whatever an item holds', () => {
    fc.assert(
      fc.property(item, (stored) => {
        // As text: equality of objects does not look at a property of the name __proto__.
        expect(text(toAttributes(toItem(stored)))).toBe(text(stored));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keep every name of a map as data', () => {
    const payload: unknown = JSON.parse(
      '{"__proto__": {"value": "1"}, "constructor": "McLaren", "toString": 1, "hasOwnProperty": {"__proto__": []}}',
    );
    const stored = toAttributeValue(payload);
    expect(Object.keys(stored.M ?? {})).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
    expect(JSON.stringify(toValue(stored))).toBe(JSON.stringify(payload));
    expect(Object.getPrototypeOf(toValue(stored))).toBe(Object.prototype);
    expect(({} as { value?: unknown }).value).toBeUndefined();
  });

  it('are JavaScript numbers where those hold them, and exact where not', () => {
    const read = (N: string) => toValue({ N });
    expect(read('12')).toBe(12);
    expect(read('-0.5')).toBe(-0.5);
    expect(read('1E+125')).toBe(1e125);
    // As DynamoDB writes what was put as 1.2345678901234568e-10 and 1.2345678901234568e+25.
    expect(read('0.00000000012345678901234568')).toBe(1.2345678901234568e-10);
    expect(read('12345678901234568000000000')).toBe(1.2345678901234568e25);
    expect(read('0E-37')).toBe(0);
    expect(read('12345678901234567890123456789012345678')).toBe(12345678901234567890123456789012345678n);
    expect(read('0.1234567890123456789')).toEqual(NumberValue.from('0.1234567890123456789'));
    expect(toAttributeValue(NumberValue.from('0.1234567890123456789'))).toEqual({
      N: '0.1234567890123456789',
    });
  });

  it('take what is empty, and leave out what is undefined', () => {
    const empty = { text: '', bytes: new Uint8Array(), list: [], map: {}, nothing: null, gone: undefined };
    expect(toAttributes(empty)).toEqual({
      text: { S: '' },
      bytes: { B: new Uint8Array() },
      list: { L: [] },
      map: { M: {} },
      nothing: { NULL: true },
    });
    expect(toItem(toAttributes(empty))).toEqual({
      text: '',
      bytes: new Uint8Array(),
      list: [],
      map: {},
      nothing: null,
    });
  });

  it('hold the bytes of any view of a buffer, and no more', () => {
    const { buffer } = new Uint8Array([1, 2, 3, 4]);
    expect(toAttributeValue(new DataView(buffer, 1, 2))).toEqual({ B: new Uint8Array([2, 3]) });
    expect(toAttributeValue(buffer)).toEqual({ B: new Uint8Array([1, 2, 3, 4]) });
  });

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['an instance of a class', new Date(0)],
    ['an empty set', new Set()],
    ['a mixed set', new Set(['a', 1])],
    ['a set of lists', new Set([[1]])],
  ])('cannot be made of %s', (_name, value) => {
    expect(() => toAttributes({ value })).toThrow(StoreError);
  });
});

/** A value as text, with numbers in one form: 1.1e-7 and 0.00000011 are the same to DynamoDB. */
function text(value: unknown): string {
  return JSON.stringify(value, (key, part) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString('hex');
    if (key === 'N' && typeof part === 'string') return decimal(part);
    return key === 'NS' && Array.isArray(part) ? part.map(decimal) : part;
  });
}

function decimal(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === '' ? '0' : `${sign}${significant}e${power}`;
}

it('bytes of an item are its own: a handler that overwrites them leaves what DynamoDB answered as it was', () => {
  const stored = { one: { B: new Uint8Array([1, 2]) }, set: { BS: [new Uint8Array([3])] } };
  const { one, set } = toItem(stored) as { one: Uint8Array; set: Set<Uint8Array> };
  one.fill(0);
  for (const bytes of set) bytes.fill(0);
  expect(stored).toEqual({ one: { B: new Uint8Array([1, 2]) }, set: { BS: [new Uint8Array([3])] } });
});
