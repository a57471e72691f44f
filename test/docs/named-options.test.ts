import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { pages } from './pages.js';

const PAGES = pages().filter(({ path }) => path !== 'CHANGELOG.md');

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
