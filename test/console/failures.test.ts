import { describe, expect, it, onTestFinished } from 'vitest';
import { CountsReader } from '../../src/overview/counts.js';
import { shares } from '../../src/overview/sample/shares.js';
import { readCauses } from '../../tools/src/console/failures/read-causes.js';
import { PAGE_BUDGET } from '../../tools/src/console/read-budgets.js';
import {
  consoleUnderTest,
  DAY,
  dead,
  get,
  HOUR,
  hiddenField,
  inRetry,
  iso,
  MINUTE,
  NOW,
  post,
  runtimeUnderTest,
  waiting,
} from './console-under-test.js';

const orders = { queues: () => [{ name: 'orders' }] };
const failedAgo = (ms: number, message: string, name = 'HttpError') => ({
  lastFailureAt: iso(-ms),
  lastError: { name, message, at: iso(-ms), attempt: 2 },
});
/** The row of a cause as text, without what it opens into. */
function rowOf(text: string, cause: string): string {
  const rows = text.split('<li data-key=').slice(1);
  const row = rows.find((one) => one.startsWith(`"${cause}"`)) ?? '';
  const summary = /<summary>(.*?)<\/summary>/s.exec(row)?.[1] ?? '';
  return summary
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
const hrefsOf = (text: string, path: string) =>
  [...text.matchAll(/href="([^"]+)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .filter((href) => href.startsWith(path));
const titleOf = (text: string) => (/<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? '').replace(/<[^>]+>/g, '').trim();

describe('the failures', () => {
  it('have a row for each cause, whatever their messages, states and queues are', async () => {
    const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }, { name: 'bulk' }] });
    const down = (ms: number, i: number) =>
      failedAgo(ms, `HTTP 503 from https://erp.example: warehouse ${i} is closed, ticket T-${i}`);
    for (let i = 0; i < 30; i++) store.put(inRetry(`o${i}`, down(5 * MINUTE, i)));
    store.put(inRetry('b', { ...down(30 * MINUTE, 31), queue: 'bulk', lane: 'bulk' }));
    store.put(inRetry('slow', failedAgo(5 * MINUTE, 'no answer within 10 s', 'AttemptTimeout')));
    store.put(dead('e', down(3 * DAY, 32)));
    store.put(waiting('new'));
    const { text } = await get(app, '/failures');
    expect(titleOf(text)).toBe(
      'HttpError 503 of erp.example is the cause of 32 of 33 failing records, since Fri 20 Nov 14:47 UTC.',
    );
    expect(text).toContain('1 is dead and needs a decision.');
    expect(text).toContain('2 causes, 2 message patterns');
    expect(rowOf(text, 'HttpError 503 erp.example')).toBe(
      'HttpError 503 erp.example warehouse {n} is closed, ticket {id} 31 in retry 1 dead 3 d Fri 20 Nov 14:47 to 14:42 orders 31 bulk 1',
    );
    expect(rowOf(text, 'AttemptTimeout no host')).toMatch(
      /^AttemptTimeout no host no answer within \{n\} s 1 in retry 0 dead/,
    );
    expect(text).toContain('all 34 records that are not finished');
  });

  it('lead from each number to exactly its records', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(inRetry('a', failedAgo(5 * MINUTE, 'order-1 refused')));
    store.put(inRetry('b', failedAgo(2 * HOUR, 'order-2 refused')));
    store.put(inRetry('c', failedAgo(2 * HOUR, 'no answer')));
    store.put(inRetry('other', failedAgo(2 * HOUR, 'order-3 refused', 'RangeError')));
    store.put(dead('d', failedAgo(2 * HOUR, 'order-4 refused')));
    const { text } = await get(app, '/failures');
    const idsAt = async (wanted: (href: string) => boolean) => {
      const href = hrefsOf(text, '/records?').find(
        (one) => one.includes('errorName=HttpError+no+host') && wanted(one),
      );
      const list = await get(app, href ?? '/nowhere');
      return [...list.text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id).sort();
    };
    const isAge = (status: string) => (href: string) =>
      href.includes(`status=${status}`) &&
      href.includes('failedWithin=3h') &&
      href.includes('failedBefore=1h');
    expect(await idsAt(isAge('ERROR'))).toEqual(['b', 'c']);
    expect(await idsAt(isAge('DEAD'))).toEqual(['d']);
    expect(await idsAt((href) => href.includes('pattern=%7Bid%7D+refused'))).toEqual(['a', 'b', 'd']);
  });

  it('have one action for all records of a cause, of all queues', async () => {
    const { app, store } = consoleUnderTest({ queues: () => [{ name: 'orders' }, { name: 'bulk' }] });
    const message = 'HTTP 503 from https://erp.example: down';
    store.put(inRetry('a', failedAgo(MINUTE, message)));
    store.put(inRetry('b', { ...failedAgo(MINUTE, message), queue: 'bulk', lane: 'bulk' }));
    store.put(inRetry('other', failedAgo(MINUTE, 'HTTP 503 from https://crm.example: down')));
    store.put(dead('d', failedAgo(MINUTE, message)));
    const { text } = await get(app, '/failures');
    const links = hrefsOf(text, '/bulk?').filter((href) => href.includes('erp.example'));
    const pages = await Promise.all(links.map((href) => get(app, href)));
    expect(pages.map((page) => /<pre class="cmd">(.*?)<\/pre>/s.exec(page.text)?.[1])).toEqual([
      expect.stringContaining('2 records would be made due: b, a'),
      expect.stringContaining('1 record would be redriven: d'),
    ]);
  });

  it('of many records are estimated from 50 of them, and say so; an operator may have more read', async () => {
    const { app, store } = consoleUnderTest(orders);
    for (let i = 0; i < 700; i++)
      store.put(inRetry(`r${i}`, { ...failedAgo(MINUTE, 'down'), dueAt: iso(i * MINUTE) }));
    let reads = 0;
    const read = store.records.getItems.bind(store);
    store.records.getItems = async (ids, consistency) => {
      reads += ids.length;
      expect(consistency).toBe('eventual');
      return read(ids);
    };
    const { text } = await get(app, '/failures');
    expect(reads).toBe(50);
    expect(text).toContain('≈, from 50 of 700 records');
    expect(titleOf(text)).toMatch(/^HttpError is the cause of ≈ all 700 failing records/);
    expect(rowOf(text, 'HttpError no host')).toContain('≈ 700 in retry 0 dead');
    expect(text).toContain('Retry ≈ 700…');
    const link = /href="(\/failures\?more=yes)"/.exec(text)?.[1] ?? '';
    const more = await get(app, link);
    expect(reads).toBe(750);
    expect(more.text).toContain('all 700 records that are not finished');
    expect(rowOf(more.text, 'HttpError no host')).toContain(' 700 in retry 0 dead');
    expect(more.text).not.toContain('href="/failures?more=yes"');
  });

  it('are as many as the local runtime has counted, wherever they stand in the index', async () => {
    const counts = { retryMode: 'perRecord', table: 'Records', NEW: 1_900, ERROR: 200, SUCCESS: 0, DEAD: 0 };
    const runtime = runtimeUnderTest({ queues: [{ name: 'orders', ...counts }] as never });
    const { app, store } = consoleUnderTest({ ...orders, runtime });
    for (let i = 0; i < 200; i++)
      store.put(inRetry(`r${i}`, { ...failedAgo(MINUTE, 'down'), dueAt: iso(-HOUR + i) }));
    for (let i = 0; i < 1_900; i++) store.put(waiting(`n${i}`, { dueAt: iso(i) }));
    expect(rowOf((await get(app, '/failures')).text, 'HttpError no host')).toContain('≈ 200 in retry');
  });

  it('are as many as the monitor has counted, in AWS', async () => {
    const { store, clock } = consoleUnderTest(orders);
    for (let i = 0; i < 200; i++)
      store.put(inRetry(`r${i}`, { ...failedAgo(MINUTE, 'down'), dueAt: iso(-HOUR + i) }));
    for (let i = 0; i < 500; i++) store.put(waiting(`n${i}`, { dueAt: iso(i) }));
    const deps = { backlog: { table: 'Records', controlTable: 'Control', store, clock } };
    const { counts } = await new CountsReader({ ...deps, ...orders }).read();
    const queues = (counts?.stats.queues ?? []).map((stats) => ({ ...stats, inRetry: 180 }));
    const { causes } = await readCauses(deps, queues, { budget: PAGE_BUDGET, now: NOW });
    expect(causes.map(({ retry, counted }) => [Math.round(retry), counted])).toEqual([[180, 'about']]);
  });

  it('say when there are none', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(waiting('a'));
    expect((await get(app, '/failures')).text).toContain('No record that is not finished has failed.');
  });

  it('run no script', async () => {
    const { app, store } = consoleUnderTest(orders);
    const evil = '<script>alert(1)</script>';
    store.put(
      inRetry(evil, { ...failedAgo(MINUTE, evil, evil), history: [{ at: iso(), attempt: 1, stack: evil }] }),
    );
    const { text } = await get(app, '/failures');
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>');
  });

  it('share what is read among the queues: those with few records are read whole', () => {
    expect(shares([10, 1_000, 1_000], 300)).toEqual([10, 145, 145]);
    expect(shares([5, 5], 300)).toEqual([5, 5]);
    expect(shares([], 300)).toEqual([]);
  });
});

describe('an action on many records', () => {
  type Console = ReturnType<typeof consoleUnderTest>;
  const statuses = ({ store }: Console) =>
    Object.fromEntries(store.items().map(({ id, status }) => [id, status]));

  /** Waits until the job has ended, and was logged. */
  async function jobDone({ app, log }: Console): Promise<string> {
    while (log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return (await get(app, '/jobs')).text;
  }

  const threeDead = () => {
    const console = consoleUnderTest(orders);
    for (const id of ['a', 'b']) console.store.put(dead(id));
    console.store.put(dead('other', failedAgo(MINUTE, 'unknown article', 'RangeError')));
    return console;
  };
  const path = '/bulk?do=redrive&status=DEAD&errorName=HttpError';

  it('is a dry run first: it counts, names and changes nothing', async () => {
    const console = threeDead();
    const { status, text } = await get(console.app, path);
    expect(status).toBe(200);
    expect(text).toContain('Redrive 2 records?');
    expect(text).toContain('2 records would be redriven: a, b');
    expect(text).toContain('20 a second: under a second');
    expect(statuses(console)).toEqual({ a: 'DEAD', b: 'DEAD', other: 'DEAD' });
  });

  it('is a stored job for all that match by then, and is logged', async () => {
    const console = threeDead();
    const plan = hiddenField((await get(console.app, path)).text, 'plan');
    console.store.put(dead('late'));
    const { status, location } = await post(console.app, '/bulk', { plan, pace: '5' }, {}, path);
    expect(status).toBe(303);
    expect((await get(console.app, location)).text).toMatch(/Job \w{8} is at work/);
    expect(await jobDone(console)).toMatch(
      /Done.*DEAD of orders, HttpError.*<b>3<\/b> redriven.*By <bdi>ops<\/bdi>/s,
    );
    expect(statuses(console)).toEqual({ a: 'NEW', b: 'NEW', other: 'DEAD', late: 'NEW' });
    expect(console.log).toMatchObject([
      { as: 'ops', text: expect.stringMatching(/^Redrive: DEAD of orders, HttpError \(job \w{8}\)$/) },
    ]);
    const [job] = [...(await console.store.jobs.list()).values()];
    expect(job).toMatchObject({ perSecond: 5, total: 2, from: 'console' });
  });

  it('counts long attempts that it asks to end, and says that they are not discarded by that', async () => {
    const console = consoleUnderTest(orders);
    const until = iso(MINUTE);
    console.store.put(inRetry('long', { dueAt: until, notBefore: { until } }));
    const at = '/bulk?do=discard&status=ERROR';
    const { text } = await get(console.app, at);
    expect(text).toContain('Discard 1 record?');
    expect(text).toMatch(/0 records would be discarded.*told to end within 30 seconds/s);
    await post(console.app, '/bulk', { plan: hiddenField(text, 'plan'), pace: '0' }, {}, at);
    await jobDone(console);
    expect(console.store.item('long')).toMatchObject({
      status: 'ERROR',
      notBefore: { until, cancel: expect.stringContaining('ops') },
    });
  });

  it('counts up to a limit, and says so; the job goes on beyond it', async () => {
    const console = consoleUnderTest(orders);
    for (let i = 0; i < 1_200; i++) console.store.put(dead(`d${i}`));
    const { text } = await get(console.app, '/bulk?do=redrive&status=DEAD');
    expect(text).toContain('Redrive at least 1,000 records?');
    await post(console.app, '/bulk', { plan: hiddenField(text, 'plan'), pace: '0' }, {}, path);
    expect(await jobDone(console)).toContain('<b>1,200</b> redriven');
  });

  it('tries five first, or waits until the destination is back, where that is known to fail', async () => {
    const console = consoleUnderTest(orders);
    for (let i = 0; i < 9; i++)
      console.store.put(dead(`d${i}`, failedAgo(MINUTE, 'HTTP 503 from http://erp: down')));
    const at = '/bulk?do=redrive&status=DEAD&errorName=HttpError+503+erp';
    expect((await get(console.app, at)).text).not.toContain('name="whenBack"');
    const open = { since: NOW, until: NOW + HOUR, token: 't' };
    await console.store.breakers.set('orders', 'erp', open, undefined);
    const { text } = await get(console.app, at);
    expect(text).toContain('Not before <bdi>erp</bdi> works again');
    // An armed job looks again and again, in the tests of other files too.
    onTestFinished(() => console.runner.leave());
    const form = { plan: hiddenField(text, 'plan'), pace: '20', probe: 'on', whenBack: 'on' };
    const { location } = await post(console.app, '/bulk', form, {}, path);
    expect((await get(console.app, location)).text).toMatch(
      /waits until that is back.*Armed.*<bdi>erp<\/bdi> works again/s,
    );
    const [job] = [...(await console.store.jobs.list()).values()];
    expect(job).toMatchObject({ state: 'armed', armedFor: 'erp', probe: 5, perSecond: 20 });
    const few = await get(console.app, '/bulk?do=redrive&status=DEAD&id=d1');
    expect(few.text).not.toContain('name="probe"');
    expect((await get(console.app, '/bulk?do=discard&status=DEAD')).text).not.toMatch(
      /name="(probe|whenBack)"/,
    );
  });

  it('looks at 2,000 records at most, and begins also if none of these matches', async () => {
    const console = consoleUnderTest(orders);
    for (let i = 0; i < 2_500; i++) console.store.put(dead(`d${i}`, { payload: i }));
    const { text } = await get(console.app, '/bulk?do=redrive&status=DEAD&id=d24');
    expect(text).toMatch(/Redrive .*looked at 2,000 records/s);
    await post(console.app, '/bulk', { plan: hiddenField(text, 'plan'), pace: '0' }, {}, path);
    expect(await jobDone(console)).toContain('<b>111</b> redriven');
  });

  it('selects what each part of a filter finds', async () => {
    const parts = {
      ...{ error: 'ERP', pattern: 'the ERP answered 503', id: 'a', where: 'customer.id=7' },
      ...{ younger: '2h', older: '30m', failedWithin: '1h', failedBefore: '30m' },
    };
    for (const part of Object.entries(parts)) {
      const console = threeDead();
      const old = failedAgo(3 * HOUR, 'no article', 'RangeError');
      console.store.put(dead('other', { ...old, insertedAt: iso(-DAY), payload: 1 }));
      console.store.put(
        dead('new', { ...failedAgo(MINUTE, '', 'RangeError'), insertedAt: iso(-MINUTE), payload: 1 }),
      );
      const query = new URLSearchParams([['status', 'DEAD'], part]);
      const list = await get(console.app, `/records?${query}`);
      const shown = [...list.text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id);
      expect([1, 2, 3]).toContain(shown.length);
      const { text } = await get(console.app, `/bulk?do=redrive&${query}`);
      await post(console.app, '/bulk', { plan: hiddenField(text, 'plan'), pace: '0' }, {}, path);
      await jobDone(console);
      const changed = Object.entries(statuses(console)).filter(([, status]) => status === 'NEW');
      expect(changed.map(([id]) => id).sort()).toEqual(shown.sort());
    }
  });

  it('acts once, if the form is sent twice', async () => {
    const console = threeDead();
    const plan = hiddenField((await get(console.app, path)).text, 'plan');
    await post(console.app, '/bulk', { plan, pace: '0' }, {}, path);
    expect((await post(console.app, '/bulk', { plan, pace: '0' }, {}, path)).status).toBe(422);
    expect((await console.store.jobs.list()).size).toBe(1);
  });

  it.each(['', '-1', 'fast', '1e9'])(
    'begins nothing at a pace that is none, and asks again: %j',
    async (pace) => {
      const console = threeDead();
      const plan = hiddenField((await get(console.app, path)).text, 'plan');
      const { status, text } = await post(console.app, '/bulk', { plan, pace }, {}, path);
      expect(status).toBe(422);
      expect(text).toMatch(/(?:pace|redrive\.perSecond): expected/);
      // The token of a form is random letters.
      expect(text.replace(/value="[^"]*"/g, '')).not.toContain('NaN');
      expect((await console.store.jobs.list()).size).toBe(0);
    },
  );

  it('acts on the ticked records alone', async () => {
    const console = threeDead();
    const ticked = await post(
      console.app,
      '/bulk/ticked',
      { id: ['a', 'other'], do: 'discard' },
      {},
      '/records',
    );
    expect(ticked.text).toContain('Discard 2 records?');
    const plan = hiddenField(ticked.text, 'plan');
    await post(console.app, '/bulk', { plan, pace: '0', reason: 'old' }, {}, '/records');
    await jobDone(console);
    const reasons = console.store.items().map(({ id, deadReason }) => [id, deadReason]);
    expect(Object.fromEntries(reasons)).toEqual({
      a: 'discarded: old, by ops',
      b: 'maxAttempts',
      other: 'discarded: old, by ops',
    });
  });

  it('with an invalid field begins nothing', async () => {
    const console = consoleUnderTest(orders);
    console.store.put(inRetry('r'));
    const from = '/bulk?do=snooze';
    const page = await get(console.app, from);
    expect(page.text).toContain('Snooze 1 record?');
    const plan = hiddenField(page.text, 'plan');
    const { status, text } = await post(console.app, '/bulk', { plan, pace: '0', delay: 'soon' }, {}, from);
    expect(status).toBe(422);
    expect(text).toContain('role="alert"');
    expect(text).toContain('value="soon"');
    expect((await console.store.jobs.list()).size).toBe(0);
  });

  it('finds none where none matches, and cannot be confirmed', async () => {
    const { app } = consoleUnderTest(orders);
    const { text } = await get(app, path);
    expect(text).toContain('No record would be ');
    expect(text).toMatch(/type="submit" disabled=""/);
  });

  it('is refused without the token, and by a read-only console', async () => {
    const console = threeDead();
    const plan = hiddenField((await get(console.app, path)).text, 'plan');
    expect((await post(console.app, '/bulk', { plan, csrf: 'x' })).status).toBe(403);
    expect((await post(console.app, '/bulk/ticked', { id: 'a', do: 'redrive', csrf: 'x' })).status).toBe(403);
    const readOnly = consoleUnderTest({ ...orders, access: { write: false, reason: 'Look only.' } });
    expect((await get(readOnly.app, path)).status).toBe(403);
    expect((await post(readOnly.app, '/bulk', { plan, csrf: 'x' })).status).toBe(403);
    expect(statuses(console)).toEqual({ a: 'DEAD', b: 'DEAD', other: 'DEAD' });
  });
});
