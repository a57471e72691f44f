import { expect, it } from 'vitest';
import { attributesOf, type Line } from '../../src/lines/line.js';
import { withEntries } from '../../src/lines/line-page.js';
import { lineKey, linePageKey } from '../../src/lines/names.js';
import type { MemoryStore } from '../../src/store/index.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import { consoleUnderTest, dead, get, HOUR, MINUTE, NOW, waiting } from './console-under-test.js';

const EVIL = '<img src=x onerror=alert(1)>';

/** Puts a line as the intake leaves it, with records of these numbers in its first page. */
async function putLine(store: MemoryStore, key: string, line: Line, numbers: readonly number[]) {
  const name = { queue: 'orders', key };
  const entries = numbers.map((seq) => ({ id: `r-${seq}`, seq }));
  await store.lines.write(lineKey(name), { ...attributesOf(line), rev: 'l' }, undefined);
  const page = { ...withEntries({ entries: [] }, entries, line.next), rev: 'p' };
  await store.lines.write(linePageKey(name, 0), page, undefined);
}

const behind = (id: string, key: string, seq: number) =>
  waiting(id, { key, seq, lane: undefined, dueAt: undefined });

it('says behind what a record waits, and links to the dead head of its line', async () => {
  const { app, store } = consoleUnderTest();
  store.put(dead('r-2', { key: EVIL, seq: 2 }));
  store.put(behind('r-5', EVIL, 5));
  await putLine(
    store,
    EVIL,
    { next: 2, last: 6, head: { id: 'r-2', seq: 2, by: '', since: NOW } },
    [2, 3, 4, 5, 6],
  );
  const { text } = await get(app, '/record?id=r-5');
  expect(text).toContain('>Line of its key</h2>');
  expect(text).toContain('held by a dead record');
  expect(text).toContain('number 5, behind 3 numbers');
  expect(text).toContain('is due: in the turn of its key');
  expect(text).toMatch(/<a href="\/record\?id=r-2"><bdi>r-2<\/bdi><\/a>, number 2/);
  expect(text).toContain('4 behind the head');
  expect(text).not.toContain(EVIL);
  // No rule has it next.
  expect(text).not.toContain('class="next');
  const head = (await get(app, '/record?id=r-2')).text;
  expect(head).toContain('number 2, the head');
  expect(head).not.toContain('>Head<');
});

it('says which number is missing, and which were left out', async () => {
  const { app, store } = consoleUnderTest();
  store.put(behind('r-7', 'a', 7));
  const leftOut = { from: 3, to: 4, at: NOW - HOUR };
  await putLine(store, 'a', { next: 6, last: 7, gapSince: NOW - 5 * MINUTE, leftOut }, [7]);
  const { text } = await get(app, '/record?id=r-7');
  expect(text).toContain('a number is missing');
  expect(text).toMatch(/number 6, since <time[^>]*datetime="2026-11-23T14:42:18.000Z"/);
  expect(text).toMatch(/numbers 3 to 4, <time[^>]*datetime="2026-11-23T13:47:18.000Z"/);
});

it('reads nothing for a record without a number, and each line once in half a minute', async () => {
  const { app, store, time } = consoleUnderTest();
  const reads: (readonly string[])[] = [];
  const read = store.lines.read.bind(store.lines);
  store.lines.read = (keys) => {
    reads.push(keys);
    return read(keys);
  };
  store.put(waiting('plain', { key: 'a' }));
  store.put(waiting('numbered', { key: 'b', seq: 1 }));
  for (const _ of [1, 2]) {
    expect((await get(app, '/record?id=plain')).text).not.toContain('Line of its key');
    expect((await get(app, '/record?id=numbered')).text).not.toContain('Line of its key');
  }
  expect(reads).toEqual([['line#orders#b']]);
  time.now += 31_000;
  await get(app, '/record?id=numbered');
  expect(reads).toHaveLength(2);
});

it('shows the record all the same where its line cannot be read', async () => {
  const { app, store } = consoleUnderTest();
  store.put(waiting('r', { key: 'a', seq: 1 }));
  store.lines.read = async () => {
    throw new StoreUnavailableError('no answer');
  };
  const { status, text } = await get(app, '/record?id=r');
  expect(status).toBe(200);
  expect(text).toContain('It cannot be read: <bdi>no answer</bdi>');
});
