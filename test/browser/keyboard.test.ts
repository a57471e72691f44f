import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { openPage, watchPages } from './session.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

/** More than any page has places to stop at. */
const MAX_TABS = 250;

/** The element that has the focus, and whether an eye can tell. */
async function focused(page: Page, selector: string) {
  return page.evaluate((wanted) => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: '', found: false, visible: true };
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
    const hasRing = (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
    const isInside = top >= -1 && left >= -1 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
    // What lies over its middle: itself, or what is inside of it.
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    const isFree = height > innerHeight || over === null || element.contains(over) || over.contains(element);
    return {
      name: element.outerHTML.slice(0, 140),
      found: element.matches(wanted),
      visible: width > 1 && height > 1 && hasRing && isInside && isFree,
    };
  }, selector);
}

/** Presses Tab until it stands on such an element. Every stop on the way must be seen. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < MAX_TABS; i++) {
    await page.keyboard.press('Tab');
    const { name, found, visible } = await focused(page, selector);
    expect(visible, `the focus cannot be seen on ${name}`).toBe(true);
    if (found) return;
  }
  throw new Error(`no Tab leads to ${selector} on ${page.url()}`);
}

/** Follows what has the focus. */
async function enter(page: Page): Promise<void> {
  const before = page.url();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.href !== before, { waitUntil: 'load' });
}

describe('with the keyboard alone', () => {
  it('an operator finds a dead record, looks at what would happen, goes back, and redrives it', async () => {
    const { store, log, ...console } = await shop();
    const origin = await serve(console);
    const page = await openPage(origin);
    await page.goto(origin);
    await tabTo(page, 'a[href="/records?queue=orders&status=DEAD"]');
    await enter(page);
    await tabTo(page, 'a.id');
    await enter(page);
    const id = await page.locator('h1').innerText();
    expect((await store.records.get(id))?.status).toBe('DEAD');
    await tabTo(page, 'a[href*="do=redrive"]');
    await enter(page);
    await tabTo(page, '.buttons a');
    await enter(page);
    expect(new URL(page.url()).searchParams.get('id')).toBe(id);
    expect((await store.records.get(id))?.status).toBe('DEAD');
    await tabTo(page, 'a[href*="do=redrive"]');
    await enter(page);
    await tabTo(page, 'main button[type=submit]:not(.text)');
    await enter(page);
    expect(await page.getByRole('status').innerText()).toContain('1 record redriven');
    expect((await store.records.get(id))?.status).toBe('NEW');
    expect(log.map(({ as, text }) => `${as}: ${text}`)).toEqual([`ops: redrive: ${id}`]);
  });

  it('leads past the head of the page first', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin);
    await page.goto(`${origin}/failures`);
    await tabTo(page, '.skip');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await tabTo(page, 'main a');
  });

  it('opens the row of a cause, and acts on all its records', async () => {
    const { store, ...console } = await shop();
    const origin = await serve(console);
    const page = await openPage(origin);
    await page.goto(`${origin}/failures`);
    const cause = page.locator('li[data-key="HttpError 422 erp.example"]');
    await tabTo(page, 'li[data-key="HttpError 422 erp.example"] > details > summary');
    await page.keyboard.press('Enter');
    await cause.locator('.patterns').waitFor();
    expect(await cause.locator('.patterns').innerText()).toContain('unknown article {id}');
    await tabTo(page, '.causes a[href*="do=redrive"]');
    await enter(page);
    expect(await page.locator('h1').innerText()).toBe('Redrive 5 records?');
    await tabTo(page, 'main button[type=submit]');
    await enter(page);
    await page.getByText('5 redriven').waitFor();
    expect((await store.records.get('order-0960'))?.status).toBe('NEW');
  });

  it('ticks records, and acts on the ticked ones', async () => {
    const { store, ...console } = await shop();
    const origin = await serve(console);
    const page = await openPage(origin);
    await page.goto(`${origin}/records?status=DEAD`);
    for (let i = 0; i < 2; i++) {
      await tabTo(page, '.c-tick input');
      await page.keyboard.press('Space');
    }
    await tabTo(page, 'button[name=do][value=redrive]');
    await enter(page);
    expect(await page.locator('h1').innerText()).toBe('Redrive 2 records?');
    await tabTo(page, 'main button[type=submit]');
    await enter(page);
    await page.getByText('2 redriven').waitFor();
  });
});
