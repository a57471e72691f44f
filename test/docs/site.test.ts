import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READING_ORDER } from '../../docs/site/.vitepress/sidebar.js';
import { complaintsOf } from '../../scripts/site/check.js';
import { pagerComplaints } from '../../scripts/site/pager.js';
import { copyPages } from '../../scripts/site/pages.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backlog-site-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe('the check of a built site', () => {
  const complaints = (base = '/', paths: string[] = []) => complaintsOf(folder, base, paths).complaints;

  it('accepts links to pages, headings and files, below any base', () => {
    write({
      'index.html': '<a href="/docs/a/b.html#über">b</a><a href="https://example.com/">elsewhere</a>',
      'a/b.html': '<h2 id="über">b</h2><a href="../index.html">up</a><a href="#%C3%BCber">here</a>',
      'a/c.svg': '',
    });
    expect(complaintsOf(folder, '/docs/', [])).toEqual({ complaints: [], pages: 2, links: 4 });
  });

  it('names a link to no page, to no heading, and out of the base', () => {
    write({ 'index.html': '<a href="/docs/x.html">x</a><a href="#y">y</a><a href="/z.html">z</a>' });
    expect(complaints('/docs/')).toEqual([
      'index.html: /docs/x.html leads to no page',
      'index.html: #y leads to no heading of that page',
      'index.html: /z.html is outside of the site, which is at /docs/',
    ]);
  });

  it('says once what is wrong on many pages', () => {
    write({ 'a.html': '<a href="/x">x</a>', 'b.html': '<a href="/x">x</a>', 'c.html': '<a href="/x">x</a>' });
    expect(complaints()).toEqual(['a.html and 2 more: /x leads to no page']);
  });

  it('names what a page loads from elsewhere, and paths of the machine', () => {
    write({
      'a.html': '<script src="https://cdn.example.com/a.js"></script><img src="//example.com/a.png">',
      'a.css': '@import "https://fonts.example.com/a.css";',
      'a.js': 'const x = "/home/me/project/a.ts"',
    });
    expect(complaints('/', ['/home/me'])).toEqual([
      'a.html: https://cdn.example.com/a.js is loaded from elsewhere',
      'a.html: //example.com/a.png is loaded from elsewhere',
      'a.css: another host is loaded from',
      'a.js: /home/me is a path of this machine',
    ]);
  });
});

describe('the pages of the site', () => {
  const page = (name: string) => readFileSync(join(folder, 'docs/site/pages', name), 'utf8');
  const SOURCES = {
    'CHANGELOG.md': '# Changelog\n',
    'CONTRIBUTING.md': '# Contributing\n',
    'README.md': '# Project\n',
    'docs/README.md': '# Documentation\n',
    'docs/images/a.svg': '',
    'docs/policies/b.svg': '',
    'docs/site/index.md': '[cdk](docs/cdk.md)\n',
    'docs/cdk.md': '# CDK\n',
    'examples/outbox/README.md': '# Outbox\n\n[app](app.ts), [cdk](../../docs/cdk.md#props)\n',
    'examples/outbox/app.ts': 'const a = 1;\n',
    'api/README.md': '# x\n\n[lambda](lambda/README.md)\n',
    'api/lambda/README.md': '# lambda\n',
  };
  const copy = () => copyPages(folder, join(folder, 'api'));

  it('are in their places, with links that fit these', () => {
    write({
      ...SOURCES,
      'docs/cdk.md': '[out](../examples/outbox/README.md) [home](../README.md#quick-start)',
    });
    expect([...copy()].sort()).toEqual([
      'cdk.md',
      'changelog.md',
      'contributing.md',
      'documentation.md',
      'examples/outbox.md',
      'examples/outbox/app.ts.md',
      'index.md',
    ]);
    expect(page('cdk.md')).toBe('[out](./examples/outbox.md) [home](./index.md#quick-start)');
    expect(page('index.md')).toBe('[cdk](./cdk.md)\n');
    expect(page('examples/outbox.md')).toContain('[app](./outbox/app.ts.md), [cdk](./../cdk.md#props)');
    expect(page('examples/outbox/app.ts.md')).toContain('````ts\nconst a = 1;\n````');
    expect(page('api/index.md')).toContain('# API\n\n[lambda](lambda/index.md)');
  });

  it('show both pictures of a pair, and leave code as it is', () => {
    const picture =
      '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="images/a.svg">\n  <img src="images/a.svg" alt="a">\n</picture>';
    const code = '`[x](gone.md)`\n\n```md\n[x](gone.md)\n```\n';
    write({ ...SOURCES, 'docs/cdk.md': `${picture}\n\n${code}` });
    copy();
    expect(page('cdk.md')).toBe(
      `<p><img class="only-light" src="./images/a.svg" alt="a"><img class="only-dark" src="./images/a.svg" alt="a"></p>\n\n${code}`,
    );
  });

  it('refuse a link to a file that is not there, or that the site cannot show', () => {
    write({ ...SOURCES, 'docs/cdk.md': '[x](gone.md)' });
    expect(copy).toThrow('docs/cdk.md links to gone.md, which is not there');
    write({ 'docs/cdk.md': '[x](a.zip)', 'docs/a.zip': '' });
    expect(copy).toThrow('the site has no page for docs/a.zip');
  });
});

describe('the links at the end of pages', () => {
  const pager = (prev: string, next: string) =>
    [['prev', prev] as const, ['next', next] as const]
      .filter(([, href]) => href !== '')
      .map(([which, href]) => `<a class="VPLink pager-link ${which}" href="${href}"></a>`)
      .join('');
  const complaints = () => pagerComplaints(folder, '/docs/', ['a.md', 'b/index.md', 'c.md']);

  it('lead to the page before and to the page after', () => {
    write({
      'a.html': pager('', '/docs/b/'),
      'b/index.html': pager('/docs/a.html', '/docs/c.html'),
      'c.html': pager('/docs/b/', ''),
    });
    expect(complaints()).toEqual([]);
  });

  it('are named when one is missing or leads elsewhere', () => {
    write({
      'a.html': pager('/docs/c.html', '/docs/b/'),
      'b/index.html': pager('/docs/a.html', ''),
      'c.html': pager('/docs/a.html', ''),
    });
    expect(complaints()).toEqual([
      'a.md: "prev" leads to /docs/c.html, not to nothing',
      'b/index.md: "next" leads to nothing, not to /docs/c.html',
      'c.md: "prev" leads to /docs/a.html, not to /docs/b/',
    ]);
  });

  it('follow an order that has each page once, and no headings', () => {
    const pages = READING_ORDER.map(([page]) => page);
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.filter((page) => page.includes('#'))).toEqual([]);
  });
});
