import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { itemBytes } from '../../src/record/item-size.js';
import { holdAttributes, leaseKey } from '../../src/store/dynamodb/lease-item.js';
import { iso, NOW } from './records.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('the size of an item, as DynamoDB counts it', () => {
  it.each([
    ['the UTF-8 bytes of names and texts', { id: 'ü', größe: '🧾' }, 2 + 2 + 7 + 4],
    ['one byte for null and booleans', { a: null, b: true }, 4],
    ['half a byte per digit and one more for numbers', { n: 1234 }, 1 + 3],
    ['another for the sign', { n: -123.5 }, 1 + 4],
    ['nothing for zeros at the ends', { n: 1000, m: 0.001 }, 4 + 2],
    ['the digits of bigints', { n: 12345678901234567890n }, 1 + 11],
    [
      'the digits of numbers that JavaScript has not',
      { n: NumberValue.from('-0.12345678901234567890') },
      1 + 12,
    ],
    ['3 bytes for a list and one per element', { l: ['ab', 'c'] }, 1 + 3 + 2 + 3],
    ['3 bytes for a map and one per entry', { m: { a: 'x', bc: null } }, 1 + 3 + 2 + (1 + 1) + (2 + 1)],
    ['the elements of a set', { s: new Set(['ab', 'c']) }, 1 + 3],
    ['bytes as they are', { b: new Uint8Array(7) }, 1 + 7],
    ['nothing for what is undefined', { a: undefined, m: { b: undefined } }, 1 + 3],
  ])('counts %s', (_, item, bytes) => {
    expect(itemBytes(item)).toBe(bytes);
  });

  it('is below 4 KB for a lease with a journal of 100 UUIDs and a cursor, so that it costs 4 write units', () => {
    const ids = Array.from({ length: 100 }, (_, i) => uuid(i));
    const { set } = holdAttributes({ holder: uuid(1), until: NOW, ids, rev: 'abcdefgh' });
    const place = [uuid(2), iso()];
    const key = leaseKey('a-queue-with-a-long-name#31:6');
    expect(
      itemBytes({ key, ...set, cursor: [...place, ...place], woken: true, lost: 10 }),
    ).toBeLessThanOrEqual(4096);
  });
});
