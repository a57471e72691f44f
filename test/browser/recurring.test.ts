import { expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { axe, openPage, watchPages } from './session.js';
import { shopWithRecurring } from './world.js';

watchPages();
servesConsoles();

it('an operator pauses a recurring record, runs it now, finds its record, and back-fills two', async () => {
  const console = await shopWithRecurring();
  const origin = await serve(console);
  const page = await openPage(origin, { timezoneId: 'America/New_York' });
  await page.goto(`${origin}/recurring`);
  expect(await page.locator('.verdict').innerText()).toMatch(/1 is dead, .*fail/);
  await page.getByLabel('Name contains').fill('heart');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Pause… heartbeat' }).click();
  await page.getByLabel('Why, for other operators').fill('the ERP is down');
  const until = page.getByLabel('Goes on by itself');
  await until.fill('noon');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  expect(await page.getByRole('alert').innerText()).toMatch(/^Expected a time that lies ahead/);
  expect(await until.evaluate((field) => [field.ariaInvalid, document.activeElement === field])).toEqual([
    'true',
    true,
  ]);
  expect(await axe(page)).toEqual([]);
  await until.fill('2h');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(/^heartbeat is paused until /).waitFor();
  expect(await page.locator('.hero').innerText()).toMatch(/Paused for .*: the ERP is down, by ops/);
  const [first] = await page.locator('.occurrences time').all();
  expect(await first?.getAttribute('title')).toMatch(/GMT-5|EST/);

  await page.getByRole('link', { name: 'Run now…' }).click();
  expect(await page.locator('.verdict h1').innerText()).toBe('Run heartbeat now?');
  await page.getByRole('button', { name: 'Run now' }).click();
  expect(await page.getByRole('status').innerText()).toMatch(/^Inserted heartbeat@/);
  expect(await page.locator('h1').innerText()).toMatch(/^heartbeat@2026-11-23T14:47:/);
  const inserted = console.store.items().filter(({ id }) => /^heartbeat@.*14:47:/.test(String(id)));
  expect(inserted).toMatchObject([{ status: 'NEW', queue: 'default', recurring: 'heartbeat' }]);
  await page.getByRole('link', { name: 'heartbeat', exact: true }).click();

  const before = console.store.items().length;
  await page.getByLabel('From', { exact: true }).fill('2026-11-22T15:00Z');
  await page.getByLabel('To', { exact: true }).fill('2026-11-22T15:30Z');
  await page.getByRole('button', { name: 'Count them' }).click();
  await page.getByRole('button', { name: 'Insert 2 records' }).click();
  await page.getByText('2 records inserted.').waitFor();
  expect(console.store.items()).toHaveLength(before + 2);
});
