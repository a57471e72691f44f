import { expect, it } from 'vitest';
import { lintProse } from '../scripts/prose/lint.js';
import { MAXIMUM_WORDS, MAXIMUM_WORDS_OF_TITLE, sentencesOf } from '../scripts/prose/rules.js';
import { REFUSED } from '../scripts/prose/words.js';

const complaints = async (path: string, text: string) =>
  (await lintProse(text, path)).map(({ line, column, rule }) => `${line}:${column} ${rule}`);
const words = (count: number) => `${'a word '.repeat(count).split(' ').slice(0, count).join(' ')}.`;

it('refused words in paragraphs, headings, list items and cells of a page', async () => {
  const page = [
    '# Whoever fails',
    '',
    'A run that stood still, and a record',
    'that nobody attempts.',
    '',
    '- It is told of a write.',
    '',
    '| word | meaning |',
    '|---|---|',
    '| **lease** | in [one hand](x.md) |',
  ].join('\n');
  expect(await complaints('page.md', page)).toEqual([
    '1:3 words',
    '3:12 words',
    '4:6 words',
    '6:9 words',
    '10:15 words',
  ]);
});

it('a complaint names the words and what to write instead', async () => {
  const [complaint] = await lintProse('Destinations are left in peace.', 'page.md');
  expect(complaint).toMatchObject({ line: 1, column: 23, rule: 'words' });
  expect(complaint?.message).toBe('"in peace": write "is not called" or "is not attempted"');
});

it('code in a page is no prose', async () => {
  const page = 'Set `nobody` to 1.\n\n```sh\nwhoever --in-peace\n```\n\n<!-- somebody -->\n';
  expect(await complaints('page.md', page)).toEqual([]);
});

it('identifiers are read word by word, once each', async () => {
  const source =
    'const MOST_ROWS = 3;\nexport const crowdedOut = (inHand: number) => [MOST_ROWS, inHand, "formerLane"];\n';
  expect(await complaints('source.ts', source)).toEqual(['1:7 name', '2:14 name', '2:28 name']);
  expect(
    await complaints(
      'source.ts',
      'export const almost = (mostly: number, staffing: number) => mostly + staffing;',
    ),
  ).toEqual([]);
});

it('people may be `who`', async () => {
  expect(await complaints('page.md', 'An operator who redrives, and the people who deploy.')).toEqual([]);
  expect(await complaints('page.md', 'A record who fails.')).toEqual(['1:10 words']);
});

it('refused words in comments, messages, templates and joined strings of a source', async () => {
  const source = [
    '/**',
    ' * Records are told',
    ' * of, and `nobody` is code.',
    ' *',
    ' * @param x whoever it is',
    ' */',
    'export const f = (x: string) => {',
    '  // Two lines that are one sentence: somebody',
    '  // else has it.',
    "  if (x === 'nobody') throw new Error('a record that nobody serves');",
    '  const text = `the record $' + '{x} is left in peace`;',
    "  return text + 'and another one that ' + x + ' nobody serves' + somebody;",
    '};',
  ].join('\n');
  expect(await complaints('source.ts', source)).toEqual([
    '2:16 words',
    '5:13 words',
    '8:39 words',
    '10:54 words',
    '11:41 words',
    '12:49 words',
  ]);
});

it('plain comments and messages, keys, types, imports and expressions of DynamoDB pass', async () => {
  const source = [
    "import { somebody } from './nobody.js';",
    '/** Attempts a record. @see {@link nobody} */',
    "export type Whoever = 'nobody' | 'somebody';",
    'export const condition = "attribute_exists(who) AND nobody = :a AND somebody = :b";',
    '// biome-ignore lint/suspicious/noConsole: nobody else may print here',
    'console.log(somebody, `the run $' + '{condition} has ended, and 3 records are left`);',
  ].join('\n');
  expect(await complaints('source.ts', source)).toEqual([]);
});

it('a comment without a head', async () => {
  expect(await complaints('source.ts', '/** Of all entries. */\n')).toEqual(['1:5 words']);
  expect(await complaints('source.ts', '/** Of two claims, the later one is refused. */\n')).toEqual([]);
});

it('long sentences, in a page and in a comment', async () => {
  expect(await complaints('page.md', `${words(MAXIMUM_WORDS)} ${words(MAXIMUM_WORDS)}`)).toEqual([]);
  expect(await complaints('page.md', `One. ${words(MAXIMUM_WORDS + 1)}`)).toEqual(['1:6 sentence-length']);
  expect(await complaints('page.md', `${'`a b c` '.repeat(MAXIMUM_WORDS)}.`)).toEqual([]);
  const lines = `// ${words(MAXIMUM_WORDS - 1).slice(0, -1)}\n// end\n`;
  expect(await complaints('source.ts', lines)).toEqual([]);
  expect(await complaints('source.ts', `${lines}// and more\n`)).toEqual(['1:4 sentence-length']);
  expect(await complaints('source.ts', `${lines}\n// and more\n`)).toEqual([]);
  expect(await complaints('source.mjs', `/**\n * - ${words(30)}\n * - ${words(30)}\n */\n`)).toEqual([]);
});

it('refused words and many words in comments and titles of a test, and not in its other strings', async () => {
  const source = [
    '// somebody',
    "describe('nobody', () => {",
    "  it.each(['nobody'])('is left in peace: %s', () => expect('whoever it is').toBe(x.it('somebody')));",
    '  describe.skipIf(whoever)(`$' + '{name} for good`, () => {});',
    `  it('${words(MAXIMUM_WORDS_OF_TITLE)}');`,
    `  it('${words(MAXIMUM_WORDS_OF_TITLE + 1)}');`,
    '});',
  ].join('\n');
  expect(await complaints('test/source.test.ts', source)).toEqual([
    '1:4 words',
    '2:11 words',
    '3:32 words',
    '4:37 words',
    '6:7 sentence-length',
  ]);
});

it('where sentences end', () => {
  const text = 'A version, e.g. 0.1.0, of index.ts is (as said.) one. "Two!" Three';
  expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end).trim())).toEqual([
    'A version, e.g. 0.1.0, of index.ts is (as said.)',
    'one.',
    '"Two!"',
    'Three',
  ]);
});

it('doubled words', async () => {
  expect(await complaints('page.md', 'The run ends at\nat the deadline. The the lease.')).toEqual([
    '1:14 doubled-word',
    '2:18 doubled-word',
  ]);
  expect(await complaints('page.md', 'It had had one: write-write conflicts, id ID, a b.')).toEqual([]);
  expect(await complaints('source.ts', '// a run of of one\n')).toEqual(['1:10 doubled-word']);
});

it('what to write instead is itself allowed', async () => {
  for (const { instead } of REFUSED) expect(await complaints('page.md', instead)).toEqual([]);
});

it('docstrings of the source that do not name the thing first', async () => {
  const source = [
    '/** How many records wait. */',
    'export const one = 1;',
    '/**',
    ' * Whether it waits: an index knows it.',
    ' */',
    'export const two = 2;',
    '/** The records that wait. How many they are is in the index. */',
    'export const three = 3;',
    '// How it is done.',
    'export const four = 4;',
  ].join('\n');
  expect(await complaints('src/client/client.ts', source)).toEqual(['1:5 docstring', '4:4 docstring']);
  expect(await complaints('bench/main.ts', source)).toHaveLength(2);
  expect(await complaints('test/worker/worker.test.ts', source)).toHaveLength(2);
});
