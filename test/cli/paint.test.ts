import { describe, expect, it } from 'vitest';
import { cut, padEnd, painter, width } from '../../tools/src/cli/paint.js';

const red = painter(true)('red', 'order-7');

describe('text on a terminal', () => {
  it.each([
    ['order-7', 7],
    [red, 7],
    ['注文', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['', 0],
  ])('%j takes so many columns: %i', (text, columns) => {
    expect(width(text)).toBe(columns);
  });

  it.each([
    ['order-7', 7, 'order-7'],
    ['order-7', 4, 'ord…'],
    ['注文です', 5, '注文…'],
    ['注文です', 4, '注…'],
    ['a👩‍👩‍👧bcd', 4, 'a👩‍👩‍👧…'],
    ['a👩‍👩‍👧bcd', 3, 'a…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('%j is cut to %i columns at the end of a character: %j', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
  });

  it('ends a style behind the cut', () => {
    expect(cut(red, 4)).toBe(painter(true)('red', 'ord…'));
    expect(cut(`${red} ${red}`, 8)).toBe(`${red}…${painter(true)('red', '')}`);
  });

  it('is padded by its width', () => {
    expect(padEnd('注文', 6)).toBe('注文  ');
  });
});
