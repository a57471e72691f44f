import { beforeAll, expect, it } from 'vitest';
import { allSnippets, compile, snippetsOf } from '../docs/snippets.js';

const WRONG = [
  '# Page',
  '',
  '```ts',
  "import { Dead } from 'dynamo-backlog';",
  '',
  'throw new Dead(7);',
  '```',
  '',
  "<!-- part of: import('dynamo-backlog/cdk').QueueProps -->",
  '```ts',
  'breaker: 7,',
  '```',
  '',
  '```ts',
  "new Backlog(this, 'Backlog', { queus: {} });",
  '```',
].join('\n');

// One compilation for both: it takes seconds.
let errors: string[] = [];
const snippets = allSnippets();
beforeAll(() => {
  errors = compile([...snippets, ...snippetsOf('wrong.md', WRONG)]).split('\n');
}, 240_000);

it('every block of TypeScript in the pages compiles', () => {
  expect(snippets.length).toBeGreaterThan(25);
  expect(errors.filter((text) => text !== '' && !/^(?:wrong\.md| )/.test(text))).toEqual([]);
});

it.each([6, 11, 15])('names the page and line %i of what does not compile', (line) => {
  expect(errors.filter((text) => text.startsWith(`wrong.md:${line}: error`))).toHaveLength(1);
});
