import { expect, it } from 'vitest';
import { allSnippets, compile, snippetsOf } from '../docs/snippets.js';

it('every block of TypeScript in the pages compiles', () => {
  const snippets = allSnippets();
  expect(snippets.length).toBeGreaterThan(25);
  expect(compile(snippets)).toBe('');
});

it('names the page and the line of what does not compile', () => {
  const page = [
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
  const errors = compile(snippetsOf('page.md', page)).split('\n');
  for (const line of [6, 11, 15]) {
    expect(errors.filter((text) => text.startsWith(`page.md:${line}: error`))).toHaveLength(1);
  }
});
