import { expect, it } from 'vitest';
import { Jobs, type NewJob, Tables } from '../../src/engine.js';
import { serve, servesConsoles } from './serve.js';
import { axe, NARROW, openPage, overflowOf, watchPages } from './session.js';
import { shop } from './world.js';

watchPages();
servesConsoles();

const BY = { by: 'role/ops', from: 'command line' };

it('the jobs fit on a phone, are readable in light and dark, and a stopped one goes on by the keyboard', async () => {
  const { store, ...console } = await shop();
  const jobs = new Jobs(new Tables({ table: 'Records', controlTable: 'Control', store }));
  const which = {
    queue: 'orders',
    errorName: 'HttpError 503 erp.a-destination-with-a-long-name.example.com',
  };
  const begin = async (made: NewJob) => jobs.run(await jobs.create(made, BY));
  await begin({ action: 'snooze', options: { delay: '2h' }, which });
  await begin({
    action: 'snooze',
    options: { delay: '3h' },
    which: { queue: 'orders' },
    limit: 2,
    total: 599,
  });
  const origin = await serve(console);
  const page = await openPage(origin);
  await page.goto(`${origin}/jobs`);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axe(page)).toEqual([]);
  }
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
  if (size) await page.setViewportSize(size);
  await page.getByText('Undo 2…').focus();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('button', { name: 'Undo 2' }).isVisible()).toBe(true);
  await page.getByText('At another pace…').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('5 a');
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('It goes on.').waitFor();
  expect(await jobs.list()).toMatchObject({ jobs: [{ perSecond: 5 }, {}] });
});
