import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { announcedRuntime } from './announced-runtime.js';
import { backlog } from './in-process.js';

let runtime: Awaited<ReturnType<typeof announcedRuntime>>;
let made: Awaited<ReturnType<typeof runtime.renew>>;

beforeAll(async () => {
  runtime = await announcedRuntime();
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  made = await runtime.renew();
  await made.records.put(record('a', 'orders'));
  await made.control.put({ key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 });
});

const record = (id: string, queue: string, attributes = {}) => ({
  id,
  status: 'DEAD',
  payload: 1,
  queue,
  insertedAt: '2029-12-31T00:00:00.000Z',
  lane: `${queue}/dead`,
  dueAt: '2029-12-31T00:00:00.000Z',
  rev: 'r',
  ...attributes,
});

const NAMING = [
  ['pause', 'oders'],
  ['resume', 'oders'],
  ['move', 'a', '--to', 'oders'],
  ['redrive', 'a', '--to', 'oders', '--dry-run'],
];

describe('a queue that is not known', () => {
  it.each(NAMING)('is refused by %s, with the known ones', async (...args) => {
    const before = [await made.records.all(), await made.control.all()];
    const { err, error } = await backlog(...args);
    expect(error).toMatchObject({ name: 'CommanderError' });
    expect(err).toMatch(
      /error: table Records\d+ .* has no queue "oders"; did you mean "orders"\?\nKnown: bulk, default, orders\. --force/,
    );
    expect([await made.records.all(), await made.control.all()]).toEqual(before);
  });

  it.each(NAMING)('is taken by %s with --force', async (...args) => {
    const { code, err } = await backlog(...args, '--force');
    expect(code, err).toBe(0);
  });

  it('has no suggestion where none is near, and no names where no run has served one', async () => {
    expect((await backlog('pause', 'invoices')).err).toMatch(/has no queue "invoices"\nKnown: bulk/);
    const { endpoint, records, control, folder } = await runtime.renew();
    vi.stubEnv('BACKLOG_RUNTIME_DIR', folder);
    const tables = ['--endpoint', endpoint, '--table', records.name, '--control-table', control.name];
    expect((await backlog('pause', 'invoices', ...tables)).err).toMatch(
      /"invoices"\nNo run has served a queue yet\. --force/,
    );
  });
});

describe('a queue is known', () => {
  it('by the running app', async () => {
    expect((await backlog('pause', 'bulk')).code).toBe(0);
  });

  it('by an owner', async () => {
    const queues = { invoices: { owner: 'Billing', retryMode: 'perRecord', at: '2029-12-31T00:00:00.000Z' } };
    await made.control.put({ key: 'registry', rev: 'r', queues });
    const { code, err } = await backlog('move', 'a', '--to', 'invoices');
    expect(code, err).toBe(0);
  });

  it.each([
    ['that waits', { status: 'NEW', lane: 'invoices#3' }],
    ['that is dead', {}],
  ])('by a record %s', async (_, attributes) => {
    await made.records.put(record('b', 'invoices', attributes));
    expect((await backlog('pause', 'invoices')).code).toBe(0);
  });
});
