import { describe, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { NARROW, openPage, watchPages } from './session.js';
import { hostileShop, shop } from './world.js';

watchPages();
servesConsoles();

describe('the ticks of the records', () => {
  it('are set for the whole page, for a range with Shift, and by the keyboard', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin);
    await page.goto(`${origin}/records?queue=orders`);
    const boxes = page.locator('.c-tick input');
    const ticked = async () =>
      boxes.evaluateAll((all) => all.flatMap((box, i) => ((box as HTMLInputElement).checked ? [i] : [])));
    const all = page.getByLabel('All 40 on this page');
    const status = page.locator('[data-ticked]');

    await all.check();
    expect([(await ticked()).length, await status.innerText()]).toEqual([40, '40 ticked']);
    await all.uncheck();
    expect([await ticked(), await status.innerText()]).toEqual([[], '']);

    await boxes.nth(5).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    expect([await ticked(), await status.innerText()]).toEqual([[2, 3, 4, 5], '4 ticked']);
    expect(await all.evaluate((box) => (box as HTMLInputElement).indeterminate)).toBe(true);
    await boxes.nth(4).click();
    await boxes.nth(5).click({ modifiers: ['Shift'] });
    expect(await ticked()).toEqual([2, 3]);

    await boxes.nth(10).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    expect(await ticked()).toEqual([2, 3, 10, 11, 12]);
    await boxes.nth(15).focus();
    await page.keyboard.press('Shift+Space');
    expect(await ticked()).toEqual([2, 3, 10, 11, 12, 13, 14, 15]);

    await page.getByRole('button', { name: 'Discard…' }).click();
    expect(await page.locator('h1').innerText()).toBe('Discard 8 records?');
    await page.goBack();
    await page.getByText('8 ticked').waitFor();
  });

  it('have no tick for all where no script sets it', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin, { javaScriptEnabled: false });
    await page.goto(`${origin}/records`);
    expect(await page.getByText('on this page').isVisible()).toBe(false);
    expect(await page.getByRole('link', { name: 'retry now 170' }).isVisible()).toBe(true);
  });
});

describe('the list of records', () => {
  it('leads to the next page, back, and from its other end', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin);
    const ids = () => page.locator('a.id').allInnerTexts();
    await page.goto(`${origin}/records`);
    const first = await ids();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'Previous page' }).click();
    expect(await ids()).toEqual(first);
    await page.getByRole('link', { name: 'Latest due' }).click();
    expect(await ids()).not.toContain(first[0]);
    await page.getByLabel('Error contains').fill('503');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(new URL(page.url()).searchParams.get('order')).toBe('reversed');
  });

  it('says its zone, and the times of the user beside', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin, { timezoneId: 'Asia/Tokyo' });
    await page.goto(`${origin}/records?queue=orders&status=ERROR`);
    expect(await page.locator('.foot').innerText()).toContain(
      'Times are in UTC. Point at one for Asia/Tokyo.',
    );
    const time = page.locator('.c-age time').first();
    const utc = new Date((await time.getAttribute('datetime')) ?? '').getTime();
    const own = new Date(utc + 9 * 3_600_000).toISOString().slice(11, 19);
    expect(await time.getAttribute('title')).toMatch(new RegExp(` 2026, ${own} `));
  });

  it('copies the address of its first page', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${origin}/records?queue=orders`);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'Link to this list' }).click();
    await page.getByRole('link', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${origin}/records?queue=orders`);
  });

  it.each([
    ['of a shop', shop, '/records'],
    ['that are hostile', hostileShop, '/records?queue=orders'],
  ])('breaks no id and no name of a queue on a phone: records %s', async (_, world, path) => {
    const origin = await serve(await world());
    const page = await openPage(origin, { viewport: NARROW });
    await page.goto(origin + path);
    const heights = await page
      .locator('.c-id, .c-queue')
      .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().height));
    expect(heights.length).toBe(80);
    expect(Math.max(...heights)).toBeLessThan(30);
  });
});
