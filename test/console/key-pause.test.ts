import { expect, it } from 'vitest';
import { parseKeyPauses } from '../../src/store/key-pauses.js';
import { consoleUnderTest, get, iso, MINUTE, post, waiting } from './console-under-test.js';

const FROM = '/queue-key?name=orders&key=tenant-7';
const QUEUE = { queues: () => [{ name: 'orders' }] };
const pausesOf = async ({ store }: ReturnType<typeof consoleUnderTest>) =>
  parseKeyPauses((await store.queues.read('orders')).pausedKeys).pauses;

it('a key is paused with a reason and an end, and the pages say so', async () => {
  const console = consoleUnderTest(QUEUE);
  const { app, store, log } = console;
  store.put(waiting('a', { key: 'tenant-7' }));
  expect((await get(app, FROM)).text).toContain('Pause <bdi>tenant-7</bdi> in <bdi>orders</bdi>?');
  const form = { reason: ' asked ', until: '2h' };
  const { location } = await post(app, '/queue-key/pause?name=orders&key=tenant-7', form, {}, FROM);
  expect(await pausesOf(console)).toEqual([
    { key: 'tenant-7', since: iso(), until: iso(120 * MINUTE), reason: 'asked', by: 'ops' },
  ]);
  const { text } = await get(app, location);
  expect(text).toContain('tenant-7 in orders is paused now.');
  expect(text).toContain('paused by ops until 16:47 UTC, &quot;asked&quot;');
  expect((await get(app, '/')).text).toContain(
    'key tenant-7 paused by ops until 16:47 UTC, &quot;asked&quot;',
  );
  expect((await get(app, FROM)).text).toMatch(/Resume <bdi>tenant-7<\/bdi> in .*by ops until 16:47 UTC/s);
  expect(log.map((entry) => entry.text)).toEqual(['pause tenant-7 in orders']);
});

it('a resume ends the pause, and a job makes due what has waited', async () => {
  const console = consoleUnderTest(QUEUE);
  const { app, store } = console;
  await store.queues.notePausedKeys('orders', JSON.stringify([{ key: 'tenant-7', since: iso() }]), undefined);
  const until = iso(30 * MINUTE);
  const putOff = { dueAt: until, notBefore: { until, lane: '#paused' } };
  store.put(waiting('a', { key: 'tenant-7', ...putOff }));
  store.put(waiting('b', { key: 'other', ...putOff }));
  const about = await get(app, '/record?id=a');
  expect(about.text).toContain('It waits, as its key <bdi>tenant-7</bdi> is paused.');
  const { location } = await post(app, '/queue-key/resume?name=orders&key=tenant-7', {}, {}, FROM);
  expect(await pausesOf(console)).toEqual([]);
  expect((await get(app, location)).text).toMatch(/tenant-7 in orders goes on\. Job \w+ makes due/);
  await expect.poll(() => store.items().find(({ id }) => id === 'a')).toMatchObject({ dueAt: iso() });
  expect(store.items().find(({ id }) => id === 'b')).toMatchObject(putOff);
});

it('a wrong end is refused, and so is what is no key', async () => {
  const console = consoleUnderTest(QUEUE);
  const { app } = console;
  const path = '/queue-key/pause?name=orders&key=tenant-7';
  const refused = await post(app, path, { until: 'noon', reason: 'asked' }, {}, FROM);
  expect(refused.status).toBe(422);
  expect(refused.text).toMatch(/value="asked".*value="noon".*aria-invalid.*Expected a time that lies ahead/s);
  for (const wrong of ['name=orders&key=', `name=orders&key=${'x'.repeat(257)}`, 'name=a%20b&key=k']) {
    for (const state of ['pause', 'resume'])
      expect((await post(app, `/queue-key/${state}?${wrong}`, {}, {}, FROM)).status).toBe(422);
  }
  expect(await pausesOf(console)).toEqual([]);
});

it('nothing is paused without the token, or read-only', async () => {
  const { app, store } = consoleUnderTest(QUEUE);
  const readOnly = consoleUnderTest({ ...QUEUE, access: { write: false, reason: 'Look only.' } });
  const path = '/queue-key/pause?name=orders&key=tenant-7';
  expect((await post(app, path, { csrf: 'x' })).status).toBe(403);
  expect((await post(readOnly.app, path, {}, {}, FROM)).status).toBe(403);
  expect((await store.queues.readAll()).size).toBe(0);
});
