import { expect, it } from 'vitest';
import { consoleUnderTest, inRetry, iso, waiting } from '../console/console-under-test.js';
import { HOSTILE_TEXTS } from './hostile.js';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, overflowOf, watchPages } from './session.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

/** A queue whose busiest keys are texts of someone who wants to do harm. */
function hostileKeys(keys: readonly string[]) {
  const console = consoleUnderTest({ queues: () => [{ name: 'orders' }] });
  keys.forEach((key, i) => {
    for (let copy = 0; copy < 3; copy++) console.store.put(waiting(`w${i}-${copy}`, { key, dueAt: iso(i) }));
    console.store.put(inRetry(`r${i}`, { key }));
  });
  return console;
}

it('the keys of the failures lead to their records, on a phone', async () => {
  const origin = await serve(await shop());
  const page = await openPage(origin, { viewport: NARROW });
  await page.goto(`${origin}/failures`);
  const first = page.locator('.keys li').first();
  expect(await first.innerText()).toMatch(/^acme\s+Pause…\s+34$/);
  await first.getByRole('link').first().click();
  expect(await page.locator('.records tbody tr').count()).toBe(34);
  await page.goBack();
  expect(
    await page
      .locator('.keys')
      .getByText(/^busy until/)
      .count(),
  ).toBe(1);
});

it('keys of someone who wants to do harm are text, in a block that fits on a phone', async () => {
  const texts = [
    ...HOSTILE_TEXTS.filter((text) => !/[\uD800-\uDFFF]/.test(text)),
    'W'.repeat(256),
    '__proto__',
  ];
  const keys = texts.map((text) => text.slice(0, 85));
  for (let i = 0; i < keys.length; i += 5) {
    const origin = await serve(hostileKeys(keys.slice(i, i + 5)));
    const page = await openPage(origin, { viewport: NARROW });
    await page.goto(`${origin}/failures`);
    expect(await page.locator('.keys li bdi').count()).toBe(2 * Math.min(5, keys.length - i));
    expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
    expect(await axe(page)).toEqual([]);
    await page.locator('.keys li a').first().click();
    expect(await page.locator('.records tbody tr').count()).toBe(4);
  }
});

it('a key is paused and resumed on its page, on a phone', async () => {
  const origin = await serve(await shop());
  const page = await openPage(origin, { viewport: NARROW });
  await page.goto(`${origin}/failures`);
  await page.getByRole('link', { name: 'Pause… acme' }).first().click();
  expect(await page.locator('h1').innerText()).toBe('Pause acme in orders?');
  expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
  expect(await axe(page)).toEqual([]);
  await page.getByLabel('Why, for other operators').fill('their endpoint is down');
  await page.getByLabel(/^Until/).fill('2h');
  await page.getByRole('button', { name: 'Pause' }).click();
  expect(await page.locator('.flash').innerText()).toContain('acme in orders is paused now.');
  const first = page.locator('.keys li').first();
  expect(await first.innerText()).toMatch(/paused by .* until \d\d:\d\d UTC, "their endpoint is down"/);
  expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
  expect(await axe(page)).toEqual([]);
  await page.goto(origin);
  expect(await page.getByText(/^key acme paused by/).count()).toBe(1);
  await page.getByText(/^key acme paused by/).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  expect(await page.locator('.flash').innerText()).toMatch(/acme in orders goes on\. Job \w+ makes due/);
});
