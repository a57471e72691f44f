import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { manyQueues } from './many-queues.js';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, overflowOf, WIDE, watchPages } from './session.js';
import { GROUP_VIEWS, HOSTILE_VIEWS, JOB_VIEWS, LINE_VIEWS, RECURRING_VIEWS, SHOP_VIEWS } from './views.js';
import {
  brokenShop,
  deployedShop,
  deployedWithJobs,
  emptyShop,
  hostileShop,
  pausedShop,
  redactedShop,
  shop,
  shopWithGroups,
  shopWithJobs,
  shopWithLines,
  shopWithRecurring,
  slowedShop,
} from './world.js';

/** Rules that another palette can break. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

const worlds = [
  ['a shop', shop, SHOP_VIEWS],
  ['a shop with hostile records', hostileShop, HOSTILE_VIEWS],
  [
    'a deployed backlog, read-only',
    deployedShop,
    ['/', '/failures', '/records', '/tiers', '/record?id=order-0987'],
  ],
  ['a shop whose clock is paused', pausedShop, ['/']],
  ['a shop whose clock is slowed', slowedShop, ['/']],
  [
    'a shop with redacted payloads',
    redactedShop,
    [
      '/records?where=shipTo%3D%5Bhidden%5D',
      '/record?id=order-0987',
      '/record?id=order-0960',
      '/record/act?id=order-0987&do=edit',
    ],
  ],
  ['a shop with jobs', shopWithJobs, JOB_VIEWS],
  ['a shop with recurring records', shopWithRecurring, RECURRING_VIEWS],
  ['a shop with groups', shopWithGroups, GROUP_VIEWS],
  ['a shop with lines of keys', shopWithLines, LINE_VIEWS],
  ['a deployed backlog with jobs, read-only', deployedWithJobs, JOB_VIEWS],
  ['a shop of fifty queues', () => manyQueues({ hasBadRules: true }), ['/']],
  [
    'a backlog without records',
    emptyShop,
    ['/', '/failures', '/records', '/tiers', '/jobs', '/recurring', '/groups'],
  ],
  [
    'a backlog that cannot be read',
    brokenShop,
    ['/', '/failures', '/records', '/tiers', '/record?id=order-0987'],
  ],
] as const;

watchPages();
servesConsoles();

/** Faults of the page as it is, to eyes, to readers of pages, and on a phone. */
async function faultsOf(page: Page) {
  const light = await axe(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axe(page, COLOURS);
  await page.setViewportSize(NARROW);
  const overflow = await overflowOf(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  return { light, dark, overflow };
}
const NO_FAULTS = { light: [], dark: [], overflow: { by: 0, of: [] } };

describe.each(worlds)('%s', (_, world, views) => {
  let served: Promise<string> | undefined;

  it.each([...views])(
    'has no fault that axe finds in %s, in light or dark, nor is wider than a phone',
    async (view) => {
      served ??= Promise.resolve(world()).then(serve);
      const origin = await served;
      const page = await openPage(origin);
      await page.goto(origin + view, { waitUntil: 'load' });
      expect(await faultsOf(page)).toEqual(NO_FAULTS);
    },
  );
});

it('the pages that forms lead to have no faults, either', async () => {
  const origin = await serve(await shop());
  const page = await openPage(origin);
  await page.goto(`${origin}/record/act?id=order-0960&do=edit`);
  await page.getByLabel('Payload, as JSON').fill('{"changed": true}');
  await page.getByRole('button', { name: 'Look at the change' }).click();
  await page.locator('.diff').waitFor();
  expect.soft(await faultsOf(page)).toEqual(NO_FAULTS);
  await page.getByRole('button', { name: 'Save the payload' }).click();
  await page.getByRole('status').waitFor();
  expect.soft(await faultsOf(page)).toEqual(NO_FAULTS);
  await page.goto(`${origin}/bulk?do=redrive&queue=orders&status=DEAD`);
  await page.getByRole('button', { name: /^Redrive/ }).click();
  await page
    .getByText(/^\d+ redriven$/)
    .first()
    .waitFor();
  expect.soft(await faultsOf(page)).toEqual(NO_FAULTS);
});

it('the causes of failures have no faults when all of them are open', async () => {
  const origin = await serve(await hostileShop());
  const page = await openPage(origin);
  await page.goto(`${origin}/failures`);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  expect(await page.locator('.patterns:visible').count()).toBeGreaterThan(5);
  expect(await faultsOf(page)).toEqual(NO_FAULTS);
});

describe('fifty queues', () => {
  it('has what is wrong on the first screen of a phone, and the other queues folded', async () => {
    const origin = await serve(await manyQueues());
    const page = await openPage(origin, { viewport: NARROW });
    await page.goto(origin);
    const queues = page.locator('.queues tbody tr');
    expect(await queues.count()).toBe(7);
    const lines = page.locator('.fold .lines tbody tr');
    expect([await lines.count(), await lines.first().isVisible()]).toEqual([43, false]);
    const bottom = await queues.nth(3).evaluate((row) => row.getBoundingClientRect().bottom);
    expect(bottom).toBeLessThanOrEqual(NARROW.height);
  });

  it('has one line for each queue of the open fold, and no fault', async () => {
    const origin = await serve(await manyQueues());
    for (const viewport of [WIDE, NARROW]) {
      const page = await openPage(origin, { viewport });
      await page.goto(origin);
      await page.locator('[data-key="folded"] summary').click();
      const heights = await page
        .locator('.fold .lines tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      expect(Math.max(...heights)).toBeLessThan(40);
      expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
      expect(await axe(page)).toEqual([]);
    }
  });
});

describe('fifty rules', () => {
  it('has those that are late or fail in the open, and the others in a fold for the keyboard alone', async () => {
    const origin = await serve(await manyQueues({ hasBadRules: true }));
    for (const javaScriptEnabled of [true, false]) {
      const page = await openPage(origin, { viewport: NARROW, javaScriptEnabled });
      await page.goto(origin);
      const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Rules' }) });
      expect(await panel.locator('tr.missed:visible').count()).toBe(2);
      expect(await panel.locator('tbody tr:visible').count()).toBe(2);
      expect(await panel.locator('summary').innerText()).toMatch(/^48 rules on time\s+next in 42 s/);
      await panel.locator('summary').focus();
      await page.keyboard.press('Enter');
      expect(await panel.locator('tbody tr:visible').count()).toBe(50);
      if (javaScriptEnabled) expect(await faultsOf(page)).toEqual(NO_FAULTS);
    }
  });

  it('stay as the user has opened them when the page is brought up to date', async () => {
    const console = await manyQueues({ hasBadRules: true });
    const origin = await serve(console);
    const page = await openPage(origin);
    await page.goto(origin);
    await page.locator('[data-key="rules"] summary').click();
    const answer = page.waitForResponse((response) => response.url() === `${origin}/`);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await answer;
    expect(await page.locator('[data-key="rules"] tbody tr:visible').count()).toBe(48);
  });
});

describe('the filter of the records', () => {
  const FILTERED = '/records?queue=orders&status=ERROR&error=503';

  it('is folded on a phone, says in words what it has, and opens without JavaScript', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin, { viewport: NARROW, javaScriptEnabled: false });
    await page.goto(origin + FILTERED);
    const field = page.getByLabel('Error contains');
    expect(await field.isVisible()).toBe(false);
    const summary = page.locator('.filterfold summary');
    expect(await summary.innerText()).toBe(
      'Filter Records of orders that are in retry and whose error contains 503',
    );
    const first = await page.locator('.records tbody tr').first().boundingBox();
    expect((first?.y ?? NARROW.height) + (first?.height ?? 0)).toBeLessThan(NARROW.height * 0.65);
    await summary.click();
    expect([await field.isVisible(), await field.inputValue()]).toEqual([true, '503']);
  });

  it('needs no fold on a wide page', async () => {
    const origin = await serve(await shop());
    const page = await openPage(origin, { javaScriptEnabled: false });
    await page.goto(origin + FILTERED);
    expect(await page.getByLabel('Error contains').isVisible()).toBe(true);
    expect(await page.locator('.filterfold summary').isVisible()).toBe(false);
    await page.getByLabel('Error contains').fill('no such error');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No record matches.').waitFor();
  });
});

describe('the curve of a record', () => {
  /** Pairs of texts of the picture that touch, and texts that its edge cuts. */
  const faultsOfTexts = (page: Page) =>
    page.locator('.curve svg:visible').evaluate((svg) => {
      const edge = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll('text')].map((text) => ({
        text: text.textContent ?? '',
        box: text.getBoundingClientRect(),
      }));
      const cut = texts
        .filter(({ box }) => box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 2)
        .map(({ text }) => `cut off: ${text}`);
      // Boxes of texts have room above and below their letters.
      const touch = texts.flatMap((one, i) =>
        texts
          .slice(i + 1)
          .filter(
            ({ box }) =>
              box.left < one.box.right &&
              one.box.left < box.right &&
              box.top + 3 < one.box.bottom - 3 &&
              one.box.top + 3 < box.bottom - 3,
          )
          .map(({ text }) => `${one.text} / ${text}`),
      );
      return [...cut, ...touch];
    });

  it('has no text that is cut off, or stands on another one', async () => {
    const origin = await serve(await shop());
    const ids = ['order-0987', 'order-0960', 'order-1013', 'hook-2', 'hook-3', 'product-4-1', 'product-7-0'];
    for (const viewport of [WIDE, NARROW]) {
      const page = await openPage(origin, { viewport });
      for (const id of ids) {
        await page.goto(`${origin}/record?id=${id}`);
        if ((await page.locator('.curve').count()) === 0) continue;
        expect.soft({ id, width: viewport.width, faults: await faultsOfTexts(page) }).toEqual({
          id,
          width: viewport.width,
          faults: [],
        });
      }
    }
  });
});
