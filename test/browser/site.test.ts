import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { NARROW, openPage, overflowOf, WIDE, watchPages } from './session.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'docs/site/dist');
const BUILD_MS = 600_000;
const ALL_PAGES_MS = 300_000;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

watchPages();
servesConsoles();

/** The site as `npm run docs` builds it. */
const site = {
  fetch(request: Request): Response {
    const file = join(DIST, decodeURIComponent(new URL(request.url).pathname));
    const type = TYPES[extname(file)];
    if (type === undefined || !existsSync(file)) return new Response('', { status: 404 });
    return new Response(readFileSync(file), { headers: { 'content-type': type } });
  },
};

beforeAll(() => {
  if (existsSync(join(DIST, 'index.html'))) return;
  const { status } = spawnSync('npm', ['run', 'docs'], { cwd: ROOT, stdio: 'inherit' });
  expect(status, 'npm run docs').toBe(0);
}, BUILD_MS);

it(
  'no page of the documentation site is wider than its window, on a phone or on a desktop',
  async () => {
    const pages = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.html') && !name.startsWith('api/'),
    );
    expect(pages).toContain('policies.html');
    const origin = await serve({ app: site });
    for (const viewport of [NARROW, WIDE]) {
      const page = await openPage(origin, { viewport, javaScriptEnabled: false });
      for (const name of pages) {
        const response = await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
        const at = `${name} at ${viewport.width} px`;
        const shown = { at, status: response?.status(), ...(await overflowOf(page)) };
        expect.soft(shown).toEqual({ at, status: 200, by: 0, of: [] });
      }
    }
  },
  ALL_PAGES_MS,
);

it('the search box of the site shows the guide first', async () => {
  const origin = await serve({ app: site });
  const page = await openPage(origin, { viewport: WIDE });
  await page.goto(`${origin}/cdk.html`, { waitUntil: 'load' });
  await page.locator('#local-search button').first().click();
  await page.locator('#localsearch-input').fill('schedule a job');
  const first = page.locator('#localsearch-list a').first();
  await expect.poll(() => first.getAttribute('href')).toBe('/tasks.html#delays-and-dates');
});
