import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readingItem } from '../../src/monitor/index.js';
import { Tables } from '../../src/operate/tables.js';
import { CountsReader } from '../../src/overview/index.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import { outagesOf } from '../../tools/src/console/overview/chart.js';
import {
  consoleUnderTest,
  dead,
  get,
  HOUR,
  inRetry,
  iso,
  MINUTE,
  NOW,
  runtimeUnderTest,
  waiting,
} from './console-under-test.js';

const orders = { queues: () => [{ name: 'orders' }] };

describe('the overview', () => {
  it('counts what waits, is due and dead, and says how late the oldest is', async () => {
    const { app, store } = consoleUnderTest(orders);
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    store.put(waiting('a', { dueAt: iso(-16 * MINUTE) }));
    store.put(waiting('b'));
    store.put(dead('c'));
    const { status, text } = await get(app, '/');
    expect(status).toBe(200);
    expect(text).toContain('orders is 16 min late: 1 record due, no run is at work.');
    expect(text).toMatch(/data-label="Waiting"><span>2</);
    expect(text).toMatch(/data-label="Due now"><span>1</);
    expect(text).toMatch(/data-label="Dead">.*?<span>1</);
    expect(text).toContain('a due time per record');
    expect(text).not.toContain('Incident: dead');
  });

  it('shows 0 in grey, and what is not known as a dash', async () => {
    const { app } = consoleUnderTest(orders);
    const { text } = await get(app, '/');
    expect(text).toMatch(/data-label="Waiting"><span class="q">0</);
    expect(text).toMatch(/data-label="Oldest due"><span class="q" title="no record waits">–</);
    expect(text).toContain('No indexed record waits. Whether attempts succeed is not known here.');
    expect(text).not.toMatch(/class="mark ok"/);
    // Only a local runtime knows it: the index does not tell NEW and ERROR apart.
    expect(text).not.toContain('In retry');
  });

  it('shows about how many are in retry in AWS, where the monitor has noted it', async () => {
    const { app, store } = consoleUnderTest(orders);
    for (const id of ['a', 'b', 'c']) store.put(waiting(id));
    const counts = { pending: 3, dead: 0, oldestDueAt: iso(HOUR) };
    const reading = { at: iso(-4 * MINUTE), shards: 1, retryMode: 'perRecord', counts } as const;
    await store.readings.write('orders', readingItem({ ...reading, inRetry: 2 }));
    const { text } = await get(app, '/');
    expect(text).toMatch(/data-label="In retry">.*?<span>≈ 2</);
    expect(text).toMatch(/data-label="Waiting"><span>3</);
    expect(text).toContain('≈ counted by the monitor up to 4 min ago');
    // There cannot be more of them than there are records.
    await store.readings.write('orders', readingItem({ ...reading, inRetry: 50 }));
    expect((await get(app, '/')).text).toMatch(/data-label="In retry">.*?<span>≈ 3</);
  });

  it.each([
    [
      { 'orders#1': 2, mails: 1 },
      'Every queue is on time. 2 records wait. Attempts have succeeded, the latest at 14:45 UTC.',
    ],
    [{ 'orders#1': 2 }, 'Whether attempts of mails succeed is not known here: 1 record waits.'],
    [
      { 'orders#1': 2, mails: 35 },
      'Whether attempts of mails succeed is not known since 14:12 UTC: 1 record waits.',
    ],
  ])(
    'is green in AWS on evidence of a success in the last minutes, of each queue that waits: %j',
    async (minutes, title) => {
      const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }, { name: 'mails' }] });
      for (const queue of ['orders', 'mails'])
        store.put(inRetry(queue, { queue, lane: queue, dueAt: iso(HOUR) }));
      for (const [key, ago] of Object.entries(minutes)) {
        await store.leases.hold(key, { holder: 'h', until: 0, ids: [], rev: 'r' });
        await store.leases.release(key, 'h', { until: 0, succeededAt: NOW - ago * MINUTE });
      }
      const { text } = await get(app, '/');
      expect(text).toContain(title);
      expect(text.includes('class="mark ok"')).toBe(title.startsWith('Every'));
    },
  );

  it('is not green in AWS while all records fail, and says what the monitor has counted', async () => {
    const { app, store } = consoleUnderTest(orders);
    for (let i = 0; i < 759; i++) store.put(inRetry(`r${i}`, { dueAt: iso(HOUR) }));
    const counts = { pending: 759, dead: 0, oldestDueAt: iso(HOUR) };
    const reading = { at: iso(-4 * MINUTE), shards: 1, retryMode: 'perRecord', counts } as const;
    await store.readings.write('orders', readingItem({ ...reading, inRetry: 759 }));
    const { text } = await get(app, '/');
    expect(text).toContain(
      'Whether attempts succeed is not known here: 759 records wait, ≈ 759 of them after failed attempts, as counted at 14:43 UTC.',
    );
    expect(text).toMatch(/class="mark grey"/);
    expect(text).not.toMatch(/class="(?:mark|badge) ok"/);
  });

  it('says that keys are held, by the note of the queue', async () => {
    const { app, store } = consoleUnderTest(orders);
    const note = { keys: ['order-7', 'order-8'], hasMore: false, rev: 'r' };
    await store.lines.write('held-lines#orders', note, undefined);
    const { text } = await get(app, '/');
    expect(text).toContain('orders: the records of 2 keys wait until an operator acts');
    expect(text).toContain('Keys held');
    expect(text).not.toMatch(/class="(?:mark|badge) ok"/);
  });

  it('names the run that holds the lease, and until when', async () => {
    const { app, store } = consoleUnderTest(orders);
    await store.leases.hold('orders', { holder: 'run-7f3a', until: NOW + 42_000, ids: [], rev: 'x' });
    const { text } = await get(app, '/');
    expect(text).toContain('run-7f3a');
    expect(text).toContain('for 42 s');
    expect(text).toContain('Run at work');
  });

  it('shows a lease that ran out as none', async () => {
    const { app, store } = consoleUnderTest(orders);
    await store.leases.hold('orders', { holder: 'run-7f3a', until: NOW - MINUTE, ids: [], rev: 'x' });
    expect((await get(app, '/')).text).not.toContain('run-7f3a');
  });

  it('keeps the last counts and says so when the tables cannot be read any more', async () => {
    const { app, store, time } = consoleUnderTest(orders);
    store.put(waiting('a'));
    await get(app, '/');
    store.control.read = async () => {
      throw new Error('no such table');
    };
    time.now += MINUTE;
    const { status, text } = await get(app, '/');
    expect(status).toBe(200);
    expect(text).toContain('The tables cannot be read: no such table');
    expect(text).toContain('the last ones that could be read');
    expect(text).toMatch(/data-label="Waiting"><span>1</);
  });

  it('says at once that DynamoDB does not answer: the next page asks again', async () => {
    const { app, store } = consoleUnderTest(orders);
    let reads = 0;
    store.control.read = async () => {
      reads++;
      throw new StoreUnavailableError('no answer');
    };
    expect((await get(app, '/')).text).toContain('The tables cannot be read');
    expect(reads).toBe(1);
  });

  it('reads once for many browsers, and again after some seconds', async () => {
    const { app, store, time } = consoleUnderTest({ ...orders, countsForMs: 5_000 });
    let reads = 0;
    const read = store.control.read.bind(store.control);
    store.control.read = async () => {
      reads++;
      return read();
    };
    await Promise.all([get(app, '/'), get(app, '/'), get(app, '/')]);
    await get(app, '/');
    expect(reads).toBe(1);
    time.now += 5_001;
    await get(app, '/');
    expect(reads).toBe(2);
  });

  it.each([
    [400, 5],
    [1_200, 12],
    [50_000, 60],
  ])('shows counts that have cost %i read units for %i seconds', async (readUnits, seconds) => {
    const { store, time, clock } = consoleUnderTest();
    let reads = 0;
    const read = store.control.read.bind(store.control);
    store.control.read = async () => {
      reads++;
      if (reads === 3) throw new Error('no answer');
      return read();
    };
    const units = () => ({ readUnits, writeUnits: 0 });
    const opened = vi.spyOn(Tables.prototype, 'open').mockReturnValue({ store, units });
    onTestFinished(() => opened.mockRestore());
    const reader = new CountsReader({
      ...{ backlog: { table: 'Records', controlTable: 'Control', store, clock }, queues: () => [] },
    } as never);
    const readsAfter = async (ms: number) => {
      time.now += ms;
      await reader.read();
      return reads;
    };
    expect(await readsAfter(0)).toBe(1);
    expect(reader.known().error).toBeUndefined();
    expect(await readsAfter(seconds * 1_000 - 1)).toBe(1);
    expect(await readsAfter(1)).toBe(2);
    // After an action the counts are read at once; an error is not kept for so long.
    reader.forget();
    expect(await readsAfter(0)).toBe(3);
    expect(await readsAfter(5_000)).toBe(4);
  });

  it('reads again soon after an error that was long in coming', async () => {
    const { app, store, time } = consoleUnderTest({ ...orders, countsForMs: 1_000 });
    const read = store.control.read.bind(store.control);
    store.control.read = async () => {
      await new Promise((resolve) => setTimeout(resolve, 350));
      throw new Error('no answer');
    };
    expect((await get(app, '/')).text).toContain('no answer');
    store.control.read = read;
    time.now += 1_001;
    expect((await get(app, '/')).text).not.toContain('no answer');
  });

  it('flags a rule of the runtime that has not fired in time', async () => {
    const rule = { expression: 'rate(1 minute)', enabled: true, fired: 0, late: 0, failed: 0, givenUp: 0 };
    const rules = [
      { ...rule, id: 'late', label: 'bulk tier 3', queues: ['bulk'], nextAt: iso(-HOUR) },
      { ...rule, id: 'fine', label: 'orders, every minute', queues: ['orders'], nextAt: iso(MINUTE) },
    ];
    const { app } = consoleUnderTest({ runtime: runtimeUnderTest({ rules }) });
    const { text } = await get(app, '/');
    expect(text).toContain('bulk tier 3 missed a run.');
    expect(text).toContain('2 rules, 1 missed');
    expect(text.match(/<tr class="missed"/g)).toHaveLength(1);
    const slowed = consoleUnderTest({ runtime: runtimeUnderTest({ rules, speed: 15, askedSpeed: 60 }) });
    expect((await get(slowed.app, '/')).text).not.toContain('missed');
  });

  it('draws the attempts per minute, and says when they fail', async () => {
    const minutes = [5, 4, 3, 2, 1, 0].map((ago) => ({
      at: Math.floor(NOW / MINUTE) * MINUTE - ago * MINUTE,
      succeeded: ago > 3 ? 10 : 0,
      failed: ago > 3 ? 0 : 8,
    }));
    const { app } = consoleUnderTest({
      ...orders,
      runtime: runtimeUnderTest({}, { minutesOf: () => minutes }),
    });
    const { text } = await get(app, '/');
    expect(text).toContain('orders has failed since 14:44 UTC: 100 % of 24 attempts in 3 min.');
    expect(text).toContain('failing since 14:44');
    expect(text).toContain(
      'aria-label="orders: 20 attempts succeeded and 32 failed in the last 2 h; failing since 14:44."',
    );
  });
});

describe('an outage in the chart', () => {
  const minute = (at: number, succeeded: number, failed: number) => ({ at: at * MINUTE, succeeded, failed });

  it('is a stretch of three minutes or more without a success', () => {
    const minutes = [
      minute(0, 5, 1),
      minute(1, 0, 3),
      minute(2, 0, 3),
      minute(4, 0, 1),
      minute(5, 2, 0),
      minute(6, 0, 1),
    ];
    expect(outagesOf(minutes)).toEqual([{ from: 1 * MINUTE, until: 5 * MINUTE }]);
  });

  it('ends at a success', () => {
    expect(outagesOf([minute(0, 0, 3), minute(1, 1, 0), minute(2, 0, 3)])).toEqual([]);
  });
});

describe('a queue that no rule serves', () => {
  const BADGE = /<\/svg>No rule</g;
  const counts = { table: 'Records', NEW: 0, ERROR: 0, SUCCESS: 0, DEAD: 0 };
  const status = {
    queues: [
      { ...counts, name: 'orders', retryMode: 'perRecord' as const },
      { ...counts, name: 'oders', NEW: 1 },
    ],
  };

  it('is on the overview of a local runtime, with the nearest name, though no run has served it', async () => {
    const { app, store } = consoleUnderTest({ ...orders, runtime: runtimeUnderTest(status) });
    store.put(waiting('a', { queue: 'oders', lane: 'oders' }));
    store.put(waiting('b'));
    const { text } = await get(app, '/');
    expect(text).toContain(
      'oders: no rule serves this queue, 1 record waits; did you mean &quot;orders&quot;?',
    );
    expect(text).toMatch(/>oders<[\s\S]*?<\/svg>No rule</);
    expect(text.match(BADGE)).toHaveLength(1);
  });

  it('is on the overview in AWS, if its owner has given it up, and not if it has none', async () => {
    const { app, store } = consoleUnderTest();
    store.put(waiting('a'));
    await store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
    expect((await get(app, '/')).text).not.toMatch(BADGE);
    const owner = { owner: 'Shop', retryMode: 'perRecord', at: iso(), removedAt: iso() } as const;
    await store.registry.write({ rev: 'r', queues: new Map([['orders', owner]]) }, '');
    const { text } = await get(app, '/');
    expect(text).toContain('orders: no rule serves this queue, 1 record waits.');
    expect(text).toMatch(BADGE);
  });

  it('is as any other one once none of its records waits', async () => {
    const { app, store } = consoleUnderTest({ ...orders, runtime: runtimeUnderTest(status) });
    store.put(dead('a', { queue: 'oders', lane: 'oders/dead' }));
    const { text } = await get(app, '/');
    expect(text).toContain('oders');
    expect(text).not.toMatch(BADGE);
  });
});
