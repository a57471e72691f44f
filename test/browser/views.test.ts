import { describe, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, overflowOf, WIDE, watchPages } from './session.js';
import { HOSTILE_VIEWS, SHOP_VIEWS } from './views.js';
import { brokenShop, deployedShop, emptyShop, hostileShop, shop } from './world.js';

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
  ['a backlog without records', emptyShop, ['/', '/failures', '/records', '/tiers']],
  [
    'a backlog that cannot be read',
    brokenShop,
    ['/', '/failures', '/records', '/tiers', '/record?id=order-0987'],
  ],
] as const;

watchPages();
servesConsoles();

describe.each(worlds)('%s', (_, world, views) => {
  it('has no view that axe finds fault with, in light or dark, or that is wider than a phone', async () => {
    const origin = await serve(await world());
    const page = await openPage(origin);
    for (const view of views) {
      await page.goto(origin + view, { waitUntil: 'load' });
      const light = await axe(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await axe(page, COLOURS);
      await page.setViewportSize(NARROW);
      const overflow = await overflowOf(page);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(WIDE);
      expect
        .soft({ view, light, dark, overflow })
        .toEqual({ view, light: [], dark: [], overflow: { by: 0, of: [] } });
    }
  });
});
