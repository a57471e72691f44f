import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, read } from './pages.js';

/** The public API as it is checked in: `npm run check` fails when it is out of step with the code. */
const API = read('docs/api/declarations.d.ts');
const PAGES = pages().filter(({ path }) => path !== 'CHANGELOG.md');

/** The names of an interface's properties, with those of the interfaces that it extends. Empty: there is no such type. */
function propertiesOf(name: string): string[] {
  const pattern = new RegExp(
    `^interface ${name}\\b(?:<[^{]*?>)?(?: extends ([^{]*))?\\s*\\{\\n([\\s\\S]*?)^\\}`,
    'm',
  );
  const [, bases = '', body = ''] = pattern.exec(API) ?? [];
  const own = [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??[:(]/gm)].map(([, property = '']) => property);
  return [...own, ...(bases.match(/\b[A-Z]\w*/g) ?? []).flatMap(propertiesOf)];
}

/** A table whose first column names options, and the comment before it: `<!-- options of: TaskOptions -->`. */
const OPTIONS_TABLE =
  /(?:<!-- options of: ([\w, ]+) -->\n)?^\| (?:option|prop) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm;

interface OptionsTable {
  readonly path: string;
  readonly types: readonly string[];
  readonly names: readonly string[];
}

/** Tables of flags are the command line's own: docs/cli.md is checked against it. */
const tables: readonly OptionsTable[] = PAGES.flatMap(({ path, text }) =>
  [...text.matchAll(OPTIONS_TABLE)].flatMap(([, types, rows = '']) => {
    const cells = rows.split('\n').map((row) => row.split(' | ')[0] ?? '');
    const codes = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
    if (codes.every((code) => code.startsWith('--'))) return [];
    const names = codes.map((code) => /^\w+/.exec(code)?.[0] ?? code);
    return [{ path, types: types?.split(', ') ?? [], names }];
  }),
);

describe('a table of options', () => {
  it('is found in the pages about the construct, handlers, tasks, operators, policies and tests', () => {
    const named = ['cdk', 'containers', 'handlers', 'operate', 'policies', 'tasks', 'testing'];
    expect([...new Set(tables.map(({ path }) => path))].sort()).toEqual(
      named.map((name) => `docs/${name}.md`),
    );
  });

  it.each(tables)('of $path names options of its types alone: $types', ({ types, names }) => {
    expect(types.length, 'a comment before the table: <!-- options of: TYPE -->').toBeGreaterThan(0);
    const known = types.flatMap(propertiesOf);
    for (const type of types) expect(propertiesOf(type), type).not.toEqual([]);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A section of a page, with those below it; the whole page without an anchor. */
function sectionOf(page: string, anchor: string | undefined): string {
  if (anchor === undefined) return page;
  const headings = [...page.matchAll(/^(#+) (.*)$/gm)];
  const first = headings.findIndex(([, , title = '']) => anchorOf(title) === anchor);
  const level = headings[first]?.[1]?.length ?? 0;
  const next = headings.slice(first + 1).find(([, marks = '']) => marks.length <= level);
  return first < 0 ? '' : page.slice(headings[first]?.index, next?.index);
}

/** Every name in code: `retry`, and those of `{ every, untilAge }`, `insert(which, { delay })`. */
function namesIn(text: string): ReadonlySet<string> {
  const code = [...text.matchAll(/^```[\s\S]*?^```|`([^`\n]+)`/gm)].map(([whole]) => whole);
  return new Set(code.flatMap((one) => one.match(/\w+/g) ?? []));
}

const LINK = /\[([^\]\n]*`[^\]\n]*)\]\(([^)\s#]*\.md)?(?:#([^)]*))?\)/g;

it('an option that links to its explanation has the name that it has there', () => {
  const links = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(LINK)].flatMap(([, label = '', file, anchor]) => {
      const target = file === undefined ? path : posix.join(posix.dirname(path), file);
      const page = PAGES.find((one) => one.path === target);
      if (!page || (file === undefined && anchor === undefined)) return [];
      const names = [...label.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      const known = namesIn(sectionOf(page.text, anchor));
      return names.map((name) => ({
        link: `${path}: ${name} -> ${target}#${anchor ?? ''}`,
        isKnown: known.has(name),
      }));
    }),
  );
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ isKnown }) => !isKnown).map(({ link }) => link)).toEqual([]);
});
