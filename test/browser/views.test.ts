import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, overflowOf, WIDE, watchPages } from './session.js';
import { HOSTILE_VIEWS, SHOP_VIEWS } from './views.js';
import { brokenShop, deployedShop, emptyShop, hostileShop, pausedShop, redactedShop, shop } from './world.js';

/** What another palette can break. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

const worlds = [
  ['a shop', shop, SHOP_VIEWS],
  ['a shop with hostile records', hostileShop, HOSTILE_VIEWS],
  [
    'a deployed backlog, read-only',
    deployedShop,
    ['/', '/failures', '/records', '/tiers', '/record?id=order-0987'],
  ],
  ['a shop whose clock is paused', pausedShop, ['/']],
  [
    'a shop with redacted payloads',
    redactedShop,
    [
      '/records?where=shipTo%3D%5Bhidden%5D',
      '/record?id=order-0987',
      '/record?id=order-0960',
      '/record/act?id=order-0987&do=edit',
    ],
  ],
  ['a backlog without records', emptyShop, ['/', '/failures', '/records', '/tiers']],
  [
    'a backlog that cannot be read',
    brokenShop,
    ['/', '/failures', '/records', '/tiers', '/record?id=order-0987'],
  ],
] as const;

watchPages();
servesConsoles();

/** What is wrong with the page as it is, to eyes, to readers of pages, and on a phone. */
async function faultsOf(page: Page) {
  const light = await axe(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axe(page, COLOURS);
  await page.setViewportSize(NARROW);
  const overflow = await overflowOf(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  return { light, dark, overflow };
}
const NO_FAULTS = { light: [], dark: [], overflow: { by: 0, of: [] } };

describe.each(worlds)('%s', (_, world, views) => {
  it('has no view that axe finds fault with, in light or dark, or that is wider than a phone', async () => {
    const origin = await serve(await world());
    const page = await openPage(origin);
    for (const view of views) {
      await page.goto(origin + view, { waitUntil: 'load' });
      expect.soft({ view, ...(await faultsOf(page)) }).toEqual({ view, ...NO_FAULTS });
    }
  });
});

it('the pages that forms lead to have no faults, either', async () => {
  const origin = await serve(await shop());
  const page = await openPage(origin);
  await page.goto(`${origin}/record/act?id=order-0960&do=edit`);
  await page.getByLabel('Payload, as JSON').fill('{"changed": true}');
  await page.getByRole('button', { name: 'Look at the change' }).click();
  await page.locator('.diff').waitFor();
  expect.soft(await faultsOf(page)).toEqual(NO_FAULTS);
  await page.getByRole('button', { name: 'Save the payload' }).click();
  await page.getByRole('status').waitFor();
  expect.soft(await faultsOf(page)).toEqual(NO_FAULTS);
  await page.goto(`${origin}/bulk?do=redrive&queue=orders&status=DEAD`);
  await page.getByRole('button', { name: /^Redrive/ }).click();
  await page.getByText(/^Done: /).waitFor();
  expect.soft(await faultsOf(page)).toEqual(NO_FAULTS);
});
