// `npm run docs` builds the documentation site into docs/site/dist and checks its links and its search. VitePress, which makes it, is
// installed in docs/site at the first run, so that `npm ci` of the project stays small.
//
//   --base /PATH/   where the site will be on its host; default /
//   --keep-api      do not make the API reference anew, which takes most of the time
//   --serve         afterwards, serve it on 127.0.0.1 until Ctrl-C; --port N, default 5173

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GROUPS, READING_ORDER } from '../docs/site/.vitepress/sidebar.js';
import { complaintsOf } from './site/check.js';
import { pagerComplaints } from './site/pager.js';
import { copyPages } from './site/pages.js';
import { searchComplaints } from './site/search.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SITE = join(ROOT, 'docs/site');
const DIST = join(SITE, 'dist');
const API = join(ROOT, 'api-reference');
const VITEPRESS = join(SITE, 'node_modules/vitepress/bin/vitepress.js');

const options = optionsOf(process.argv.slice(2));
if (!options.keepApi || !existsSync(API)) {
  rmSync(API, { recursive: true, force: true });
  run('the API reference', process.execPath, [join(ROOT, 'scripts/api-docs.mjs')]);
}
install();
const copied = copyPages(ROOT, API);
checkSidebar(copied);
run('the site', process.execPath, [VITEPRESS, 'build', SITE], { DOCS_BASE: options.base });
const { complaints, pages, links } = complaintsOf(
  DIST,
  options.base,
  [ROOT.slice(0, -1), homedir()].filter((one) => one.length > 1),
);
const order = READING_ORDER.map(([page]) => page);
const all = [
  ...complaints,
  ...pagerComplaints(DIST, options.base, order),
  ...(await searchComplaints(SITE, DIST, options.base)),
];
if (all.length > 0) fail(`${all.join('\n')}\n${all.length} complaints about the built site`);
say(`${pages} pages, ${links} links checked: ${relative(process.cwd(), DIST)}/index.html`);
if (options.serve) {
  say(`http://127.0.0.1:${options.port}${options.base} (Ctrl-C ends it)`);
  const serve = ['preview', SITE, '--host', '127.0.0.1', '--port', options.port];
  run('the server', process.execPath, [VITEPRESS, ...serve], { DOCS_BASE: options.base });
} else {
  say('npm run docs -- --keep-api --serve shows it in a browser');
}

function optionsOf(args: string[]) {
  const known = {
    base: { type: 'string', default: '/' },
    'keep-api': { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '5173' },
  } as const;
  const { values } = parsed();
  if (!/^\/(?:[\w.~-]+\/)*$/.test(values.base))
    fail(
      `--base: expected a path that begins and ends with a slash, such as /docs/; got "${values.base}"`,
      2,
    );
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
    fail(`--port: expected a number up to 65535; got "${values.port}"`, 2);
  return { ...values, keepApi: values['keep-api'] };

  function parsed() {
    try {
      return parseArgs({ args, options: known });
    } catch (error) {
      return fail((error as Error).message, 2);
    }
  }
}

/** Once per lock file. */
function install() {
  const complete = join(SITE, 'node_modules/.complete');
  const wanted = createHash('sha256')
    .update(readFileSync(join(SITE, 'package-lock.json')))
    .digest('hex');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return;
  say('installing VitePress into docs/site ...');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  run('its packages', 'npm', ['ci', ...quiet], {}, SITE);
  writeFileSync(complete, wanted);
}

/** A page that the sidebar has not would be found by its links and the search only. */
function checkSidebar(copied: readonly string[]) {
  const listed = new Set(GROUPS.flatMap(({ items }) => items.map(([page]) => page.replace(/#.*/, ''))));
  // Files of another type, such as a schema, belong to the page that links to them.
  const isPage = (page: string) =>
    page !== 'index.md' && !page.startsWith('examples/') && !/\.\w+\.md$/.test(page);
  const missing = copied.filter((page) => isPage(page) && !listed.has(page));
  if (missing.length > 0) fail(`docs/site/.vitepress/sidebar.ts lacks ${missing.join(', ')}`);
}

function run(
  what: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = ROOT,
) {
  const shell = process.platform === 'win32' && command === 'npm';
  const { status, error } = spawnSync(command, args, {
    cwd,
    shell,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (error) fail(`${what}: ${error.message}`);
  if (status !== 0) fail(`${what} failed: the reason is above`, status ?? 1);
}

function say(text: string) {
  process.stdout.write(`${text}\n`);
}

function fail(text: string, code = 1): never {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}
