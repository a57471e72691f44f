import { expect, it } from 'vitest';
import type { StoreUnderTest } from './under-test.js';

/** The insertion of records that get the next numbers of their line. */
export function insertingNumbered(current: () => StoreUnderTest): void {
  let lines = 0;
  const line = () => {
    const name = `numbered-${lines++}`;
    const ids = (...some: readonly string[]) => some.map((id) => `${name}/${id}`);
    return {
      key: `line-number#conformance#${name}`,
      insert: (...some: readonly string[]) =>
        current().numbered.insert(
          `line-number#conformance#${name}`,
          ids(...some).map((id) => ({ id, status: 'NEW', payload: 1 })),
        ),
      seqs: (...some: readonly string[]) =>
        Promise.all(ids(...some).map(async (id) => (await current().raw(id))?.seq)),
    };
  };

  it('gives the next numbers, and none to ids that are there', async () => {
    const { insert, seqs } = line();
    expect(await insert('a', 'b')).toEqual(['inserted', 'inserted']);
    expect(await insert('b', 'c')).toEqual(['duplicate', 'inserted']);
    expect(await seqs('a', 'b', 'c')).toEqual([1, 2, 3]);
  });

  it.each([
    ['none', {}],
    ['a text', { given: 'x' }],
    ['null', { given: null }],
    ['a fraction', { given: 1.5 }],
    ['a large number', { given: 10n ** 30n }],
    ['a number of 38 digits', { given: 12345678901234567890123456789012345678n }],
    ['a list', { given: [7] }],
    ['a map', { given: { N: '7' } }],
    ['bytes', { given: new Uint8Array([7]) }],
    ['a set', { given: new Set(['7']) }],
  ])('begins at 1 where the last number is damaged: %s', async (_, damaged) => {
    const { key, insert, seqs } = line();
    await current().putControl(key, damaged);
    expect(await insert('a', 'b')).toEqual(['inserted', 'inserted']);
    expect(await insert('c')).toEqual(['inserted']);
    expect(await seqs('a', 'b', 'c')).toEqual([1, 2, 3]);
  });
}
