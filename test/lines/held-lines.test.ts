import { describe, expect, it } from 'vitest';
import { tidyHeldLines } from '../../src/lines/held-lines.js';
import { heldLinesKey, lineKey } from '../../src/lines/names.js';
import { MAX_HELD_KEYS, noteHeld, parseHeldNote } from '../../src/lines/note-held.js';
import type { Item } from '../../src/record/index.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import { MemoryStore } from '../../src/store/index.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';

const NOW = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

/** Lines of the queue q, and the note of those that are held. */
function bench() {
  const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
  const store = new MemoryStore({ clock });
  const lines = store.lines as MemorySharedItems;
  const line = (key: string, more: Item) =>
    lines.put(lineKey({ queue: 'q', key }), { rev: 'r', next: 1, last: 1, ...more });
  const deps = { lines, records: store.records, now: NOW, random: Math.random, hasTime: () => true };
  return {
    lines,
    deps,
    note: (...held: { key: string; isNew: boolean }[]) =>
      noteHeld('q', held, { lines, clock, random: Math.random }),
    noted: () => parseHeldNote(lines.item(heldLinesKey('q'))),
    missing: (key: string, seconds: number) => line(key, { gapSince: NOW - seconds * 1000 }),
    /** A line whose head has this status, for so many seconds. */
    headed: (key: string, status: string, seconds: number, more: Item = {}) => {
      const id = `${key}/1`;
      line(key, { head: { id, seq: 1, by: id, since: 0 } });
      store.put({ id, queue: 'q', key, seq: 1, status, dueAt: ago(seconds), payload: 0, ...more });
    },
    goesOn: (key: string) => line(key, { gapSince: null }),
    clock,
  };
}

const known = (key: string) => ({ key, isNew: false });
const fresh = (key: string) => ({ key, isNew: true });

describe('the note of lines that are held', () => {
  it('has each key once, and is written again only for what is new', async () => {
    const { note, noted } = bench();
    await note(fresh('a'), fresh('b'));
    const { rev, keys } = noted();
    expect(keys).toEqual(['a', 'b']);
    await note(known('a'));
    expect(noted().rev).toBe(rev);
    await note(fresh('a'), known('c'));
    expect(noted()).toMatchObject({ keys: ['a', 'b', 'c'], hasMore: false });
    expect(noted().rev).not.toBe(rev);
  });

  it('is of a bounded length, and says that there are more', async () => {
    const { note, noted } = bench();
    const all = Array.from({ length: MAX_HELD_KEYS + 20 }, (_, at) => fresh(`k${at}`));
    await note(...all);
    expect(noted()).toMatchObject({ hasMore: true });
    expect(noted().keys).toHaveLength(MAX_HELD_KEYS);
  });

  it('is of all that several processes note at once', async () => {
    const { note, noted } = bench();
    await Promise.all(Array.from({ length: 6 }, (_, at) => note(fresh(`k${at}`))));
    expect([...noted().keys].sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
  });

  it('gives up when others change it all the time', async () => {
    const { lines, clock } = bench();
    const writes = {
      ...lines,
      read: (keys: readonly string[]) => lines.read(keys),
      write: async () => false,
    };
    const deps = { lines: writes as unknown as typeof lines, clock, random: Math.random };
    await expect(noteHeld('q', [fresh('a')], deps)).rejects.toThrow(StoreUnavailableError);
  });

  it.each([undefined, 7, null, {}])('goes on if its rev is damaged: %s', async (rev) => {
    const { lines, note, noted, deps } = bench();
    lines.put(heldLinesKey('q'), { keys: ['old'], hasMore: false, ...(rev !== undefined && { rev }) });
    await note(fresh('a'));
    expect(noted()).toMatchObject({ rev: expect.any(String), keys: ['old', 'a'] });
    lines.put(heldLinesKey('q'), { keys: ['old'], hasMore: true, ...(rev !== undefined && { rev }) });
    expect(await tidyHeldLines('q', deps)).toEqual({ lines: [], hasMore: false });
    expect(noted()).toMatchObject({ rev: expect.any(String), keys: [], hasMore: false });
  });

  it('is read, whatever it holds', async () => {
    const { lines, deps } = bench();
    lines.put(heldLinesKey('q'), { rev: 'r', keys: [7, '', 'a', null, 'x'.repeat(300)], hasMore: 'yes' });
    expect(parseHeldNote(lines.item(heldLinesKey('q')))).toEqual({ rev: 'r', keys: ['a'], hasMore: false });
    lines.put(heldLinesKey('q'), { keys: 'all' });
    expect(await tidyHeldLines('q', deps)).toEqual({ lines: [], hasMore: false });
  });
});

describe('lines that are held', () => {
  it('are those that wait for a number, or behind a dead record, since then', async () => {
    const { note, missing, headed, deps } = bench();
    missing('a', 600);
    headed('b', 'DEAD', 60);
    headed('c', 'ERROR', 60);
    headed('d', 'DEAD', 60, { deadReason: 'discarded: not wanted' });
    await note(...['a', 'b', 'c', 'd', 'gone'].map(fresh));
    expect((await tidyHeldLines('q', deps)).lines).toEqual([
      { key: 'a', why: 'missing', since: NOW - 600_000 },
      { key: 'b', why: 'dead', since: NOW - 60_000 },
    ]);
    expect(await tidyHeldLines('other', deps)).toEqual({ lines: [], hasMore: false });
  });

  it('are not in the future, whatever times items have', async () => {
    const { note, missing, headed, deps } = bench();
    missing('a', -1e6);
    headed('b', 'DEAD', 0, { dueAt: '9999-01-01T00:00:00.000Z' });
    await note(fresh('a'), fresh('b'));
    expect((await tidyHeldLines('q', deps)).lines.map(({ since }) => since)).toEqual([NOW, NOW]);
  });

  it('are dropped from the note as they go on, and the note with the last of them', async () => {
    const { note, noted, missing, goesOn, deps } = bench();
    missing('a', 600);
    missing('b', 60);
    await note(fresh('a'), fresh('b'));
    goesOn('a');
    await tidyHeldLines('q', deps);
    expect(noted().keys).toEqual(['b']);
    goesOn('b');
    await tidyHeldLines('q', deps);
    expect(noted().rev).toBeUndefined();
  });

  it('are not dropped where one is held again while they are looked at', async () => {
    const { note, noted, missing, goesOn, lines, deps } = bench();
    missing('a', 600);
    await note(fresh('a'));
    goesOn('a');
    // The line is held again, and noted, behind the read of it and before the write of the note.
    const remove = async (key: string, rev?: string) => {
      missing('a', 0);
      await note(fresh('a'));
      return lines.remove(key, rev);
    };
    const slow = Object.assign(Object.create(lines) as typeof lines, { remove });
    await tidyHeldLines('q', { ...deps, lines: slow });
    expect(noted().keys).toEqual(['a']);
  });

  it('are not said to be none where no time was left to search all lines', async () => {
    const { note, noted, missing, goesOn, lines, deps } = bench();
    const keys = Array.from({ length: MAX_HELD_KEYS + 1 }, (_, at) => `k${at}`);
    for (const key of keys) missing(key, 60);
    await note(...keys.map(fresh));
    for (const key of keys) goesOn(key);
    const inPages = Object.assign(Object.create(lines) as typeof lines, {
      scan: async () => ({ items: [], next: 'further' }),
    });
    const late = { ...deps, lines: inPages, hasTime: () => false };
    await expect(tidyHeldLines('q', late)).rejects.toThrow('no time was left to search the lines of q');
    expect(noted()).toMatchObject({ hasMore: true });
  });

  it('are searched where more were held than the note takes', async () => {
    const { note, noted, missing, goesOn, headed, deps } = bench();
    const keys = Array.from({ length: MAX_HELD_KEYS + 30 }, (_, at) => `k${at}`);
    for (const key of keys) missing(key, 60);
    await note(...keys.map(fresh));
    expect(await tidyHeldLines('q', deps)).toMatchObject({ hasMore: true });
    for (const key of keys) goesOn(key);
    headed('last', 'DEAD', 900);
    headed('fine', 'ERROR', 900);
    expect(await tidyHeldLines('q', deps)).toEqual({
      lines: [{ key: 'last', why: 'dead', since: NOW - 900_000 }],
      hasMore: false,
    });
    expect(noted()).toMatchObject({ keys: ['last'], hasMore: false });
  });
});
