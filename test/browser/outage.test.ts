import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { UNKNOWN_ARTICLE } from '../../tools/src/local/sample/sample-erp.js';
import { NARROW, openPage, watchPages } from './session.js';
import { startShop, stopsShops } from './shop-runtime.js';

/** The speed of the sample of `backlog start`. */
const SPEED = 60;
const ORDERS = 24;
const PATIENCE = { timeout: 60_000 };

watchPages();
stopsShops();

const order = (i: number) => ({
  order: i,
  lines: [{ article: i === 5 ? UNKNOWN_ARTICLE : 'MUG-BLUE', quantity: 1 }],
});

/** Failures are those of when the page was made. */
async function reloadUntil(page: Page, wanted: Locator): Promise<void> {
  await vi.waitUntil(async () => (await wanted.count()) > 0 || !(await page.reload()), {
    ...PATIENCE,
    interval: 500,
  });
}

/** Sees that facts and links are behind *More* on a phone, and stay open when the page refreshes itself. */
async function onPhone(page: Page, incident: Locator): Promise<void> {
  const wide = page.viewportSize();
  await page.setViewportSize(NARROW);
  const [facts, pause] = [
    incident.getByText('First failure', { exact: true }),
    incident.getByRole('link', { name: 'Pause…' }),
  ];
  expect([await facts.isVisible(), await pause.isVisible()]).toEqual([false, false]);
  await incident.getByRole('checkbox', { name: /^More about / }).press('Space');
  const refreshed = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/');
  expect([await facts.isVisible(), await pause.isVisible()]).toEqual([true, true]);
  await refreshed;
  expect(await page.evaluate(() => document.body.scrollWidth <= innerWidth)).toBe(true);
  expect([await facts.isVisible(), await pause.isVisible()]).toEqual([true, true]);
  await incident.locator('label.more').click();
  await facts.waitFor({ state: 'hidden' });
  if (wide) await page.setViewportSize(wide);
}

describe('an operator', () => {
  it('gets from an outage to all green', { timeout: 240_000 }, async () => {
    const { origin, backlog, queue } = await startShop(SPEED);
    const page = await openPage(origin);
    page.setDefaultTimeout(PATIENCE.timeout);
    const views = page.getByRole('navigation', { name: 'Views' });
    const open = (view: string) => views.getByRole('link', { name: view }).click();
    const verdict = page.locator('.verdict h1');
    await page.goto(origin);
    await page.getByText(/No record has come yet|All quiet/).waitFor();

    await page.getByRole('button', { name: 'Take it down' }).click();
    await page.getByText('Sample ERP is down', { exact: true }).waitFor();
    await backlog.insertMany(
      Array.from({ length: ORDERS }, (_, i) => ({ id: `order-${i}`, queue, payload: order(i) })),
    );
    // The page says so by itself, without a reload.
    await verdict.filter({ hasText: /has failed since \d\d:\d\d UTC: (\d+ %|breaker open)/ }).waitFor();
    const incident = page.getByRole('region', { name: /^Incident: / });
    await incident
      .filter({ hasText: /Failing.*First failure.*\d\d:\d\d:\d\d.*Affected queue.*orders\s*24/s })
      .waitFor();

    await onPhone(page, incident);
    await incident.getByRole('link', { name: 'Causes' }).click();
    await reloadUntil(page, verdict.filter({ hasText: /^HttpError 503 of 127.0.0.1:\d+ is the cause/ }));
    await page
      .locator('.patterns')
      .first()
      .getByRole('link', { name: /^order-/ })
      .first()
      .click();
    expect(await page.locator('main').innerText()).toMatch(/attempts? failed.*HttpError.*503/s);
    await page.getByRole('img', { name: /planned if it fails/ }).waitFor();

    await open('Overview');
    await page.getByRole('link', { name: `Pause… ${queue}` }).click();
    await page.getByLabel('Why, for other operators').fill('until the ERP is back');
    await page.getByLabel('No alarm before').fill('2h');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: `${queue} is paused now.` })
      .waitFor();
    expect(await page.locator('main').innerText()).toMatch(
      /until (\w{3} \d+ \w{3} )?\d\d:\d\d UTC, "until the ERP is back"/,
    );

    // Two of them are put off: they are left when the others have succeeded.
    await page.goto(`${origin}/records?queue=${queue}&status=ERROR`);
    for (const id of ['order-1', 'order-2']) await page.getByLabel(`Tick ${id}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Snooze…' }).click();
    await page.getByLabel('For how long').fill('1d');
    await page.getByRole('button', { name: 'Snooze 2 records' }).click();
    await page.getByText('2 put off').waitFor();

    await page.getByRole('button', { name: 'Bring it up' }).click();
    await page.getByText('The sample ERP is up, and stays up.').waitFor();
    await open('Overview');
    await page.getByRole('link', { name: `Resume… ${queue}` }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    const back =
      / is back since \d\d:\d\d UTC(, after [^:]+)?: 2 records wait( in orders)? that have failed before, the last is due/;
    await verdict.filter({ hasText: back }).waitFor();
    expect(await incident.innerText()).toMatch(/Recovering.*Back since.*Last record is due.*orders\s+2/s);

    await open('Failures');
    await page.getByRole('link', { name: /^Retry 2…/ }).click();
    expect(await verdict.innerText()).toBe('Retry 2 records now?');
    expect(await page.locator('.cmd').innerText()).toMatch(/records would be made due/);
    await page.getByRole('button', { name: 'Retry 2 records now' }).click();
    await page.getByText('2 made due').waitFor();

    await open('Overview');
    await verdict.filter({ hasText: `1 dead record of ${queue} needs a decision.` }).waitFor();
    await page.locator(`a[href="/records?queue=${queue}&status=DEAD"]`).click();
    await page.getByRole('link', { name: 'order-5', exact: true }).click();
    expect(await page.locator('main').innerText()).toContain(`unknown article ${UNKNOWN_ARTICLE}`);
    await page.getByRole('link', { name: 'Edit payload' }).click();
    const field = page.getByLabel('Payload, as JSON');
    await field.fill((await field.inputValue()).replace(UNKNOWN_ARTICLE, 'MUG-BLUE'));
    await page.getByLabel('Redrive it').check();
    await page.getByRole('button', { name: 'Look at the change' }).click();
    await page.getByRole('button', { name: 'Save the payload and redrive' }).click();
    await page.getByText('1 record edited').waitFor();
    await page.locator('.hero').getByText('Success', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Put a record' }).click();
    await page.getByLabel('Id, also').fill('order-by-hand');
    await page.getByRole('button', { name: 'Put', exact: true }).click();
    await page.locator('.hero').getByText('Success', { exact: true }).waitFor();

    await open('Overview');
    await verdict.filter({ hasText: 'All quiet. No record waits.' }).waitFor();
    await page.locator('.queues tbody .badge:not(.ok)').waitFor({ state: 'detached' });
    const rows = await page.locator('.queues tbody tr .badge').allInnerTexts();
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows)).toEqual(new Set(['Quiet']));
  });
});
