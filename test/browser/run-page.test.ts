import { expect, it } from 'vitest';
import { axe, NARROW, openPage, overflowOf, WIDE, watchPages } from './session.js';
import { startShop, stopsShops } from './shop-runtime.js';

watchPages();
stopsShops();

it('a run that failed leads to what its function wrote, with the stack of the attempt', async () => {
  const { origin, backlog, queue } = await startShop(60);
  const page = await openPage(origin);
  page.setDefaultTimeout(60_000);
  await page.goto(`${origin}/`);
  await page.getByRole('button', { name: 'Take it down' }).click();
  await page.getByText('The sample ERP is down').first().waitFor();
  await backlog.insert({ id: 'order-1', queue, payload: { order: 1 } });
  // The page brings itself up to date.
  await page.locator('.runs a', { hasText: 'on arrival' }).first().click();
  await page.getByText('attempt failed').first().waitFor();
  expect(await page.locator('pre.stack').first().innerText()).toMatch(/^at /);
  for (const scheme of ['light', 'dark'] as const) {
    for (const viewport of [WIDE, NARROW]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize(viewport);
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/run-${scheme}-${viewport.width}.png` });
      expect(await axe(page)).toEqual([]);
      expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
    }
  }
});
