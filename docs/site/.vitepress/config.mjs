import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { slug } from 'github-slugger';
import { defineConfig } from 'vitepress';
import { indexOptions, SEARCH_OPTIONS } from './search.ts';
import { EXAMPLES, GROUPS, READING_ORDER } from './sidebar.ts';

const SITE = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGES = join(SITE, 'pages');
const BASE = process.env.DOCS_BASE ?? '/';
const { version } = JSON.parse(readFileSync(join(SITE, '../../package.json'), 'utf8'));
/** Headings get the same anchors as on GitHub, where the same pages are read. */
const GITHUB_ANCHORS = { slugify: slug };

const titleOf = (page) => /^# (.*)$/m.exec(readFileSync(join(PAGES, page), 'utf8'))?.[1] ?? page;

/** The entries of the API reference, each with its members by kind: `classes`, `interfaces` and so on. */
function apiGroups(folder = 'api/dynamo-backlog') {
  const names = readdirSync(join(PAGES, folder), { withFileTypes: true });
  const folders = names.filter((one) => one.isDirectory()).map(({ name }) => name);
  const isEntry = (name) => existsSync(join(PAGES, folder, name, 'index.md'));
  const kinds = folders.filter((name) => !isEntry(name) && name !== 'namespaces');
  const group = {
    text: folder.replace('api/', ''),
    link: `/${folder}/`,
    collapsed: true,
    items: kinds.flatMap((kind) =>
      readdirSync(join(PAGES, folder, kind))
        .sort()
        .map((page) => ({ text: page.replace('.md', ''), link: `/${folder}/${kind}/${page}` })),
    ),
  };
  return [group, ...folders.filter(isEntry).flatMap((name) => apiGroups(`${folder}/${name}`))];
}

/** Characters of a cell from which on it is text to be read, which needs a column of some width. */
const LONG_CELL = 60;

/** Marks long cells of tables: on a phone they would be squeezed into columns of a word. */
function marksLongCells(markdown) {
  markdown.core.ruler.push('long-cells', ({ tokens }) => {
    for (const [i, token] of tokens.entries()) {
      if (token.type === 'td_open' && tokens[i + 1].content.length >= LONG_CELL)
        token.attrJoin('class', 'long');
    }
  });
}

const linkTo = ([page, title]) => ({
  text: title ?? titleOf(page.replace(/#.*/, '')),
  link: `/${page.replace(/(^|\/)index\.md/, '$1')}`,
});

/** The pages before and after one in the sidebar. VitePress itself mistakes entries that lead to headings for pages. */
function neighboursOf(page) {
  const i = READING_ORDER.findIndex(([one]) => one === page);
  const at = (place) => (i >= 0 && READING_ORDER[place] ? linkTo(READING_ORDER[place]) : false);
  return { prev: at(i - 1), next: at(i + 1) };
}

const sidebar = [
  ...GROUPS.map(({ text, items }) => ({ text, items: items.map(linkTo) })),
  { text: 'Examples', items: EXAMPLES.map(([page, text]) => ({ text, link: `/${page}` })) },
];

export default defineConfig({
  title: 'dynamo-backlog',
  description: 'A job queue in a DynamoDB table: Lambda functions attempt each record when it is due.',
  lang: 'en',
  base: BASE,
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'cache',
  lastUpdated: false,
  // The pages of the API follow their own sidebar.
  transformPageData: ({ relativePath, frontmatter }) =>
    /^api\/(?!index\.md)/.test(relativePath)
      ? {}
      : { frontmatter: { ...neighboursOf(relativePath), ...frontmatter } },
  // The index of the search is one file of 1 MB, loaded at the first search.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: GITHUB_ANCHORS,
    toc: GITHUB_ANCHORS,
    languageAlias: { console: 'sh', ndjson: 'json' },
    config: marksLongCells,
  },
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { options: indexOptions(BASE), searchOptions: SEARCH_OPTIONS } },
    },
    nav: [
      { text: 'Get started', link: '/get-started' },
      { text: 'Tutorials', link: '/tutorials/' },
      { text: 'Reference', link: '/cdk-props' },
      { text: 'API', link: '/api/' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      {
        text: version,
        items: [
          { text: 'Changes', link: '/changelog' },
          { text: 'Contributing', link: '/contributing' },
        ],
      },
    ],
    sidebar: {
      '/api/': [
        { text: 'All pages', link: '/documentation' },
        { text: 'API', items: existsSync(join(PAGES, 'api')) ? apiGroups() : [] },
      ],
      '/': sidebar,
    },
    externalLinkIcon: true,
  },
});
