import { describe, expect, it } from 'vitest';
import { overview } from '../../functions/widget/overview.js';
import { CountsReader } from '../../src/overview/counts.js';
import { sentenceOf } from '../../src/overview/sentence.js';
import { snapshotOf } from '../../src/overview/snapshot.js';
import { deadLane } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreAccessError } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { ACTIONS_ARN, OVERVIEW_ARN, parsed, QUEUES, viewer, widgets } from './widget-support.js';

const ago = (now: number, seconds: number) => new Date(now - seconds * 1000).toISOString();
const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\'&amp;';

/** One record that is late, one for later, one dead, and one of a progressive queue. */
async function filled(...given: Parameters<typeof widgets>) {
  const bench = widgets(...given);
  const { insert, clock } = bench;
  await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
  await insert({ id: 'later', queue: 'orders', dueAt: ago(clock.now(), -60) });
  await insert({ id: 'dead', queue: 'orders', lane: deadLane('orders'), status: 'DEAD' });
  await insert({ id: 'old', queue: 'bulk', dueAt: ago(clock.now(), 7_200) });
  return bench;
}

describe('the overview on the dashboard', () => {
  it('says what is wrong, and shows the queues, the worst first', async () => {
    const { look } = await filled();
    const { text, rows } = parsed(await look());
    expect(text('.h')).toEqual(['orders is 11 min 40 s late: 1 record due, no run has served it yet.']);
    expect(text('.d')).toEqual(['1 dead record of orders needs a decision.']);
    expect(rows()).toEqual([
      ['ordersLate', '2', '1', '11 min 40 s', '1', expect.stringContaining('Pause')],
      ['bulkWaiting', '1', '–', '2 h', '0', expect.stringContaining('Pause')],
    ]);
    expect(text('.f')).toEqual(['Read at 09:30:00 UTC, 0 read units.']);
  });

  it('says the same as the console, in the same order', async () => {
    const { look, store, clock } = await filled();
    await store.queues.setPaused('bulk', true);
    const backlog = { table: 'records-table', controlTable: 'control-table', store, clock };
    // The console finds queues that no run has served by their names.
    const deps = { backlog, queues: () => Object.keys(QUEUES).map((name) => ({ name })) };
    const { counts } = await new CountsReader(deps).read();
    const snapshot = snapshotOf(deps, counts, clock.now());
    const { title, details } = sentenceOf(snapshot);
    const { text } = parsed(await look());
    expect([...text('.h'), ...text('.d')]).toEqual([title, ...details]);
    expect(text('.n')).toEqual(snapshot.queues?.map(({ stats }) => stats.queue));
  });

  it('shows each state by an icon and a word', async () => {
    const { look, store, clock } = await filled();
    await store.queues.setPaused('bulk', true);
    const until = clock.wall() + 60_000;
    await store.breakers.set('bulk', 'erp', { until, openedAt: clock.wall() } as never, undefined);
    await store.breakers.set('orders', 'erp', { until, openedAt: clock.wall() } as never, undefined);
    const { document, text } = parsed(await look());
    expect(text('tbody .s')).toEqual(['Breaker open', 'Breaker open', 'Paused']);
    for (const badge of document.querySelectorAll('.s')) {
      expect(badge.querySelector('svg')?.getAttribute('aria-hidden')).toBe('true');
    }
  });

  it('knows of a run that is at work', async () => {
    const { look, store, clock } = await filled();
    await store.leases.hold('orders', { holder: 'run', until: clock.wall() + 60_000, ids: [], rev: 'r' });
    expect(parsed(await look()).text('.h')).toEqual([
      'orders is 11 min 40 s late: 1 record due, a run is at work.',
    ]);
    await store.leases.hold('bulk#2', { holder: 'run', until: clock.wall() + 60_000, ids: [], rev: 'r' });
    expect(parsed(await look()).rows()[1]?.[0]).toBe('bulkRun at work');
    // A lost run has left its lease behind.
    clock.advance(120);
    expect(parsed(await look()).rows()[1]?.[0]).not.toContain('Run at work');
  });

  it('is green while its queues have succeeded of late, and says since when that is not known', async () => {
    const { look, store, clock, insert } = widgets({ orders: { retryMode: 'perRecord' } });
    const title = async () => parsed(await look()).text('.h')[0];
    expect(await title()).toBe('No indexed record waits. Whether attempts succeed is not known here.');
    const lease = { holder: 'run', until: clock.wall() + 60_000, ids: [], rev: 'r' };
    await store.leases.hold('orders', { ...lease, succeededAt: clock.now() });
    expect(await title()).toMatch(/^No indexed record waits\. Attempts have succeeded, the latest at /);
    await insert({ id: 'a', queue: 'orders', dueAt: ago(clock.now(), -60) });
    const green = parsed(await look());
    expect(green.text('.h')[0]).toMatch(
      /^Every queue is on time\. 1 record waits\. Attempts have succeeded, the latest at /,
    );
    clock.advance(6 * 60);
    expect(await title()).toMatch(/not known since \d\d:\d\d UTC/);
  });

  it('has a button per queue: it leads to the ends of a pause, or resumes after a question', async () => {
    const { look, store } = await filled();
    await store.queues.setPaused('bulk', true);
    expect(parsed(await look()).buttons()).toEqual([
      {
        text: 'Pause…',
        tag: 'cwdb-action',
        action: 'call',
        display: 'widget',
        endpoint: ACTIONS_ARN,
        confirmation: null,
        parameters: { action: 'pause', queue: 'orders', overview: OVERVIEW_ARN },
      },
      expect.objectContaining({
        text: 'Resume',
        confirmation: 'Resume bulk? What is due is attempted at the next run.',
        parameters: { action: 'resume', queue: 'bulk', overview: OVERVIEW_ARN },
      }),
    ]);
  });

  it('has no buttons if it is read-only', async () => {
    const { look } = await filled(QUEUES, {}, {});
    const html = await look();
    expect(html).not.toContain('cwdb-action ');
    expect(parsed(html).rows()[0]).toHaveLength(5);
  });

  it.each([
    [{ theme: 'dark', width: 1200 }, 'bl dark'],
    [{ theme: 'light', width: 400 }, 'bl light narrow'],
    [{ theme: 'neon', width: 'wide' }, 'bl light'],
  ])('follows theme and width of the widget: %j', async (changes, expected) => {
    const { look } = await filled();
    const { document } = parsed(await look({ widgetContext: viewer(changes) }));
    expect(document.querySelector('.bl')?.className).toBe(expected);
  });

  it.each([undefined, null, 'text', {}, { widgetContext: null }])(
    'is drawn for the event %j',
    async (event) => {
      const { look } = await filled();
      expect(parsed(await look(event)).rows()).toHaveLength(2);
    },
  );

  it('describes itself in markdown', async () => {
    const { look, act } = widgets();
    expect(await look({ describe: true })).toMatch(/^## Overview of a backlog\n/);
    expect(await act({ describe: true })).toMatch(/^## Buttons of the overview\n/);
  });

  it('keeps to what CloudWatch takes: no script, frame or <use>, and below 32 KB for 50 queues with long names', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `${i}-`.padEnd(128, 'long'));
    const queues = Object.fromEntries(names.map((name) => [name, { retryMode: 'perRecord' } as const]));
    const { look, insert, clock } = widgets(queues);
    const quiet = parsed(await look());
    expect(quiet.rows()).toEqual([]);
    expect(quiet.text('.f')[0]).toMatch(/^50 quiet: 0-long.* and 48 more$/);
    for (const [i, queue] of names.entries()) {
      await insert({ id: `r-${i}`, queue, dueAt: ago(clock.now(), 900) });
    }
    const html = await look();
    const { rows, text, document } = parsed(html);
    expect(Buffer.byteLength(html)).toBeLessThan(32 * 1024);
    expect(rows().length).toBeGreaterThan(15);
    expect(text('.f')[0]).toMatch(new RegExp(`^${50 - rows().length} more: `));
    expect(
      document.querySelectorAll('script, iframe, use, [onclick], [onerror], [href], [src]'),
    ).toHaveLength(0);
  });

  it('folds the quiet ones of many queues into one line', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `queue-${i}`);
    const queues = Object.fromEntries(names.map((name) => [name, { retryMode: 'perRecord' } as const]));
    const { look, insert } = widgets(queues);
    await insert({ id: 'a', queue: 'queue-7' });
    const { rows, text } = parsed(await look());
    expect(rows().map(([name]) => name)).toEqual(['queue-7Waiting']);
    expect(text('.f')[0]).toBe('11 quiet: queue-0, queue-1 and 9 more');
  });

  it('escapes hostile names', () => {
    const stats = {
      queue: HOSTILE,
      retryMode: undefined,
      paused: false,
      openBreakers: 1,
      pending: 3,
      dead: 1,
      oldestDueAt: HOSTILE,
      counted: 'exact',
      lanes: [HOSTILE],
      reading: undefined,
    } as const;
    const open = { since: 0, until: 0, token: 'x' };
    const state = { paused: false, tiers: new Map(), breakers: new Map([[HOSTILE, open]]) };
    const counts = {
      stats: { at: '', queues: [stats] },
      leases: new Map(),
      states: new Map([[HOSTILE, state]]),
      readAt: 0,
      readUnits: 0,
    };
    const snapshot = snapshotOf({ backlog: { table: 't', controlTable: 'c' } }, counts, 0);
    const reading = { snapshot, readUnits: 0 };
    const endpoints = { overview: OVERVIEW_ARN, actions: ACTIONS_ARN };
    const html = overview(reading, endpoints, { theme: 'light', params: {} });
    const { document, text, buttons } = parsed(html);
    expect(document.querySelectorAll('script, img')).toHaveLength(0);
    expect(text('.n')).toEqual([HOSTILE]);
    expect(text('.h')).toEqual([`${HOSTILE} fails: breaker open; 3 records wait in ${HOSTILE}.`]);
    expect(buttons()).toEqual([
      expect.objectContaining({
        parameters: { action: 'pause', queue: HOSTILE, overview: OVERVIEW_ARN },
      }),
    ]);
  });

  it('says in a sentence that the tables cannot be read, with the first command to run', async () => {
    const { store } = widgets();
    const broken = replacing(
      {
        queues: {
          read: async () => {
            throw new StoreAccessError(`dynamodb:GetItem: not allowed for ${HOSTILE}`);
          },
        },
      },
      store,
    );
    const { look, log } = widgets(QUEUES, { store: broken });
    const html = await look();
    const { text, document } = parsed(html);
    expect(text('.h')).toEqual(['The tables cannot be read']);
    expect(text('.d')[0]).toBe(`StoreAccessError: dynamodb:GetItem: not allowed for ${HOSTILE}`);
    expect(text('code')).toEqual(['npx backlog doctor --table records-table --control-table control-table']);
    expect(document.querySelectorAll('script, img')).toHaveLength(0);
    expect(html).not.toContain('node_modules');
    expect(log()).toMatchObject([{ level: 'ERROR', message: 'the overview could not be read' }]);
  });

  it('says that a variable is wrong', async () => {
    const { look } = widgets(QUEUES, {}, { BACKLOG_WIDGET_ACTIONS: 'javascript:alert(1)' });
    expect(parsed(await look()).text('.d')[0]).toContain(
      'BACKLOG_WIDGET_ACTIONS: expected the ARN of a function',
    );
  });
});

describe('what a look costs', () => {
  it('is as many requests for a queue in which there is nothing as for another one', async () => {
    const { store, clock, insert } = widgets({ orders: { retryMode: 'perRecord' } });
    const requests: string[] = [];
    const counting = intercepted(store, (name, call) => {
      requests.push(name);
      return call();
    });
    const { look } = widgets({ orders: { retryMode: 'perRecord' } }, { store: counting, clock });
    await look();
    const ofNothing = requests.splice(0).sort();
    await insert({ id: 'a', queue: 'orders' });
    await look();
    expect(requests.sort()).toEqual(ofNothing);
    expect(ofNothing).toEqual([
      'control.readRunsOf',
      'pages.query',
      'pages.query',
      'queues.read',
      'readings.read',
    ]);
  });

  it('is no more for a large queue: the monitor has counted it', async () => {
    const { store, clock, insert, look } = widgets({ orders: { retryMode: 'perRecord' } });
    for (let i = 0; i < 900; i++) await insert({ id: `r${i}`, queue: 'orders', dueAt: ago(clock.now(), 60) });
    const atLeast = parsed(await look());
    expect(atLeast.rows()[0]?.slice(1, 3)).toEqual(['≥ 800', '≥ 800']);
    expect(atLeast.text('.f')[0]).toMatch(/ UTC, 0 read units, ≥ there are more\.$/);
    const counts = { pending: 20_000, due: { now: 900, minute: 0, hour: 0, day: 0 }, dead: 0 };
    const reading = { at: ago(clock.now(), 120), shards: 1, retryMode: 'perRecord', counts };
    await store.readings.write('orders', reading);
    const about = parsed(await look());
    expect(about.rows()[0]?.slice(1, 3)).toEqual(['≈ 20,000', '≈ 900']);
    expect(about.text('.f')[0]).toMatch(/≈ counted by the monitor up to 2 min ago\.$/);
  });
});
