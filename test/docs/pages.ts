import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const below = (folder: string) =>
  readdirSync(posix.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** All that users read, by its path in the repository. */
export const PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/site/index.md'],
  ...below('docs'),
  ...below('docs/tutorials'),
  ...readdirSync(posix.join(ROOT, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((path) => existsSync(posix.join(ROOT, path))),
];

export const read = (path: string): string => readFileSync(posix.join(ROOT, path), 'utf8');

export const pages = (): readonly { readonly path: string; readonly text: string }[] =>
  PAGES.map((path) => ({ path, text: read(path) }));
