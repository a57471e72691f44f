import { afterAll, beforeAll, expect, it } from 'vitest';
import { announcedRuntime } from './announced-runtime.js';
import { backlog } from './in-process.js';

let runtime: Awaited<ReturnType<typeof announcedRuntime>>;

beforeAll(async () => {
  runtime = await announcedRuntime();
  const { records } = await runtime.renew();
  const at = '2029-12-31T00:00:00.000Z';
  const put = (id: string, queue: string, status = 'NEW') => {
    const lane = status === 'DEAD' ? `${queue}/dead` : queue;
    return records.put({ id, status, payload: 1, queue, insertedAt: at, lane, dueAt: at, rev: 'r' });
  };
  await put('a', 'nowhere');
  await put('b', 'nowhere');
  await put('dead', 'elsewhere', 'DEAD');
  await put('c', 'bulk');
});
afterAll(() => runtime.stop());

it('list says which queues no rule serves, and how many of its records wait there', async () => {
  const { err, out } = await backlog('list');
  expect(out).toContain('nowhere');
  expect(err).toContain('no rule serves "nowhere": 2 records of these wait until one does');
  expect(err).not.toMatch(/no rule serves "(bulk|elsewhere)"/);
});

it('show says that no rule serves the queue of a record that waits', async () => {
  expect((await backlog('show', 'a')).out).toMatch(/waits +no rule serves "nowhere"/);
  for (const id of ['c', 'dead']) expect((await backlog('show', id)).out).not.toContain('no rule serves');
});

it('stats says that no rule serves a queue in which records wait', async () => {
  const { out } = await backlog('stats', '--queues', 'nowhere,bulk,elsewhere');
  expect(out).toMatch(/nowhere .*no rule serves it/);
  expect(out).not.toMatch(/(bulk|elsewhere) .*no rule serves it/);
});
