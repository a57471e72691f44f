import { expect, it } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { failingNote } from '../cli/top/queue-views.js';
import { serve, servesConsoles } from './serve.js';
import { axe, openPage, watchPages } from './session.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

it('an operator pauses a queue with a reason and an end, reads both in the overview, and resumes it', async () => {
  const { store, ...console } = await shop();
  const origin = await serve(console);
  const page = await openPage(origin);
  await page.goto(`${origin}/`);
  await page.getByRole('link', { name: 'Pause… mails' }).first().click();
  expect(await page.locator('h1').innerText()).toBe('Pause mails?');
  expect(await axe(page)).toEqual([]);
  await page.getByLabel('Why, for other operators').fill('move <b>to</b> a new host');
  await page.getByLabel('No alarm before').fill('2h');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();

  expect(await page.getByRole('status').innerText()).toContain('mails is paused now.');
  const row = page.getByRole('row').filter({ hasText: 'Resume… mails' });
  expect(await row.innerText()).toContain('by ops until 16:47 UTC, "move <b>to</b> a new host"');
  expect(await store.queues.read('mails')).toMatchObject({ paused: true, pausedBy: 'ops' });

  await row.getByRole('link', { name: 'Resume… mails' }).click();
  expect(await page.locator('form.blank').innerText()).toContain('by ops until 16:47 UTC');
  expect(await page.getByLabel('Why, for other operators').count()).toBe(0);
  await page.getByRole('button', { name: 'Resume' }).click();
  expect(await page.getByRole('status').innerText()).toContain('mails is not paused now.');
  expect(await row.count()).toBe(0);
  expect(await store.queues.read('mails')).toMatchObject({ paused: false });
});

it('a pause with an end that is none is asked again, with what was typed', async () => {
  const { store, ...console } = await shop();
  const origin = await serve(console);
  const page = await openPage(origin);
  await page.goto(`${origin}/queue?name=mails`);
  await page.getByLabel('Why, for other operators').fill('a "new" host');
  await page.getByLabel('No alarm before').fill('noon');
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  expect((await answer).status()).toBe(422);
  const until = page.getByLabel('No alarm before');
  expect(await page.getByRole('alert').innerText()).toMatch(
    /^Expected a time that lies ahead, .*got "noon"$/,
  );
  expect(await until.evaluate((field) => [field.ariaInvalid, document.activeElement === field])).toEqual([
    'true',
    true,
  ]);
  expect(await page.getByLabel('Why, for other operators').inputValue()).toBe('a "new" host');
  expect(await axe(page)).toEqual([]);
  await until.fill('2h');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  expect(await page.getByRole('status').innerText()).toContain('mails is paused now.');
  expect(await store.queues.read('mails')).toMatchObject({ paused: true, pauseReason: 'a "new" host' });
});

it('what failed before a pause is said to be not known, until the first runs after it', async () => {
  const { store, ...console } = await shop();
  const note = failingNote('bank.example.com', 3_600_000, 'HttpError 503');
  await store.queues.noteFailing('invoices', failingText({ notes: [note], past: [] }), undefined);
  const origin = await serve(console);
  const page = await openPage(origin);
  await page.goto(`${origin}/`);
  const incident = page.getByRole('region', { name: 'Incident: destination bank.example.com' });
  expect(await incident.innerText()).toMatch(/^Not known.*bank\.example\.com \(HttpError 503\)/s);
  expect(await page.locator('.verdict').innerText()).toContain(
    'bank.example.com (HttpError 503) had failed since 13:47 UTC, and nothing is known since the pause: 14 records wait in invoices',
  );
  expect(await axe(page)).toEqual([]);
  await page.setViewportSize({ width: 400, height: 800 });
  expect(await axe(page)).toEqual([]);
});
