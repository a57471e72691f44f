import { describe, expect, it } from 'vitest';
import { shares } from '../../tools/src/console/failures/sample.js';
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
  post,
  runtimeUnderTest,
  waiting,
} from './console-under-test.js';

const orders = { queues: () => [{ name: 'orders' }] };
const failedAgo = (ms: number, message: string, name = 'HttpError') => ({
  lastFailureAt: iso(-ms),
  lastError: { name, message, at: iso(-ms), attempt: 2 },
});
/** Cells of the row of a cause, as text. */
function cellsOf(text: string, cause: string): string[] {
  const row =
    text
      .split('<tr')
      .slice(1)
      .find((one) => one.includes(cause)) ?? '';
  return [...row.matchAll(/<td class="cell"[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
    cell.replace(/<[^>]+>/g, ''),
  );
}

describe('the failures', () => {
  it('are grouped by class and message pattern, and by how long ago they were', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(inRetry('a', failedAgo(5 * MINUTE, 'order-1 refused')));
    store.put(inRetry('b', failedAgo(10 * MINUTE, 'order-2 refused')));
    store.put(inRetry('c', failedAgo(2 * HOUR, 'order-3 refused')));
    store.put(inRetry('d', failedAgo(5 * MINUTE, 'no answer', 'AttemptTimeout')));
    store.put(dead('e', failedAgo(3 * DAY, 'order-4 refused')));
    store.put(waiting('new'));
    const { text } = await get(app, '/failures');
    expect(text).toContain(
      '2 of the 3 records that failed in the last hour share one cause: <bdi>HttpError: {id} refused</bdi>',
    );
    expect(text).toContain('3 groups');
    expect(cellsOf(text, 'in retry')).toEqual(['2', '1', '0', '0']);
    expect(cellsOf(text, 'AttemptTimeout')).toEqual(['1', '0', '0', '0']);
    expect(cellsOf(text, '>dead<')).toEqual(['0', '0', '0', '1']);
    expect(text).toContain('all 6 records that are not finished');
  });

  it('lead from each cell to exactly its records', async () => {
    const { app, store } = consoleUnderTest(orders);
    store.put(inRetry('a', failedAgo(5 * MINUTE, 'order-1 refused')));
    store.put(inRetry('b', failedAgo(2 * HOUR, 'order-2 refused')));
    store.put(inRetry('c', failedAgo(2 * HOUR, 'no answer')));
    const { text } = await get(app, '/failures');
    const [, href = ''] =
      /data-label="1–3 h"><a class="h\d" href="([^"]+pattern=%7Bid%7D[^"]*)"/.exec(text) ?? [];
    const list = await get(app, href.replaceAll('&amp;', '&'));
    expect([...list.text.matchAll(/class="id" href="\/record\?id=([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'b',
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
    expect(cellsOf(text, 'down')).toEqual(['≈ 700', '0', '0', '0']);
    const link = /href="(\/failures\?more=yes)"/.exec(text)?.[1] ?? '';
    const more = await get(app, link);
    expect(reads).toBe(750);
    expect(more.text).toContain('all 700 records that are not finished');
    expect(more.text).not.toContain('href="/failures?more=yes"');
  });

  it('are as many as the local runtime has counted, wherever they stand in the index', async () => {
    const counts = { retryMode: 'perRecord', table: 'Records', NEW: 1_900, ERROR: 200, SUCCESS: 0, DEAD: 0 };
    const runtime = runtimeUnderTest({ queues: [{ name: 'orders', ...counts }] as never });
    const { app, store } = consoleUnderTest({ ...orders, runtime });
    for (let i = 0; i < 200; i++)
      store.put(inRetry(`r${i}`, { ...failedAgo(MINUTE, 'down'), dueAt: iso(-HOUR + i) }));
    for (let i = 0; i < 1_900; i++) store.put(waiting(`n${i}`, { dueAt: iso(i) }));
    expect(cellsOf((await get(app, '/failures')).text, 'down')).toEqual(['≈ 200', '0', '0', '0']);
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

  /** Follows the page of the job until it is over. */
  async function jobDone({ app }: Console, location: string): Promise<string> {
    for (let i = 0; i < 500; i++) {
      const { text } = await get(app, location);
      if (!text.includes('data-refresh="1"')) return text;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('the action has not ended');
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
    expect(text).toContain('2 records would be redriven: b, a');
    expect(text).toContain('20 a second: under a second');
    expect(statuses(console)).toEqual({ a: 'DEAD', b: 'DEAD', other: 'DEAD' });
  });

  it('changes those that were counted, and is logged', async () => {
    const console = threeDead();
    const plan = hiddenField((await get(console.app, path)).text, 'plan');
    // It matches too, but the operator has not seen it.
    console.store.put(dead('late'));
    const { status, location } = await post(console.app, '/bulk', { plan, pace: '0' }, {}, path);
    expect(status).toBe(303);
    expect(await jobDone(console, location)).toContain('Done: 2 of 2 records changed.');
    expect(statuses(console)).toEqual({ a: 'NEW', b: 'NEW', other: 'DEAD', late: 'DEAD' });
    expect(console.log).toMatchObject([
      { as: 'ops', text: 'redrive: 2 records among the dead records whose last error is HttpError' },
    ]);
  });

  it('acts once, if the form is sent twice', async () => {
    const console = threeDead();
    const plan = hiddenField((await get(console.app, path)).text, 'plan');
    await post(console.app, '/bulk', { plan, pace: '0' }, {}, path);
    expect((await post(console.app, '/bulk', { plan, pace: '0' }, {}, path)).status).toBe(422);
    expect(console.log.length).toBeLessThanOrEqual(1);
  });

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
    const { location } = await post(console.app, '/bulk', { plan, pace: '0', reason: 'old' }, {}, '/records');
    await jobDone(console, location);
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
    expect(console.log).toEqual([]);
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
