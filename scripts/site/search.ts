// Searches a built site as its search box does, with the index that the site loads.

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ALSO, indexOptions, SEARCH_OPTIONS } from '../../docs/site/.vitepress/search.js';

/** Searches of a newcomer, each with the pages of which one has to come first. */
const SEARCHES: readonly (readonly [query: string, ...pages: string[]])[] = [
  ['schedule a job', 'tasks'],
  ['cancel a job', 'tasks'],
  ['priority', 'handlers', 'tasks'],
  ['timeout', 'troubleshooting', 'handlers'],
  ['console.log', 'logs'],
  ['retry policy', 'policies'],
  ['dead letter', 'records'],
  ['idempotency', 'testing', 'handlers'],
  ['test a handler', 'tutorials/test-a-handler', 'testing'],
  ['cost', 'cost'],
];

interface Index {
  search(query: string): readonly { readonly id: string }[];
}
interface MiniSearch {
  loadJSON(json: string, options: object): Index;
}

/** Searches whose first result is another page, and sections of `ALSO` that the site does not have. */
export async function searchComplaints(site: string, dist: string, base: string): Promise<string[]> {
  const chunks = join(dist, 'assets/chunks');
  const name = readdirSync(chunks).find((one) => one.startsWith('@localSearchIndexroot'));
  if (name === undefined) return ['the site has no index for its search'];
  const { default: json }: { default: string } = await import(pathToFileURL(join(chunks, name)).href);
  const miniSearch: MiniSearch = createRequire(join(site, 'package.json'))('minisearch');
  const index = miniSearch.loadJSON(json, {
    storeFields: ['title', 'titles'],
    ...indexOptions(base),
    searchOptions: SEARCH_OPTIONS,
  });
  const { documentIds }: { documentIds: Record<string, string> } = JSON.parse(json);
  const sections = new Set(Object.values(documentIds));
  return [
    ...Object.keys(ALSO)
      .filter((section) => !sections.has(base + section))
      .map((section) => `docs/site/.vitepress/search.ts has words for ${section}, which is no section`),
    ...SEARCHES.flatMap(([query, ...pages]) => {
      const [first] = index.search(query);
      const page = first?.id.slice(base.length).replace(/\.html(?:#.*)?$/, '') ?? 'nothing';
      return pages.includes(page)
        ? []
        : [`a search for "${query}" has ${page} first, not ${pages.join(' or ')}`];
    }),
  ];
}
