import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPage, watchPages } from './session.js';
import { startShop, stopsShops } from './shop-runtime.js';

watchPages();
stopsShops();

const MINUTE = 60_000;
const PATIENCE_MS = 60_000;

/** The time on the page's clock, epoch milliseconds. */
async function shownBy(page: Page): Promise<number> {
  return Date.parse(`${await page.locator('[data-clock]').innerText()} UTC`);
}

const press = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).focus();
  await page.keyboard.press('Enter');
};

describe('the clock of the local runtime', () => {
  it('is frozen on the page, goes on there as fast as it is set, and goes from tick to tick', async () => {
    const { origin, runtime } = await startShop(60);
    const page = await openPage(origin);
    page.setDefaultTimeout(PATIENCE_MS);
    // The test moves the time of the page. That of the runtime goes on.
    await page.clock.install({ time: Date.now() });
    await page.goto(`${origin}/tiers`);

    await press(page, 'Pause clock');
    await page.getByText('The clock is paused: no rule fires.').waitFor();
    // The next action is at the same place.
    const resume = page.getByRole('button', { name: 'Resume clock' });
    expect(await resume.evaluate((button) => button === document.activeElement)).toBe(true);
    const stood = await shownBy(page);
    await page.clock.runFor(3_000);
    expect(await shownBy(page)).toBe(stood);
    expect(runtime.status()).toMatchObject({ paused: true, speed: 60 });

    const [first] = runtime
      .status()
      .rules.filter(({ nextAt }) => nextAt !== undefined)
      .sort((a, b) => Date.parse(a.nextAt ?? '') - Date.parse(b.nextAt ?? ''));
    const { id = '', label = '', nextAt = '', fired = 0 } = first ?? {};
    const time = nextAt.slice(11, 19);
    await press(page, `Next tick ${time}`);
    await page.getByText(`The clock went to ${time}.`).waitFor();
    expect(await shownBy(page)).toBe(Math.floor(Date.parse(nextAt) / 1000) * 1000);
    expect(runtime.status().rules.find((rule) => rule.id === id)?.fired).toBeGreaterThan(fired);
    // The rule's last run is that one.
    await page.goto(origin);
    const lastRun = page.getByRole('row').filter({ hasText: label }).getByRole('cell').nth(1);
    expect(await lastRun.innerText()).toContain(`now ${time}`);

    await page.getByLabel('Another speed').fill('30');
    await page.keyboard.press('Enter');
    await page.getByText('The clock goes 30 times as fast as real time. It is still paused.').waitFor();
    await press(page, 'Resume clock');
    await page.getByText('The clock goes on, 30 times as fast').waitFor();
    const before = await shownBy(page);
    await page.clock.runFor(4_000);
    const passed = (await shownBy(page)) - before;
    expect(passed).toBeGreaterThanOrEqual(1.5 * MINUTE);
    expect(passed).toBeLessThan(4 * MINUTE);
  });
});
