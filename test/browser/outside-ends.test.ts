import { expect, it } from 'vitest';
import { iso, waiting } from '../console/console-under-test.js';
import { outsideWaiting } from '../outside-waiting.js';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, overflowOf, watchPages } from './session.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

const DAY = 86_400_000;

it('a record that waits for its end from outside is completed on a phone', async () => {
  const console = await shop();
  const payload = { amount: 1200, currency: 'EUR' };
  const reason = 'waits for approval of the finance team, which answers within two working days';
  for (const id of ['payment-7', 'payment-8'])
    console.store.put(outsideWaiting(waiting(id, { payload }), iso(2 * DAY), { reason }));
  const origin = await serve(console);
  for (const scheme of ['light', 'dark'] as const) {
    const page = await openPage(origin, { viewport: NARROW, scheme });
    for (const path of [
      '/record?id=payment-7',
      '/record/act?id=payment-7&do=complete',
      '/record/act?id=payment-7&do=fail',
      '/records?id=payment',
    ]) {
      await page.goto(origin + path, { waitUntil: 'load' });
      expect.soft({ path, axe: await axe(page), overflow: await overflowOf(page) }).toEqual({
        path,
        axe: [],
        overflow: { by: 0, of: [] },
      });
      const heights = await page
        .locator('.acts .btn, form .buttons .btn:not(.s)')
        .evaluateAll((targets) => targets.map((target) => target.getBoundingClientRect().height));
      expect(Math.min(24, ...heights)).toBe(24);
    }
  }
  const page = await openPage(origin, { viewport: NARROW });
  await page.goto(`${origin}/record?id=payment-7`);
  await page.getByRole('link', { name: 'Complete…' }).click();
  await page.getByLabel('Result as JSON').fill('{"by": "finance"}');
  await page.getByRole('button', { name: 'Complete' }).click();
  await page.getByRole('status').getByText('it has succeeded').waitFor();
  expect(console.store.items().find(({ id }) => id === 'payment-7')).toMatchObject({
    status: 'SUCCESS',
    result: '{"by":"finance"}',
  });
  await page.goto(`${origin}/record/act?id=payment-8&do=fail`);
  await page.getByLabel('Message of the failure').fill('not approved');
  await page.getByRole('button', { name: 'Fail' }).click();
  await page.getByRole('status').getByText('the next run of its queue writes that').waitFor();
});
