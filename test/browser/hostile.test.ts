import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HOSTILE_IDS, HOSTILE_TEXTS } from './hostile.js';
import { serve, servesConsoles } from './serve.js';
import { openPage, watchPages } from './session.js';
import { hostileShop } from './world.js';

watchPages();
servesConsoles();

const link = (id: string) => `/record?${new URLSearchParams({ id })}`;

async function lookAndDiscard(page: Page, origin: string, id: string, reason: string): Promise<void> {
  const answer = await page.goto(origin + link(id));
  expect(answer?.status()).toBe(200);
  // Everything that is folded is opened: it is a part of the page, too.
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  const found = await page.evaluate(() => ({
    scripts: [...document.scripts].map(({ src, text }) => src.replace(/^https?:..[^/]*|[?].*/g, '') + text),
    foreign: document.querySelectorAll('main img, main style, main iframe, [style], base, main link').length,
    handlers: [...document.querySelectorAll('*')].filter(({ attributes }) =>
      [...attributes].some(({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value)),
    ).length,
    isolated: [...document.querySelectorAll('bdi')].length > 0,
    heading: document.querySelector('h1')?.textContent ?? '',
  }));
  expect(found).toMatchObject({ scripts: ['/console.js'], foreign: 0, handlers: 0, isolated: true });
  expect(found.heading.length).toBeGreaterThan(0);
  const discard = page.getByRole('link', { name: 'Discard' });
  await discard.click();
  await page.getByLabel('Reason').fill(reason);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('status').waitFor();
  expect(new URL(page.url()).searchParams.get('id')).toBe(await page.evaluate((text) => text, id));
}

describe('a record of someone who wants to do harm', () => {
  it('is shown as text, and can be discarded', async () => {
    const origin = await serve(await hostileShop());
    const page = await openPage(origin);
    for (const [i, id] of HOSTILE_IDS.entries())
      await lookAndDiscard(page, origin, id, HOSTILE_TEXTS[i % 4] ?? '');
  });

  it('leads from the list to its own page, and nowhere else', async () => {
    const origin = await serve(await hostileShop());
    const page = await openPage(origin);
    await page.goto(`${origin}/records?queue=orders`);
    const hrefs = await page
      .locator('a.id')
      .evaluateAll((links) => links.map((one) => (one as HTMLAnchorElement).href));
    const ids = hrefs.map((href) => new URL(href).searchParams.get('id') ?? '');
    expect(hrefs.every((href) => href.startsWith(`${origin}/record?`))).toBe(true);
    const shown = HOSTILE_IDS.filter((id) => ids.includes(id));
    expect(shown.length).toBeGreaterThan(5);
    for (const id of shown) {
      await page.goto(origin + link(id));
      expect(await page.title()).not.toContain('No such record');
    }
  });

  it('is brought up to date as text, too', async () => {
    const { store, ...console } = await hostileShop();
    const origin = await serve(console);
    const page = await openPage(origin);
    await page.clock.install();
    const id = HOSTILE_IDS[1];
    await page.goto(origin + link(id));
    const item = store.items().find((one) => one.id === id);
    store.put({
      ...item,
      id,
      lastError: { name: 'Fresh', message: HOSTILE_TEXTS.join(' '), at: '', attempt: 3 },
    });
    await page.clock.runFor(6_000);
    await page.getByText('Fresh').first().waitFor();
  });

  it('does not come with its payload as a page', async () => {
    const origin = await serve(await hostileShop());
    const page = await openPage(origin);
    await page.goto(origin + link(HOSTILE_IDS[0]));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Raw' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('payload.json');
  });

  it('could do nothing even if a text became a part of the page', async () => {
    const origin = await serve(await hostileShop());
    const page = await openPage(origin, { watched: false });
    await page.goto(origin + link(HOSTILE_IDS[0]));
    const blocked = await page.evaluate(
      (script) =>
        new Promise<{ directives: string[]; ran: boolean }>((resolve) => {
          const directives: string[] = [];
          document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
            directives.push(effectiveDirective);
          });
          const inline = document.createElement('script');
          inline.textContent = script;
          const image = document.createElement('div');
          image.innerHTML =
            '<img src="https://elsewhere.example/x"><b style="color: red" onclick="window.ran = true">x</b>';
          document.body.append(inline, image);
          image.querySelector('b')?.click();
          fetch('https://elsewhere.example/').catch(() => {
            const ran = 'ran' in window;
            // The events of what was blocked come as tasks of their own.
            setTimeout(() => resolve({ directives: directives.sort(), ran }), 100);
          });
        }),
      'window.ran = true',
    );
    expect(blocked).toEqual({
      directives: ['connect-src', 'img-src', 'script-src-attr', 'script-src-elem', 'style-src-attr'],
      ran: false,
    });
  });
});
