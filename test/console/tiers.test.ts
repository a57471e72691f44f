import { describe, expect, it } from 'vitest';
import { Bars, niceStep } from '../../tools/src/console/tiers/bars.js';
import { forecastOf } from '../../tools/src/console/tiers/forecast.js';
import {
  consoleUnderTest,
  DAY,
  get,
  HOUR,
  inRetry,
  iso,
  MINUTE,
  NOW,
  runtimeUnderTest,
  waiting,
} from './console-under-test.js';

const both = { queues: () => [{ name: 'orders' }, { name: 'bulk' }] };

async function withQueues(changes: Parameters<typeof consoleUnderTest>[0] = both) {
  const console = consoleUnderTest(changes);
  await console.store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
  await console.store.queues.setRetryMode('bulk', { mode: 'progressive', since: 0 }, undefined);
  return console;
}
const old = (id: string, ageMs: number) =>
  inRetry(id, { queue: 'bulk', lane: 'bulk', insertedAt: iso(-ageMs), dueAt: iso(-ageMs) });

describe('tiers and forecast', () => {
  it('count the attempts of the next hour, and name the highest minute', async () => {
    const { app, store } = await withQueues();
    store.put(waiting('overdue', { dueAt: iso(-MINUTE) }));
    for (let i = 0; i < 3; i++) store.put(waiting(`a${i}`, { dueAt: iso(13 * MINUTE + i) }));
    store.put(waiting('later', { dueAt: iso(5 * HOUR) }));
    store.put(waiting('in-days', { dueAt: iso(3 * DAY) }));
    const { text } = await get(app, '/tiers');
    expect(text).toContain('4 records are due within the hour: 1 now, then at most 3 in a minute, at 15:00.');
    expect(text).toContain('aria-label="5 attempts are due within the day, at most 4 in an hour."');
  });

  it.each([
    [[MINUTE], '1 record is due within the hour, at most 1 in a minute, at 14:48.'],
    [[-MINUTE, 0], '2 records are due within the hour, now.'],
    [[2 * HOUR], 'No retry is due within the hour.'],
  ] as const)('say in a sentence when most comes: %j', async (dueIn, sentence) => {
    const { app, store } = await withQueues();
    for (const [i, ms] of dueIn.entries()) store.put(waiting(`r${i}`, { dueAt: iso(ms) }));
    expect((await get(app, '/tiers')).text).toContain(sentence);
  });

  it('show first what comes when, then when each queue is done, those that take longest first', async () => {
    const { app, store } = await withQueues({
      ...both,
      queues: () => ['a', 'b', 'none'].map((name) => ({ name })),
    });
    store.put(waiting('a', { queue: 'a', lane: 'a' }));
    for (const id of ['b1', 'b2']) store.put(waiting(id, { queue: 'b', lane: 'b' }));
    store.put(old('bulk', HOUR));
    const { text } = await get(app, '/tiers');
    expect([...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title)).toEqual([
      'Due per minute, next hour',
      'Due per hour, next day',
      'Time to drain',
      'bulk by age',
    ]);
    expect([...text.matchAll(/<dt><bdi>(.*?)<\/bdi>/g)].map(([, name]) => name).slice(0, 2)).toEqual([
      'b',
      'a',
    ]);
    expect(text).toContain('No record waits in <bdi>none and orders</bdi>.');
  });

  it('show a progressive queue by age, with the next run of each tier', async () => {
    const rules = [
      {
        tier: 2,
        id: 't2',
        label: 'bulk and bulk2 tier 2',
        queues: ['bulk2', 'bulk'],
        nextAt: iso(12 * MINUTE),
      },
    ].map((rule) => ({
      ...rule,
      expression: 'rate(1 hour)',
      enabled: true,
      fired: 0,
      late: 0,
      failed: 0,
      givenUp: 0,
    }));
    const { app, store } = await withQueues({ ...both, runtime: runtimeUnderTest({ rules }) });
    store.put(old('young', HOUR));
    store.put(old('b', 2 * DAY));
    store.put(old('c', 3 * DAY));
    const { text } = await get(app, '/tiers');
    const bands = [...text.matchAll(/<li><h3>(.*?)<\/h3>.*?class="num(?: q)?">(\d+)<.*?<\/li>/gs)];
    expect(bands.slice(0, 3).map(([, band, number]) => [band, number])).toEqual([
      ['up to 1 d', '1'],
      ['1 d to 7 d', '2'],
      ['7 d to 14 d', '0'],
    ]);
    expect(text).toMatch(/1 d to 7 d.*?next <time[^>]*><span data-relative="expected">in 12 min/s);
    expect(text).toContain('bulk: 2 records, 1 d to 7 d old, come in 12 min.');
  });

  it('of a deployed backlog know the last runs of the slow tiers, and flag a missed one', async () => {
    const { app, store } = await withQueues();
    await store.queues.recordTierRun('bulk', '3', { at: NOW - 30 * HOUR, complete: true });
    await store.queues.recordTierRun('bulk', '4', { at: NOW - 2 * HOUR, complete: false });
    store.put(old('b', 2 * DAY));
    const { text } = await get(app, '/tiers');
    expect(text.match(/<b>missed<\/b>/g)).toHaveLength(1);
    expect(text).toMatch(/7 d to 14 d.*?1 d 6 h ago.*?missed.*?14 d to 30 d.*?next ≈.*?cut short/s);
  });

  it('say how long it takes at the present pace, and a dash where that is not known', async () => {
    const minutes = Array.from({ length: 15 }, (_, i) => ({ at: NOW - i * MINUTE, succeeded: 2, failed: 0 }));
    const runtime = runtimeUnderTest({}, { minutesOf: (queue) => (queue === 'orders' ? minutes : []) });
    const local = await withQueues({ ...both, runtime });
    const deployed = await withQueues();
    for (const { store } of [local, deployed]) {
      for (let i = 0; i < 60; i++) store.put(waiting(`r${i}`));
      store.put(old('b', HOUR));
    }
    const { text } = await get(local.app, '/tiers');
    expect(text).toMatch(/<bdi>orders<\/bdi>.*?<span class="num">≈ 30 min</s);
    expect(text).toMatch(/<bdi>bulk<\/bdi><\/dt><dd><span class="num q">no success in 15 min</s);
    expect(text).toContain(
      'At the pace of the last 15 min, orders is done in 30 min. No end is known for bulk: no attempt has succeeded in 15 min.',
    );
    expect((await get(deployed.app, '/tiers')).text).toMatch(
      /<bdi>orders<\/bdi><\/dt><dd><span class="num q">–</,
    );
  });
});

describe('a forecast', () => {
  it('reads a bounded number of due times, and says up to when it is complete', async () => {
    const { app, store } = await withQueues();
    for (let i = 0; i < 200; i++) store.put(waiting(`r${i}`, { dueAt: iso(i * MINUTE) }));
    const { text } = await get(app, '/tiers');
    expect(text).not.toContain('What follows is not known');
    const queues = [
      { lanes: ['orders'], pending: 200, due: { now: 0, minute: 1, hour: 60, day: 200 } },
    ] as never;
    const { minutes, until, examined } = await forecastOf(store, queues, NOW, 30);
    expect(examined).toBe(30);
    expect(until).toBe(NOW + 29 * MINUTE);
    expect(minutes.slice(0, 32)).toEqual([...new Array(30).fill(1), 0, 0]);
  });

  it('ends at once at a due time that no clock has, and the page is shown', async () => {
    const { store } = await withQueues();
    const queues = [{ lanes: ['orders'], pending: 9, due: { now: 9, minute: 0, hour: 0, day: 0 } }] as never;
    for (let i = 0; i < 9; i++) store.put(waiting(`r${i}`, { dueAt: `2026-11-2${i}-soon` }));
    expect((await forecastOf(store, queues, NOW, 3)).until).toBe(NOW);
  });

  it('of more than it reads says how many are due as the overview does', async () => {
    const { store } = await withQueues();
    for (let i = 0; i < 40; i++) store.put(waiting(`r${i}`, { dueAt: iso(-MINUTE) }));
    const queues = [
      { lanes: ['orders'], pending: 40, due: { now: 40, minute: 0, hour: 0, day: 0 } },
    ] as never;
    const { minutes, hours, until } = await forecastOf(store, queues, NOW, 30);
    expect([minutes[0], hours[0], until]).toEqual([40, 40, NOW]);

    const many = await withQueues();
    for (let i = 0; i < 2_100; i++) many.store.put(waiting(`r${i}`, { dueAt: iso(-MINUTE) }));
    expect((await get(many.app, '/tiers')).text).toContain('<h1>≥ 2,000 records are due now.</h1>');
    for (let i = 0; i < 2_100; i++) many.store.put(waiting(`r${i}`, { dueAt: iso(5 * MINUTE + i) }));
    expect((await get(many.app, '/tiers')).text).toContain('<h1>≥ 2,000 records are due within the hour, ');
  });

  it('has room for the numbers of its scale', async () => {
    const html = String(Bars({ values: [245_220], label: () => undefined, title: '' }));
    const [, x = 0] = /<text x="([\d.]+)"[^>]*>300,000</.exec(html) ?? [];
    expect(Number(x)).toBeGreaterThan('300,000'.length * 6.4);
  });

  it('has steps that are easy to read', () => {
    expect([1, 4, 9, 30, 489, 12_000].map(niceStep)).toEqual([1, 1, 2, 10, 100, 5_000]);
  });
});
