import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { compactPng } from '../../scripts/compact-png.js';
import { serveLocally, withOwnHost } from '../../tools/src/local/local-server.js';
import { NOW } from '../console/console-under-test.js';
import { startChromium } from './chromium.js';
import { shop } from './world.js';

/** Each: its name, the page, and how much of it is shown. */
const PICTURES = [
  { name: 'overview', path: '/', width: 1280, height: 848, schemes: ['light', 'dark'] },
  { name: 'record', path: '/record?id=order-0987', width: 1280, height: 900, schemes: ['light', 'dark'] },
  { name: 'failures', path: '/failures', width: 1280, height: 640, schemes: ['light'] },
  { name: 'phone', path: '/records?queue=orders&status=ERROR', width: 400, height: 800, schemes: ['light'] },
] as const;

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../../docs/images'));
await mkdir(folder, { recursive: true });
const server = await startChromium();
const browser = await chromium.connect(server.wsEndpoint());
const served = await serveLocally(withOwnHost((await shop()).app), 0);
try {
  for (const { name, path, width, height, schemes } of PICTURES) {
    for (const colorScheme of schemes) {
      const page = await browser.newPage({
        colorScheme,
        viewport: { width, height },
        reducedMotion: 'reduce',
      });
      // The script of the page counts times on: its clock is frozen.
      await page.clock.setFixedTime(NOW);
      await page.goto(served.url + path, { waitUntil: 'load' });
      const suffix = schemes.length > 1 ? `-${colorScheme}` : '';
      await writeFile(join(folder, `console-${name}${suffix}.png`), compactPng(await page.screenshot()));
      await page.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
  await served.stop();
}
