import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { iso, MINUTE, NOW } from '../console/console-under-test.js';
import { manyQueues } from './many-queues.js';
import { serve, servesConsoles } from './serve.js';
import { openPage, watchPages } from './session.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

/** Opens it on a clock that the test moves: no test waits for five seconds. */
async function openedAt(path: string, world = shop) {
  const { store, app, time } = await world();
  const origin = await serve({ app });
  const page = await openPage(origin);
  await page.clock.install({ time: NOW });
  await page.goto(origin + path);
  return { store, page, time };
}

/** Long enough for a refresh; then until what the test has changed is there. */
async function refreshed(page: Page, text: string): Promise<void> {
  await page.clock.runFor(6_000);
  await page.getByText(text).first().waitFor();
}

type Shop = Awaited<ReturnType<typeof openedAt>>;

function failAgain({ store }: Shop, message: string): void {
  const item = store.items().find(({ id }) => id === 'order-0987') ?? { id: '' };
  const entry = { name: 'HttpError', message, stack: `at again (${message})`, at: iso(), attempt: 9, ms: 3 };
  const history = [...(item.history as object[]), { ...entry, next: iso(90 * MINUTE) }];
  store.put({
    ...item,
    id: 'order-0987',
    attempts: 9,
    failures: 9,
    history,
    lastError: { name: 'HttpError', message, at: iso(), attempt: 9 },
    dueAt: iso(90 * MINUTE),
  });
}

describe('a page that brings itself up to date', () => {
  it('keeps the focus', async () => {
    const console = await openedAt('/record?id=order-0987');
    const { page } = console;
    const snooze = page.getByRole('link', { name: 'Snooze' });
    await snooze.focus();
    failAgain(console, 'the ninth');
    await refreshed(page, 'the ninth');
    expect(await snooze.evaluate((link) => link === document.activeElement)).toBe(true);
  });

  it('keeps open what was opened, and closed what was closed, of the same attempt', async () => {
    const console = await openedAt('/record?id=order-0987');
    const { page } = console;
    const stack = page.locator('#stack-8');
    expect(await stack.evaluate((details) => (details as HTMLDetailsElement).open)).toBe(true);
    await stack.locator('summary').click();
    failAgain(console, 'the ninth');
    await refreshed(page, 'the ninth');
    expect(await stack.evaluate((details) => (details as HTMLDetailsElement).open)).toBe(false);
    await stack.locator('summary').click();
    failAgain(console, 'the ninth again');
    await refreshed(page, 'the ninth again');
    expect(await stack.evaluate((details) => (details as HTMLDetailsElement).open)).toBe(true);
  });

  it('leaves a selection alone, and goes on after it', async () => {
    const console = await openedAt('/record?id=order-0987');
    const { page } = console;
    await page.locator('.msg').first().selectText();
    const selected = await page.evaluate(() => String(getSelection()));
    failAgain(console, 'the ninth');
    await page.clock.runFor(20_000);
    expect(await page.evaluate(() => String(getSelection()))).toBe(selected);
    expect(await page.getByText('the ninth').count()).toBe(0);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await refreshed(page, 'the ninth');
  });

  it('keeps the focus on the same queue when another one becomes the worst', async () => {
    const console = await openedAt('/');
    const { page, store, time } = console;
    const names = () => page.locator('.queues .name').allInnerTexts();
    expect((await names())[0]).toBe('orders');
    await page.locator('a[href="/queue?name=webhooks"]').focus();
    await store.breakers.set(
      'mails',
      'https://mail.example',
      { until: NOW + 1, since: NOW, token: 't' },
      undefined,
    );
    await store.queues.setPaused('webhooks', true);
    // Counts are shown for a while.
    time.now += 10_000;
    await refreshed(page, 'webhooks has been paused');
    expect((await names()).sort()).toEqual(['catalog', 'invoices', 'mails', 'orders', 'webhooks']);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      '/queue?name=webhooks',
    );
    expect(await page.locator('a[href="/queue?name=webhooks"]').innerText()).toContain('Resume');
  });

  it('says on Failures that attempts fail, by itself, and keeps what was opened and focused', async () => {
    const console = await openedAt('/failures');
    const { page } = console;
    const stack = page.locator('.patterns details', { hasText: 'orders.ts:48' });
    await stack.locator('summary').click();
    failAgain(console, 'another cause');
    await refreshed(page, 'another cause');
    expect(await stack.evaluate((details) => (details as HTMLDetailsElement).open)).toBe(true);
    expect(await stack.locator('summary').evaluate((summary) => summary === document.activeElement)).toBe(
      true,
    );
    await page.locator('.msg').first().selectText();
    failAgain(console, 'a third cause');
    await page.clock.runFor(20_000);
    expect(await page.getByText('a third cause').count()).toBe(0);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await refreshed(page, 'a third cause');
  });

  it('keeps the fold of many queues as the operator left it, when a queue leaves it, too', async () => {
    const { page, store, time } = await openedAt('/', () => manyQueues());
    const fold = page.locator('[data-key="folded"]');
    const isOpen = () => fold.evaluate((details) => (details as HTMLDetailsElement).open);
    const change = async (paused: boolean, text: string) => {
      await store.queues.setPaused('audit-de', paused);
      // Counts are shown for a while.
      time.now += 10_000;
      await refreshed(page, text);
    };
    expect(await isOpen()).toBe(false);
    await fold.locator('summary').click();
    await page.locator('.lines a[href="/queue?name=audit-fr"]').focus();
    await change(true, '42 queues with nothing wrong');
    expect(await isOpen()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      '/queue?name=audit-fr',
    );
    await fold.locator('summary').click();
    await change(false, '43 queues with nothing wrong');
    expect(await isOpen()).toBe(false);
  });

  it('says that it is old when the console does not answer, and no more when it does', async () => {
    const { page } = await openedAt('/');
    const notice = page.getByRole('alert').filter({ hasText: 'Not up to date since' });
    expect(await notice.count()).toBe(0);
    await page.route('**/*', (route) => route.fulfill({ status: 502, body: 'no' }));
    await page.clock.runFor(6_000);
    await notice.filter({ hasText: 'answers with status 502' }).waitFor();
    await page.unroute('**/*');
    await page.clock.runFor(6_000);
    await notice.waitFor({ state: 'detached' });
  });

  it('counts times on in between', async () => {
    const { page } = await openedAt('/record?id=order-0987');
    const countdown = page.locator('time.big');
    expect(await countdown.innerText()).toBe('27 min');
    await page.clock.runFor(2_000);
    expect(await countdown.innerText()).toMatch(/^26 min 5\d s$/);
  });
});
