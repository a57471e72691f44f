import { describe, expect, it } from 'vitest';
import { read } from './pages.js';

/** The public API as it is checked in: `npm run check` fails when it is out of step with the code. */
const API = read('docs/api/declarations.d.ts');

/** The names of an interface's own properties. */
function propertiesOf(name: string): string[] {
  const [, body = ''] = new RegExp(`^interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(API) ?? [];
  return [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??[:(]/gm)].map(([, property = '']) => property);
}

/** Names that a page has in code: `retry`, and those of `{ every, untilAge }`, `insert(which, { delay })`. */
function namesIn(page: string): Set<string> {
  const code = [...read(page).matchAll(/^```[\s\S]*?^```|`([^`\n]+)`/gm)].map(([whole]) => whole);
  return new Set(code.flatMap((text) => text.match(/\w+/g) ?? []));
}

describe.each([
  ['ProgressiveProps', 'docs/cdk-props.md', []],
  ['TierProps', 'docs/cdk-props.md', []],
  ['WorkerProps', 'docs/cdk-props.md', ['docs/handlers.md']],
  ['BacklogOperatorOptions', 'docs/operate.md', ['docs/testing.md', 'docs/console.md']],
  ['Selection', 'docs/operate.md', []],
  ['InsertManyOptions', 'docs/tasks.md', []],
  ['NewRecord', 'docs/records.md', []],
])('%s', (name, page, others) => {
  it(`has all its options in ${[page, ...others].join(', ')}`, () => {
    const options = propertiesOf(name);
    expect(options.length).toBeGreaterThan(0);
    const named = [page, ...others].flatMap((one) => [...namesIn(one)]);
    expect(options.filter((option) => !named.includes(option))).toEqual([]);
  });
});
