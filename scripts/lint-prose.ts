// `npm run lint:prose`: finds wording in the pages, comments, messages and titles of tests that CONTRIBUTING.md ("How to write") refuses.
// With arguments it reads only those of them that it would read anyway, so that a hook may name all that is staged.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lintProse } from './prose/lint.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  '.github/pull_request_template.md',
];
const FOLDERS = ['docs', 'examples', 'src', 'tools', 'functions', 'cdk', 'scripts', 'bench', 'test'];
/** It quotes the words that it refuses. */
const LIST = 'scripts/prose/words.ts';
/** Packages, and the built documentation site with the copies of pages that it is made of. */
const GENERATED = /node_modules|^docs.site.(?:pages|dist|cache)/;

function filesToRead(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const isOurs = (path: string) => path !== LIST && !GENERATED.test(path);
  return [...PAGES, ...inFolders.filter((path) => /\.(?:md|tsx?|mjs)$/.test(path) && isOurs(path))].sort();
}

const given = new Set(process.argv.slice(2).map((path) => relative(ROOT, path)));
const files = filesToRead();
let complaints = 0;
for (const path of given.size > 0 ? files.filter((path) => given.has(path)) : files) {
  for (const { line, column, message, rule } of await lintProse(
    readFileSync(join(ROOT, path), 'utf8'),
    path,
  )) {
    complaints++;
    process.stdout.write(`${path}:${line}:${column} ${message} (${rule})\n`);
  }
}
if (complaints > 0) {
  process.stderr.write(
    `${complaints} complaints about the wording: see "How to write" in CONTRIBUTING.md.\n`,
  );
  process.exitCode = 1;
}
