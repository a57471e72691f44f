import { expect, it } from 'vitest';
import { SUCCESS } from '../console/stored-groups.js';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, watchPages } from './session.js';
import { shopWithGroups } from './world.js';

watchPages();
servesConsoles();

it('an operator sees what holds a group, redrives its dead member, and sees the end of the group', async () => {
  const { groups, ...console } = await shopWithGroups();
  const origin = await serve(console);
  const page = await openPage(origin, { timezoneId: 'America/New_York' });
  await page.clock.install();
  await page.goto(origin);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Groups' }).click();
  expect(await page.locator('.verdict').innerText()).toMatch(/1 is held by dead members/);
  const row = page.locator('tr', { hasText: 'invoices-november' });
  expect(await row.innerText()).toMatch(
    /Sealed.*Held by 1 dead member.*4 succeeded.*1 dead.*4 of 5 ended, 80 %/s,
  );
  expect(await row.locator('.c-timeout time').getAttribute('title')).toMatch(/GMT-5|EST/);

  await page.getByRole('link', { name: 'invoices-november', exact: true }).click();
  const bar = page.locator('.members.large');
  expect(await bar.getByRole('listitem').allInnerTexts()).toEqual(['4 succeeded', '1 dead']);
  const [green, red] = await bar
    .locator('rect:not(.m-none)')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
  expect((green ?? 0) / (red ?? 1)).toBeGreaterThan(3.9);
  expect((green ?? 0) / (red ?? 1)).toBeLessThan(4.1);
  const group = page.url();

  await page.getByRole('link', { name: 'invoices-november/4' }).click();
  await page.getByRole('link', { name: 'Redrive…' }).click();
  await page.getByRole('button', { name: 'Redrive', exact: true }).click();
  await page.getByText('1 record redriven').waitFor();
  await groups.count();
  await page.getByRole('link', { name: 'invoices-november', exact: true }).click();
  expect(page.url()).toBe(group);
  expect(await bar.getByRole('listitem').allInnerTexts()).toEqual(['4 succeeded', '1 waiting']);
  expect(await page.locator('.hero').innerText()).not.toContain('Held by');

  groups.end('invoices-november', SUCCESS, 4);
  await groups.count();
  await page.clock.runFor(6_000);
  await page.locator('.hero').getByText('Ended', { exact: true }).waitFor();
  expect(await bar.getByRole('listitem').allInnerTexts()).toEqual(['5 succeeded']);
  expect(await page.getByRole('link', { name: 'Check…' }).count()).toBe(0);
  expect(await axe(page)).toEqual([]);

  await page.getByRole('link', { name: 'invoices-november', exact: true }).click();
  expect(await page.locator('.hero').innerText()).toContain(
    'The record of the end of the group invoices-november',
  );
  expect(await console.store.records.get('invoices-november')).toMatchObject({
    status: 'NEW',
    payload: { group: { complete: true, members: 5, succeeded: 5, dead: 0 } },
  });
});

it('an operator seals a group on a phone with the keyboard alone, and a check finds what was missed', async () => {
  const { groups, ...console } = await shopWithGroups();
  const origin = await serve(console);
  const page = await openPage(origin, { viewport: NARROW });
  await page.goto(`${origin}/groups/show?id=day-335`);
  const tabTo = async (selector: string) => {
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    }
    throw new Error(`no Tab leads to ${selector}`);
  };
  const press = async (selector: string) => {
    await tabTo(selector);
    const before = page.url();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href !== before, { waitUntil: 'load' });
  };
  await press('a[href*="do=seal"]');
  expect(await page.locator('form p').allInnerTexts()).toContainEqual(
    expect.stringContaining('cannot be undone'),
  );
  expect(await axe(page)).toEqual([]);
  await press('.buttons a');
  expect(await groups.groups.get('day-335')).toMatchObject({ state: 'open' });
  await press('a[href*="do=seal"]');
  await press('main button[type=submit].danger');
  expect(await page.getByRole('status').innerText()).toBe('Sealed: it takes no more members.');
  expect(await groups.groups.get('day-335')).toMatchObject({ state: 'sealed' });

  groups.end('day-335', SUCCESS, 5, 11);
  groups.miss();
  await press('a[href*="do=check"]');
  expect(await page.locator('form').last().innerText()).toMatch(/It reads 7 records: .* at least 7 units/);
  await press('main button[type=submit].pri');
  expect(await page.getByRole('status').innerText()).toMatch(
    /^Checked\. 7 more succeeded, 7 fewer waiting\. The group has ended\.$/,
  );
  expect(await page.locator('.hero').innerText()).toMatch(/Ended 12 of 12 ended/);
  expect(console.log.map(({ text }) => text)).toEqual(['seal the group day-335', 'check the group day-335']);
});
