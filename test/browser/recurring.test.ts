import { expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { openPage, watchPages } from './session.js';
import { shopWithRecurring } from './world.js';

watchPages();
servesConsoles();

it('an operator finds a recurring record, pauses it, and back-fills a day', async () => {
  const console = await shopWithRecurring();
  const origin = await serve(console);
  const page = await openPage(origin, { timezoneId: 'America/New_York' });
  await page.goto(`${origin}/recurring`);
  await page.getByLabel('Name contains').fill('heart');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Pause… heartbeat' }).click();
  await page.getByLabel('Why, for other operators').fill('the ERP is down');
  await page.getByLabel('Goes on by itself').fill('2h');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(/^heartbeat is paused until /).waitFor();
  expect(await page.locator('.hero').innerText()).toMatch(/Paused for .*: the ERP is down, by ops/);
  const [first] = await page.locator('.occurrences time').all();
  expect(await first?.getAttribute('title')).toMatch(/GMT-5|EST/);

  const before = console.store.items().length;
  await page.getByLabel('From', { exact: true }).fill('2026-11-22T15:00Z');
  await page.getByLabel('To', { exact: true }).fill('2026-11-22T16:00Z');
  await page.getByRole('button', { name: 'Count them' }).click();
  await page.getByRole('button', { name: 'Insert 4 records' }).click();
  await page.getByText('4 records inserted.').waitFor();
  expect(console.store.items()).toHaveLength(before + 4);
});
