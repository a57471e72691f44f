import { describe, expect, it } from 'vitest';
import { hasPattern } from '../../src/operate/message-pattern.js';
import { patternsOf } from '../../src/overview/message-pattern.js';

describe('the pattern of a message', () => {
  it.each([
    ['unknown article 7791-B', 'unknown article {id}'],
    [
      'no answer within 10 s: PUT erp.example.com/orders/118342',
      'no answer within {n} s: PUT erp.example.com/orders/{n}',
    ],
    ['HTTP 503 from https://erp.example.com: {"error":"down"}', '{"error":"down"}'],
    ['HTTP 503 from https://erp.example.com', 'HTTP 503'],
    ['no answer from https://erp.example.com within 10 s', 'no answer within {n} s'],
    ['no answer from https://erp.example.com: connection refused', 'connection refused'],
    ['record 0b8f2c1e-5d8a-4b7e-9d0a-1f2e3d4c5b6a is locked', 'record {id} is locked'],
    ['order-2026-118342 failed at 2026-11-23T14:05:03.123Z', '{id} failed at {time}'],
    [
      'maintenance of warehouse 3, 7 of 12 left, 250ms',
      'maintenance of warehouse {n}, {n} of {n} left, {n}ms',
    ],
    ['the ERP answered 503 after 503 tries of 9', 'the ERP answered 503 after 503 tries of {n}'],
    ['Größe-12 of  2026-118342\n is -5', '{id} of {id} is -{n}'],
    ['', ''],
  ])('%s', (message, pattern) => {
    expect(patternsOf([message])).toEqual([pattern]);
    expect(hasPattern(message, pattern)).toBe(true);
  });

  const customers = ['Ada', 'Bob', 'Cleo', 'Dan', 'Eve'];
  const locked = customers.map((name, i) => `customer ${name} of ${['Rome', 'Oslo'][i % 2]} is locked`);

  it('has no word that differs from record to record', () => {
    const pattern = 'customer {word} of {word} is locked';
    expect(patternsOf(locked)).toEqual(locked.map(() => pattern));
    expect(hasPattern('customer Zoe of Lima is locked', pattern)).toBe(true);
    expect(hasPattern('customer Zoe of Lima is gone', pattern)).toBe(false);
    expect(hasPattern('customer Zoe Smith of Lima is locked', pattern)).toBe(false);
  });

  it('keeps words that differ in a few messages only, or that many records share', () => {
    const few = locked.slice(0, 3);
    expect(patternsOf(few)).toEqual(few);
    const reasons = ['refused', 'reset', 'closed', 'lost'].map((word) => `connection ${word}`);
    const often = reasons.flatMap((message) => Array.from({ length: 9 }, () => message));
    expect(new Set(patternsOf(often))).toEqual(new Set(reasons));
  });

  it('does not join messages of which less than half of the words are the same', () => {
    const texts = ['{id} refused', '{id} locked', '{id} lost', '{id} old'];
    expect(patternsOf(texts)).toEqual(texts);
  });

  it('is short for hostile messages, and tells 1,000 of them apart', () => {
    for (const message of ['a-'.repeat(500_000), '1'.repeat(1_000_000), 'x1_ '.repeat(300_000)]) {
      expect((patternsOf([message])[0] ?? '').length).toBeLessThanOrEqual(1_000);
    }
    const words = Array.from(
      { length: 1_000 },
      (_, i) => `${'same '.repeat(11)}${`${letters(i)} `.repeat(12)}`,
    );
    expect(new Set(patternsOf(words)).size).toBe(1_000);
  });
});

/** A word without digits, another one for each number. */
const letters = (i: number) => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
