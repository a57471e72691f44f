import { describe, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { openPage, watchPages } from './session.js';
import { deployedShop } from './world.js';

watchPages();
servesConsoles();

const REASON = 'The console was started without --write.';

describe('a console that may only look', () => {
  it.each([
    ['a record', '/record?id=order-0987', 6],
    ['the records', '/records?queue=orders', 5],
    ['a confirmation', '/record/act?id=order-0960&do=redrive', 1],
    ['a form', '/record/act?id=order-0987&do=snooze', 1],
    ['a queue', '/queue?name=orders', 1],
  ])('shows the actions of %s disabled, and why', async (_, view, actions) => {
    const origin = await serve(await deployedShop());
    const page = await openPage(origin);
    await page.goto(origin + view);
    const buttons = page.locator('main button:not(.filters button)');
    expect(await buttons.count()).toBe(actions);
    expect(await buttons.evaluateAll((all) => all.every((one) => (one as HTMLButtonElement).disabled))).toBe(
      true,
    );
    expect(await page.getByText(REASON).isVisible()).toBe(true);
    expect(await page.locator('main form[method=post] a[href*="/bulk"]').count()).toBe(0);
  });

  it('refuses an address that acts, and says why', async () => {
    const origin = await serve(await deployedShop());
    const page = await openPage(origin);
    const answer = await page.goto(`${origin}/bulk?do=redrive&queue=orders&status=DEAD`);
    expect(answer?.status()).toBe(403);
    expect(await page.locator('h1').innerText()).toContain(REASON);
  });

  it('says in the head of each page that it is read-only', async () => {
    const origin = await serve(await deployedShop());
    const page = await openPage(origin);
    for (const view of ['/', '/failures', '/records', '/tiers']) {
      await page.goto(origin + view);
      expect(await page.locator('header.top').innerText()).toContain('read-only');
    }
  });
});
