import { describe, expect, it } from 'vitest';
import { stackTranslator } from '../../functions/stacks/translate.js';
import { excerpt } from '../../src/delivery/body.js';
import { hiddenSecrets } from '../../src/delivery/hidden-secrets.js';
import { withoutEnds } from '../../src/support/trailing.js';
import { withoutUrlSecrets } from '../../src/support/url-text.js';
import { checkPayload } from '../../src/tasks/payload.js';
import { parseExactly } from '../../tools/src/cli/exact-json.js';
import { openValues } from '../../tools/src/cli/import-source.js';
import { readElements } from '../../tools/src/cli/json-array.js';
import { readLines } from '../../tools/src/cli/ndjson.js';
import { indentJson } from '../../tools/src/cli/show.js';
import { withShortPlaces } from '../../tools/src/local/status/short-places.js';

/** Twice as much takes four times as long where the time is quadratic: sixteen times as much, 256 times. */
const GROWTH = 16;
const MOST = 64;

/** CPU time of the fastest of three. */
async function cpuMs(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

async function expectLinear(work: (size: number) => unknown, size: number): Promise<void> {
  const small = await cpuMs(() => work(size));
  const large = await cpuMs(() => work(GROWTH * size));
  // A time below this is measured too coarsely to be compared.
  expect(large / Math.max(small, 2)).toBeLessThan(MOST);
}

const thrown = (work: () => unknown) => {
  try {
    work();
  } catch {
    // The time is what is asked for.
  }
};

async function readAll(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

async function* inPieces(text: string, bytes: number) {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

/** JSON in JSON, cut off: each of its quotes could begin a string. */
const cutOff = (size: number) => `{"payload":"${'\\"a\\":'.repeat(size / 6)}`;

describe('a text of sixteen times the length takes about sixteen times as long', () => {
  it.each<[string, (size: number) => unknown]>([
    ['a line of an import that is cut off in a string', (size) => thrown(() => parseExactly(cutOff(size)))],
    [
      'a line of an import with numbers without end',
      (size) => thrown(() => parseExactly(`[${'1.'.repeat(size / 2)}`)),
    ],
    ['a payload on a page that is cut off in a string', (size) => indentJson(cutOff(size))],
    ['a number with zeros inside', (size) => withoutEnds(`1${'0'.repeat(size)}1`, '0')],
    ['a stack with places without a folder', (size) => withShortPlaces('file://'.repeat(size / 7))],
    [
      'a stack with places of a bundle without a line',
      (size) => stackTranslator('file:///a.mjs')('file:///a.mjs:1'.repeat(size / 15)),
    ],
    [
      'an error with URLs without an end',
      (size) => withoutUrlSecrets(`${'http://'.repeat(size / 7)}"`, size),
    ],
    ['an error of slashes', (size) => withoutUrlSecrets('/'.repeat(size))],
    ['a URL of semicolons', (size) => withoutUrlSecrets(`a://${';'.repeat(size)}`)],
    ['a URL of colons', (size) => withoutUrlSecrets(`a://${':1'.repeat(size / 2)}`)],
    ['a scheme without an end', (size) => withoutUrlSecrets(`${'a.'.repeat(size / 2)}://x`)],
    ['a text of Oracle URLs', (size) => withoutUrlSecrets('jdbc:oracle:thin:'.repeat(size / 17))],
  ])('%s', (_, work) => expectLinear(work, 10_000));

  it.each([4_096, 65_536])('a source of one line that is cut off, in pieces of %i bytes', (piece) =>
    expectLinear(async (size) => {
      const { values } = await openValues(inPieces(cutOff(size), piece), 'orders.json');
      await readAll(values);
    }, 100_000),
  );

  it('a source whose first lines are blank, in small pieces', () =>
    expectLinear(async (size) => {
      const { values } = await openValues(inPieces(`[1]\n${'\n'.repeat(size)}`, 512), 'orders.json');
      await readAll(values);
    }, 100_000));

  it('a line, and an element, in small pieces', () =>
    expectLinear(async (size) => {
      await readAll(readLines(inPieces('x'.repeat(size), 512)));
      await readAll(readElements(inPieces(`[${cutOff(size)}`, 512)));
    }, 100_000));

  it('an answer that repeats the beginning of a secret', () => {
    const secret = `${'ab'.repeat(30)}c`;
    return expectLinear((size) => {
      const bytes = Buffer.from('ab'.repeat(size / 2));
      return excerpt({ bytes, isComplete: false }, 1_000, hiddenSecrets([secret]));
    }, 4_000);
  });

  it('the problem of a payload that quotes what it found', () =>
    expectLinear((size) => {
      const message = '1'.repeat(size);
      return checkPayload(
        { '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [{ message }] }) } } as never,
        { n: 1 },
      );
    }, 40_000));
});
