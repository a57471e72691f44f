import { existsSync } from 'node:fs';
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

const ASKING = [
  ['list', '--queue', 'oders'],
  ['list', '--queue', 'oders', '--json'],
  ['list', '--queue', 'oders', '--status', 'DEAD'],
  ['stats', '--queues', 'oders'],
  ['failures', '--queue', 'oders'],
  ['stats', '--queues', 'orders,oders', '--json'],
  ['export', '--queue', 'oders'],
  ['export', '--queue', 'oders', '--out', 'never.ndjson'],
  ['redrive', '--queue', 'oders', '--yes'],
  ['discard', '--queue', 'oders', '--dry-run'],
  ['snooze', '--queue', 'oders', '--delay', '1h', '--yes'],
  ['run-now', '--queue', 'oders', '--yes'],
  ['edit', '--queue', 'oders', '--payload', '1', '--yes'],
  ['move', '--queue', 'oders', '--to', 'orders', '--dry-run'],
  ['change-policy', '--queue', 'oders', '--policy', 'queue', '--yes'],
];

describe('a queue whose records are asked for', () => {
  it.each(ASKING)(
    'is refused by %s %s %s, with the known ones, where nothing has its name',
    async (...args) => {
      const before = [await made.records.all(), await made.control.all()];
      const { err, out, error } = await backlog(...args.filter((arg) => arg !== undefined));
      expect(error).toMatchObject({ name: 'CommanderError', exitCode: 1 });
      expect(err).toMatch(
        /error: table Records\d+ .* has no queue "oders"; did you mean "orders"\?\nKnown: bulk, default, orders\.\n/,
      );
      expect(out).toBe('');
      expect(existsSync('never.ndjson')).toBe(false);
      expect([await made.records.all(), await made.control.all()]).toEqual(before);
    },
  );

  it.each([
    ['that is dead', {}],
    ['that waits in a shard', { status: 'NEW', lane: 'oders#3' }],
    ['that no run has indexed', { status: 'NEW', lane: undefined, dueAt: undefined }],
    ['that succeeded', { status: 'SUCCESS', lane: undefined, dueAt: undefined }],
  ])('is known by a record %s', async (_, attributes) => {
    await made.records.put(record('b', 'oders', attributes));
    for (const args of ASKING) {
      const { error, err } = await backlog(
        ...args.filter((arg) => arg !== 'never.ndjson' && arg !== '--out'),
      );
      expect(error, err).toBeUndefined();
    }
  });

  it('is not refused where its control table is not known: that is said beside "no such records"', async () => {
    const { endpoint, records, control, folder } = await runtime.renew();
    vi.stubEnv('BACKLOG_RUNTIME_DIR', folder);
    await control.put({ key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 });
    const tables = ['--endpoint', endpoint, '--table', records.name];
    for (const command of ['list', 'export']) {
      const { code, err } = await backlog(command, '--queue', 'orders', ...tables);
      expect(code).toBe(0);
      expect(err).toContain('the control table tells whether there is a queue "orders"');
    }
    const { err } = await backlog('export', '--queue', 'nope', ...tables, '--control-table', control.name);
    expect(err).toMatch(/has no queue "nope"\nKnown: orders\.\n/);
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
