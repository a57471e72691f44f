import { describe, expect, it } from 'vitest';
import { serve, servesConsoles } from './serve.js';
import { openPage, watchPages } from './session.js';
import { SHOP_VIEWS } from './views.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

describe('without JavaScript', () => {
  it('every view says what it has to say', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin, { javaScriptEnabled: false });
    for (const view of SHOP_VIEWS) {
      const answer = await page.goto(origin + view);
      const isMissing = /nowhere|no-such-record/.test(view);
      expect.soft(answer?.status(), view).toBe(isMissing ? 404 : 200);
      expect.soft((await page.locator('h1').innerText()).length, view).toBeGreaterThan(3);
    }
  });

  it('an operator edits a record, sees what would change, and saves it', async () => {
    const { store, ...console } = await shop();
    const origin = await serve(console);
    const page = await openPage(origin, { javaScriptEnabled: false });
    await page.goto(`${origin}/records?status=DEAD`);
    await page.locator('a.id').last().click();
    const id = await page.locator('h1').innerText();
    await page.getByRole('link', { name: 'Edit payload' }).click();
    const field = page.getByLabel('Payload, as JSON');
    await field.fill((await field.inputValue()).replace(/MUG-\d+-DISCONTINUED/, 'MUG-BLUE'));
    await page.getByLabel('Redrive it').check();
    await page.getByRole('button', { name: 'Look at the change' }).click();
    expect(await page.locator('.diff .added').innerText()).toContain('"article": "MUG-BLUE"');
    await page.getByRole('button', { name: 'Save the payload and redrive' }).click();
    expect(await page.getByRole('status').innerText()).toContain('1 record edited');
    expect(await store.records.get(id)).toMatchObject({
      status: 'NEW',
      payload: { lines: [{ article: 'MUG-BLUE' }] },
    });
  });
});
