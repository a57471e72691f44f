import { expect, it } from 'vitest';
import { heldLinesKey } from '../../src/lines/names.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import {
  consoleUnderTest,
  dead,
  get,
  HOUR,
  inRetry,
  MINUTE,
  NOW,
  post,
  runtimeUnderTest,
  waiting,
} from './console-under-test.js';
import { behind, headOf, noteHeld, putLine } from './stored-lines.js';

const EVIL = '<img src=x onerror=alert(1)>';

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
  expect(text).toContain('Held by a dead record');
  expect(text).toContain('number 5, behind 3 numbers');
  expect(text).toContain('is due: in the turn of its key');
  expect(text).toMatch(/<a href="\/record\?id=r-2"><bdi>r-2<\/bdi><\/a>, number 2/);
  expect(text).toContain('4 behind the head');
  expect(text).toContain('<a href="/lines/show?queue=orders&amp;key=%3Cimg');
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
  expect(text).toContain('A number is missing');
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

it('lists the keys of a queue that are held: since when, because of what, and how many wait', async () => {
  const { app, store } = consoleUnderTest();
  store.put(dead('r-1', { key: EVIL, seq: 1 }));
  await putLine(store, EVIL, { next: 1, last: 3, head: headOf('r-1') }, [1, 2, 3]);
  await putLine(store, 'gap', { next: 6, last: 7, gapSince: NOW - 5 * MINUTE }, [7]);
  store.put(inRetry('r-8', { key: 'again', seq: 8 }));
  await putLine(store, 'again', { next: 8, last: 8, head: headOf('r-8', 8) }, [8]);
  await noteHeld(store, [EVIL, 'gap', 'again', 'gone']);
  await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
  const overview = (await get(app, '/')).text;
  expect(overview).toContain('<a href="/lines?queue=orders">4 keys held</a>');
  const { text } = await get(app, '/lines?queue=orders');
  expect(text).toContain('the records of 4 keys wait until you act.');
  const rows = text.split('<tr data-key=').slice(1);
  expect(rows).toHaveLength(4);
  expect(rows[0]).toContain('Held by a dead record');
  expect(rows[0]).toMatch(/data-label="Waiting">2<.*datetime="2026-11-23T14:08:18.000Z"/s);
  expect(rows[0]).toMatch(/href="\/record\?id=r-1".*number 1.*HttpError: the ERP answered 503/s);
  expect(rows[1]).toMatch(/A number is missing.*datetime="2026-11-23T14:42:18.000Z".*number 6/s);
  expect(rows[2]).toContain('goes on again');
  expect(rows[3]).toContain('Its line is gone.');
  expect(text).not.toContain(EVIL);
});

it('shows ten held keys at a time, and says where more are held than are noted', async () => {
  const { app, store } = consoleUnderTest();
  const keys = Array.from({ length: 23 }, (_, at) => `key-${at}`);
  for (const key of keys) await putLine(store, key, { next: 2, last: 3, gapSince: NOW }, [3]);
  await noteHeld(store, keys, true);
  const shown = async (path: string) =>
    [...(await get(app, path)).text.matchAll(/<tr data-key="(key-\d+)"/g)].map(([, key]) => key);
  expect(await shown('/lines?queue=orders')).toEqual(keys.slice(0, 10));
  expect(await shown('/lines?queue=orders&page=3')).toEqual(keys.slice(20));
  for (const page of ['99', '-1', 'x'])
    expect((await get(app, `/lines?queue=orders&page=${page}`)).status).toBe(200);
  const { text } = await get(app, '/lines?queue=orders&page=2');
  expect(text).toContain('the records of ≥ 23 keys wait');
  expect(text).toContain('11 to 20 of ≥ 23');
  expect(text).toContain('Only 23 are noted: <code>backlog lines orders</code> lists all.');
  expect(text).toMatch(
    /href="\/lines\?queue=orders" rel="prev".*href="\/lines\?queue=orders&amp;page=3" rel="next"/s,
  );
});

it('shows the line of a key: its head and what to do with it, and those behind it', async () => {
  const { app, store } = consoleUnderTest();
  store.put(dead('r-1', { key: EVIL, seq: 1 }));
  const numbers = Array.from({ length: 15 }, (_, at) => at + 1);
  await putLine(store, EVIL, { next: 1, last: 15, head: headOf('r-1') }, numbers);
  const path = `/lines/show?${new URLSearchParams({ queue: 'orders', key: EVIL })}`;
  const { text, status } = await get(app, path);
  expect(status).toBe(200);
  expect(text).not.toContain(EVIL);
  expect(text).toContain('14 records wait behind the head.');
  expect(text).toContain('href="/record/act?id=r-1&amp;do=redrive"');
  expect(text).toContain('href="/record/act?id=r-1&amp;do=discard"');
  expect(text).toMatch(/>Dead since<.*datetime="2026-11-23T14:08:18.000Z"/s);
  const behind = [...text.matchAll(/<li data-key="(r-\d+)"/g)].map(([, id]) => id);
  expect(behind).toEqual(numbers.slice(1).map((seq) => `r-${seq}`));
  expect(text).not.toContain('The first ');
  // Actions of a console that may not write are seen, and cannot be used.
  const readOnly = consoleUnderTest({
    access: { write: false, reason: 'read only' },
    backlog: { ...{ table: 'Records', controlTable: 'Control' }, store } as never,
  });
  const unusable = (await get(readOnly.app, path)).text;
  expect(unusable).toContain('read only');
  expect(unusable).not.toContain('href="/record/act');
});

it('shows a line as it was for half a minute, unless something was done, or it costs nothing to look', async () => {
  const { app, store, time } = consoleUnderTest();
  const path = '/lines/show?queue=orders&key=a';
  const waits = async (of = app) => /(\d+) records? waits?/.exec((await get(of, path)).text)?.[1];
  const write = (last: number) => {
    const numbers = Array.from({ length: last - 1 }, (_, at) => at + 2);
    return putLine(store, 'a', { next: 2, last, gapSince: NOW }, numbers);
  };
  await write(3);
  expect(await waits()).toBe('2');
  await write(5);
  expect(await waits()).toBe('2');
  store.put(dead('r-1'));
  await post(app, '/record/act?id=r-1&do=discard');
  expect(await waits()).toBe('4');
  await write(7);
  time.now += 29_000;
  expect(await waits()).toBe('4');
  time.now += 1_000;
  expect(await waits()).toBe('6');
  const backlog = { table: 'Records', controlTable: 'Control', store } as never;
  const local = consoleUnderTest({ backlog, runtime: runtimeUnderTest() }).app;
  expect(await waits(local)).toBe('6');
  await write(9);
  expect(await waits(local)).toBe('8');
});

it('says how a line without a dead head goes on', async () => {
  const { app, store } = consoleUnderTest();
  const show = async (key: string) => (await get(app, `/lines/show?queue=orders&key=${key}`)).text;
  await putLine(store, 'gap', { next: 6, last: 7, gapSince: NOW }, [7]);
  expect(await show('gap')).toMatch(
    /1 record waits\. Insert number 6; or wait: it is left out when &quot;skipGapAfter/,
  );
  await putLine(store, 'idle', { next: 8, last: 7 }, []);
  const idle = await show('idle');
  expect(idle).toContain('The next number that comes is attempted at once.');
  expect(idle).toContain('No record waits in this line.');
  expect(idle).not.toContain('/record/act');
  store.put(inRetry('r-8', { key: 'again', seq: 8 }));
  await putLine(store, 'again', { next: 8, last: 8, head: headOf('r-8', 8) }, [8]);
  const again = await show('again');
  expect(again).toContain('href="/record/act?id=r-8&amp;do=run-now"');
  expect(again).toMatch(/>Next attempt<.*datetime="2026-11-23T15:00:18.000Z"/s);
});

it('says of a line with many records how many it shows', async () => {
  const { app, store } = consoleUnderTest();
  await putLine(
    store,
    'long',
    { next: 1, last: 95, gapSince: NOW },
    Array.from({ length: 95 }, (_, at) => at + 1),
  );
  const { text } = await get(app, '/lines/show?queue=orders&key=long');
  expect(text.match(/<li data-key=/g)).toHaveLength(50);
  expect(text).toContain('The first 50 of 95.');
});

it.each([
  ['/lines', 200, 'With order, the records of a key form a line.'],
  ['/lines?queue=orders', 200, 'No key of <bdi>orders</bdi> is held.'],
  ['/lines?queue=a%20b', 404, 'queue: expected'],
  ['/lines/show?queue=orders&key=none', 404, 'There is no line of <bdi>none</bdi>'],
  ['/lines/show?queue=orders', 404, 'key: expected text of 1 to 256 bytes'],
  ['/lines/show?key=a', 404, 'queue: expected'],
])('answers %s with %i', async (path, expected, text) => {
  const answer = await get(consoleUnderTest().app, path);
  expect(answer.status).toBe(expected);
  expect(answer.text).toContain(text);
});

it('says why lines cannot be read', async () => {
  const { app, store } = consoleUnderTest();
  await noteHeld(store, ['a']);
  const { read } = store.lines;
  store.lines.read = async (keys) => {
    if (keys[0] === heldLinesKey('orders')) return read.call(store.lines, keys);
    throw new StoreUnavailableError('no answer');
  };
  const { text } = await get(app, '/lines?queue=orders');
  expect(text).toMatch(/Not read.*<bdi>no answer<\/bdi>/s);
  const line = await get(app, '/lines/show?queue=orders&key=a');
  expect(line.status).toBe(500);
  expect(line.text).toContain('The tables cannot be read');
  store.lines.read = async () => {
    throw new StoreUnavailableError('no answer at all');
  };
  const list = await get(app, '/lines?queue=orders');
  expect(list.status).toBe(500);
  expect(list.text).toContain('no answer at all');
});
