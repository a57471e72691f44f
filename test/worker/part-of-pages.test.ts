import { describe, expect, it } from 'vitest';
import type { IndexKey } from '../../src/store/store.js';
import { PartOfPages } from '../../src/worker/guards/part-of-pages.js';
import type { PageSource } from '../../src/worker/pages.js';

const keys = (from: number, to: number, bytes = 1): IndexKey[] =>
  Array.from({ length: to - from }, (_, i) => ({
    id: `${from + i}`.padStart(Math.max(bytes, 3), '0'),
    dueAt: 'x',
  }));

/** Pages of an index, as long as they are asked for. It notes how long that is. */
function indexOf(all: readonly IndexKey[]) {
  const limits: number[] = [];
  let at = 0;
  const next = async (limit: number) => {
    limits.push(limit);
    const page = all.slice(at, at + limit);
    at += page.length;
    return page.length > 0 ? page : undefined;
  };
  const pages: PageSource = {
    first: async (limit) => (await next(limit)) ?? [],
    begin: () => [],
    next,
    reached: () => {},
    cursor: () => undefined,
  };
  return { pages, limits };
}

const numbersOf = (page: readonly IndexKey[] | undefined) => page?.map(({ id }) => Number(id));
const all = (page: readonly IndexKey[]) => page;

describe('pages of parts of the index', () => {
  it('are the pages of the index where all is to be read', async () => {
    const { pages, limits } = indexOf(keys(0, 25));
    const parts = new PartOfPages(pages, all, () => 1);
    expect(numbersOf(await parts.first(10))).toEqual(numbersOf(keys(0, 10)));
    expect(parts.begin()).toHaveLength(10);
    expect(await parts.next(10)).toHaveLength(10);
    expect(numbersOf(await parts.next(10))).toEqual([20, 21, 22, 23, 24]);
    expect(await parts.next(10)).toBeUndefined();
    expect(limits.slice(0, 3)).toEqual([10, 10, 10]);
  });

  it('have parts of several of these, each key once and in order', async () => {
    const { pages } = indexOf(keys(0, 1_000));
    const tenth = (page: readonly IndexKey[]) => page.filter(({ id }) => Number(id) % 10 === 0);
    const parts = new PartOfPages(pages, tenth, () => 30);
    expect(numbersOf(await parts.first(20))).toEqual(Array.from({ length: 30 }, (_, i) => i * 10));
    const rest = [
      ...((await parts.next(20)) ?? []),
      ...((await parts.next(20)) ?? []),
      ...((await parts.next(20)) ?? []),
    ];
    expect(numbersOf(rest)).toEqual(Array.from({ length: 70 }, (_, i) => 300 + i * 10));
    expect(await parts.next(20)).toBeUndefined();
  });

  it('are empty, or there is none, where nothing is to be read', async () => {
    const parts = new PartOfPages(
      indexOf(keys(0, 50)).pages,
      () => [],
      () => 1,
    );
    expect(await parts.first(10)).toEqual([]);
    expect(await parts.next(10)).toBeUndefined();
  });

  it('have no more ids than a journal names, however many parts they are made of', async () => {
    const { pages } = indexOf(keys(0, 100, 2_000));
    const every = (page: readonly IndexKey[]) => page.filter(({ id }) => Number(id) % 2 === 0);
    const parts = new PartOfPages(pages, every, () => 100);
    const found: number[] = [];
    for (let page = await parts.first(10); page.length > 0; page = (await parts.next(10)) ?? []) {
      expect(page.reduce((sum, { id }) => sum + id.length, 0)).toBeLessThanOrEqual(65_536);
      found.push(...(numbersOf(page) ?? []));
    }
    expect(found).toEqual(Array.from({ length: 50 }, (_, i) => i * 2));
  });

  it('sum up the ids of their parts', async () => {
    const { pages } = indexOf(keys(0, 100, 2_000));
    // Five of each ten keys are left: two parts are 20 KB.
    let calls = 0;
    const few = (page: readonly IndexKey[]) => {
      calls++;
      return page.slice(0, 5);
    };
    const parts = new PartOfPages({ ...pages, next: () => pages.next(10, 0) }, few, () => 100);
    const page = await parts.first(10);
    expect(page).toHaveLength(32);
    expect(calls).toBe(7);
    expect(await parts.next(10)).toHaveLength(18);
  });

  it('have one id that is larger than that', async () => {
    const parts = new PartOfPages(indexOf(keys(0, 3, 70_000)).pages, all, () => 10);
    expect(await parts.first(10)).toHaveLength(1);
    expect(await parts.next(10)).toHaveLength(1);
    expect(await parts.next(10)).toHaveLength(1);
    expect(await parts.next(10)).toBeUndefined();
  });
});
