import { expect, it } from 'vitest';
import { startErp, stopsErps } from './own-erp.js';
import { axe, openPage, watchPages } from './session.js';
import { startShop, stopsShops } from './shop-runtime.js';

const PATIENCE = 60_000;
const ORDERS = 8;

watchPages();
stopsShops();
stopsErps();

it('a refused payload is found, edited and tried, then five records, then all', {
  timeout: 240_000,
}, async () => {
  const refused = { status: 400, says: 'vat is missing' };
  const erp = await startErp(({ vat }) => (vat === undefined ? refused : { status: 200, says: 'taken' }));
  const { origin, backlog, queue } = await startShop(60, erp.url);
  const page = await openPage(origin);
  page.setDefaultTimeout(PATIENCE);
  const views = page.getByRole('navigation', { name: 'Views' });
  const open = (view: string) => views.getByRole('link', { name: view }).click();
  const verdict = page.locator('.verdict h1');
  const main = page.locator('main');
  await page.goto(origin);
  await backlog.insertMany(
    Array.from({ length: ORDERS }, (_, i) => ({ id: `order-${i}`, queue, payload: { order: i, net: 100 } })),
  );
  const sentence = page.locator('.verdict');
  await sentence.filter({ hasText: `${ORDERS} dead records of ${queue} need a decision.` }).waitFor();
  await verdict
    .filter({ hasText: /^127\.0\.0\.1:\d+ \(HttpError 400\) has failed since \d\d:\d\d UTC: 100 %/ })
    .waitFor();

  await open('Failures');
  expect(await verdict.innerText()).toMatch(/^HttpError 400 of 127\.0\.0\.1:\d+ is the cause of/);
  expect(await page.locator('.patterns').first().innerText()).toContain('vat is missing');
  expect(await page.getByRole('link', { name: /^Redrive 8… of HttpError 400/ }).count()).toBe(1);
  await page
    .locator('.patterns')
    .getByRole('link', { name: /^order-/ })
    .first()
    .click();
  const id = await page.locator('h1').innerText();
  expect(await main.innerText()).toMatch(/1 attempt failed.*HttpError.*400.*vat is missing/s);

  await page.getByRole('link', { name: 'Edit payload' }).click();
  const field = page.getByLabel('Payload, as JSON');
  await field.fill((await field.inputValue()).replace('"net"', '"vat": 20, "net"'));
  await page.getByLabel('Redrive it').check();
  await page.getByRole('button', { name: 'Look at the change' }).click();
  expect(await page.locator('.diff .added').allInnerTexts()).toEqual(['+   "vat": 20,']);
  expect(await page.locator('.diff .removed').count()).toBe(0);
  await page.getByRole('button', { name: 'Save the payload and redrive' }).click();
  await page.locator('.hero').getByText('Success', { exact: true }).waitFor();
  expect(id).toMatch(/^order-\d$/);

  // The destination takes orders without it, and five show that it does.
  erp.answer = () => ({ status: 200, says: 'taken' });
  await page.goto(`${origin}/records?status=DEAD`);
  expect(await page.locator('.states a[aria-current]').first().innerText()).toMatch(/Dead\s+7$/);
  const ticks = page.locator('.c-tick input');
  await ticks.nth(0).click();
  await ticks.nth(4).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Redrive…' }).click();
  expect(await verdict.innerText()).toBe('Redrive 5 records?');
  await page.getByRole('button', { name: 'Redrive 5 records' }).click();
  await page.getByText('5 redriven').waitFor();
  await open('Overview');
  await sentence.filter({ hasText: `2 dead records of ${queue} need a decision.` }).waitFor();

  await open('Failures');
  await page.getByRole('link', { name: /^Redrive 2… of HttpError 400/ }).click();
  await page.getByRole('button', { name: 'Redrive 2 records' }).click();
  await page.getByText('2 redriven').waitFor();
  await open('Overview');
  await verdict.filter({ hasText: 'All quiet. No record waits.' }).waitFor();
  await open('Failures');
  expect(await main.innerText()).toContain('No record');
  expect(await axe(page)).toEqual([]);
});
