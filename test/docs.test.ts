import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STATUSES } from '../src/record/record.js';
import { PAGES, ROOT, read } from './docs/pages.js';

/** The index itself, and the home page of the site. */
const NOT_LISTED = ['docs/README.md', 'docs/site/index.md'];
/** Lines of a page that fit on the first screen. */
const FIRST_SCREEN_LINES = 25;

const withoutCode = (page: string) => page.replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The home page of the site stands in the place of README.md. */
const folderOf = (path: string) => (path === 'docs/site/index.md' ? '.' : posix.dirname(path));

/** Links and pictures of a page that lead to no file, or to no heading of one. */
function brokenLinksOf(path: string): string[] {
  const links = withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g);
  return [...links]
    .map(([, markdown, html]) => markdown ?? html ?? '')
    .filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(folderOf(path), file);
      if (!existsSync(posix.join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
}

const quotedIn = (path: string) =>
  [...read(path).matchAll(/<!-- file: (\S+) -->\n```\w+\n([\s\S]*?)```/g)].map(
    ([, file = '', code = '']) => ({
      file,
      code,
    }),
  );

describe('CONTRIBUTING.md', () => {
  const page = read('CONTRIBUTING.md');

  it('has at most 1,000 words', () => {
    expect(page.match(/\S*\w\S*/g)?.length).toBeLessThanOrEqual(1_000);
  });

  it('names files and folders that exist', () => {
    const named = [...page.matchAll(/`((?:src|test|functions|cdk|scripts)(?:\/[\w./-]+)?)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(posix.join(ROOT, path)))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = read('README.md');

  it('has at most 1,000 words, code included', () => {
    expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(1_000);
  });

  it('names what it is made of: EventBridge, CloudWatch, the four statuses and the six tiers', () => {
    const text = readme.replace(/<picture>[\s\S]*?<\/picture>/g, '');
    const names = [
      'EventBridge',
      'CloudWatch',
      'Lambda',
      'DynamoDB',
      'six tiers',
      ...STATUSES.map((one) => `\`${one}\``),
    ];
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('has its first command on the first screen', () => {
    const lines = readme.split('\n');
    const first = lines.indexOf('npm ci && npm start');
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(FIRST_SCREEN_LINES);
  });

  it('quotes an app, a producer and a handler', () => {
    expect(quotedIn('README.md').map(({ file }) => file)).toEqual([
      'examples/cdk-app/app.ts',
      'examples/producer/insert.ts',
      'examples/handler/orders.ts',
    ]);
  });
});

describe('CHANGELOG.md', () => {
  const [, ...versions] = read('CHANGELOG.md').split(/^## /m);

  it('groups the changes of each version as Keep a Changelog does', () => {
    const groups = versions.flatMap((version) =>
      [...version.matchAll(/^### (.*)$/gm)].map(([, name]) => name),
    );
    expect(groups).not.toEqual([]);
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(groups.filter((group = '') => !known.includes(group))).toEqual([]);
  });

  it('has at most 600 words about a version, and lists only additions of the first one', () => {
    expect(versions.filter((version) => version.split(/\s+/).length > 600)).toEqual([]);
    expect(versions.at(-1)?.match(/^### .*$/gm)).toEqual(['### Added']);
  });
});

describe('the pages', () => {
  it.each([...PAGES, 'SECURITY.md'])('%s links only to files and headings that exist', (path) => {
    expect(brokenLinksOf(path)).toEqual([]);
  });

  it.each(PAGES.flatMap((path) => quotedIn(path).map((quoted) => ({ path, ...quoted }))))(
    '$path quotes $file as it is',
    ({ file, code }) => expect(code).toBe(read(file)),
  );

  it('docs/README.md lists every page', () => {
    const index = read('docs/README.md');
    const pages = PAGES.filter((path) => path.startsWith('docs/') && !NOT_LISTED.includes(path));
    expect(pages.filter((path) => !index.includes(`](${posix.relative('docs', path)}`))).toEqual([]);
  });

  it('docs/handlers.md explains every end of a run', () => {
    const [, union = ''] =
      /export type StopReason =\n([\s\S]*?);\n\n/.exec(read('src/worker/stop-reason.ts')) ?? [];
    const ends = [...union.matchAll(/\| '(\w+)'/g)].map(([, end]) => end);
    const [, table = ''] =
      /\| `ended` \|.*\n\|---\|---\|\n((?:\|.*\n)+)/.exec(read('docs/handlers.md')) ?? [];
    expect([...table.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, end]) => end).sort()).toEqual(ends.sort());
    const named = PAGES.flatMap((path) =>
      [...read(path).matchAll(/`ended: "(\w+)"`/g)].map(([, end]) => `${path}: ${end}`),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((text) => !ends.includes(text.split(': ')[1]))).toEqual([]);
  });
});
