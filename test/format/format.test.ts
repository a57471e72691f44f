import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { indexWhenFree, sweep } from '../../src/intake/index.js';
import { outsideWaitOf } from '../../src/record/completion.js';
import { type Items, type OpenBacklog, openBacklog } from './backlog.js';
import { BANDS, incident, jobsOf, LIFE_STARTS, live } from './life.js';

const FIXTURES = 'test/format/fixtures';
const { version: current } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

let backlog: OpenBacklog;
afterEach(() => backlog.close());

/** The tables as a version left them, and this version's code at work on them half an hour later. */
async function inherit(version: string): Promise<OpenBacklog> {
  const left: Items = JSON.parse(readFileSync(`${FIXTURES}/${version}.json`, 'utf8'), fromTheWire);
  const opened = await openBacklog(LIFE_STARTS + 10 * 86_400_000 + 30 * 60_000);
  for (const item of left.records) await opened.put('records', item);
  for (const item of left.control) await opened.put('control', item);
  return opened;
}

function lines(items: readonly object[]): string {
  return `[\n${items.map((item) => JSON.stringify(item, asOnTheWire)).join(',\n')}\n]`;
}

/** Bytes as DynamoDB's own API has them: in base64. */
function asOnTheWire(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function fromTheWire(key: string, value: unknown): unknown {
  return key === 'B' ? new Uint8Array(Buffer.from(String(value), 'base64')) : value;
}

/** Attempts what is due in a queue: the ids in their order. */
async function attempted(queue: string, choices = {}): Promise<string[]> {
  const ids: string[] = [];
  const summary = await backlog.run({ queue, ...choices }, ({ id }) => void ids.push(id));
  expect(summary).toMatchObject({ succeeded: ids.length, unsettled: 0 });
  return ids;
}

it('this version writes what its fixture holds: if it does not, see docs/upgrades.md', async () => {
  backlog = await openBacklog(LIFE_STARTS);
  await live(backlog);
  const { records, control } = await backlog.items();
  const text = `{ "records": ${lines(records)}, "control": ${lines(control)} }\n`;
  await expect(text).toMatchFileSnapshot(`fixtures/${current}.json`);
});

describe.each(readdirSync(FIXTURES).map((file) => file.replace('.json', '')))(
  'what version %s left',
  (version) => {
    it('has long attempts whose processes were lost: a failure, and a cancellation, without an attempt', async () => {
      backlog = await inherit(version);
      const summary = await backlog.run({ queue: 'reports' }, () => {
        throw new Error('attempted');
      });
      expect(summary).toMatchObject({ attempted: 0, failed: 1, cancelled: 1 });
      expect(await backlog.store.records.get('long-cancelled')).toMatchObject({
        status: 'DEAD',
        deadReason: 'cancelled: withdrawn',
      });
    });

    it('has records that wait for their ends from outside, and that get them', async () => {
      backlog = await inherit(version);
      const summary = await backlog.run({ queue: 'approvals' }, () => {
        throw new Error('attempted');
      });
      expect(summary).toMatchObject({ attempted: 0, failed: 1 });
      expect(await backlog.store.records.get('refused')).toMatchObject({
        ...{ status: 'ERROR', attempts: 1 },
        lastError: { name: 'FailedOutside', message: 'not in the budget' },
      });
      const { token } = outsideWaitOf((await backlog.store.records.get('asked')) ?? {}) ?? {};
      expect(await backlog.client.complete('asked', token ?? '', { by: 'ops' })).toMatchObject({
        accepted: true,
      });
      expect(await backlog.client.get('asked')).toMatchObject({ status: 'SUCCESS', result: { by: 'ops' } });
    });

    it('is attempted when it is due, with its history kept', async () => {
      backlog = await inherit(version);
      const before = await backlog.store.records.get('still-failing');
      expect((await attempted('orders')).sort()).toEqual(['delayed', 'failed-once', 'still-failing']);
      const after = await backlog.store.records.get('still-failing');
      expect(after).toMatchObject({
        status: 'SUCCESS',
        attempts: (before?.attempts ?? 0) + 1,
        failures: before?.failures,
      });
      const kept = after?.history.slice(0, -1) ?? [];
      expect(kept.length).toBeGreaterThan(1);
      expect(kept).toEqual(before?.history.slice(-kept.length));
      expect(after?.history.at(-1)).toMatchObject({ outcome: 'succeeded', attempt: after?.attempts });
      const often = await backlog.store.records.get('failed-often');
      expect(often).toMatchObject({ status: 'SUCCESS', attempts: 4, failures: 3 });
      expect(often?.expiresAt).toBe(Date.parse(often?.lastAttemptAt ?? '') / 1000 + 30 * 86_400);
      expect(backlog.warnings).toEqual([]);
    });

    it('goes on where a run of a tier had to stop, and lets rest what was told to', async () => {
      backlog = await inherit(version);
      backlog.passUntil(LIFE_STARTS + 11 * 86_400_000);
      expect(await attempted('bulk', { band: BANDS[2] })).toEqual(['bulk-2', 'bulk-1', 'bulk-4', 'bulk-3']);
    });

    it('has the journal of a lost run: each of its records is attempted alone, once', async () => {
      backlog = await inherit(version);
      expect(await attempted('stuck')).toEqual(['in-flight-1', 'in-flight-2']);
      expect(await attempted('stuck')).toEqual([]);
    });

    it('has records that are not indexed, which a sweep still finds and indexes', async () => {
      backlog = await inherit(version);
      const found: string[] = [];
      const deadline = backlog.clock.wall() + 60_000;
      const swept = await sweep({
        ...backlog.deps,
        deadline,
        found: async (ids) => void found.push(...ids),
      });
      expect(swept.ended).toBe('finished');
      const { indexed } = await indexWhenFree(['bare', 'bare-in-queue', 'from-client'], backlog.deps);
      expect(indexed).toHaveLength(3);
      expect(await attempted('orders')).toEqual(expect.arrayContaining(['bare-in-queue', 'from-client']));
      expect(await attempted('default')).toEqual(['bare']);
      expect(await backlog.store.records.get('from-client')).toMatchObject({
        payload: { set: new Set([1, 2]) },
      });
    });

    it('keeps a batch of arrivals for the run that claimed it, until that must be over', async () => {
      backlog = await inherit(version);
      const arrivals = { batch: '300/1', ids: ['from-client'] };
      backlog.passUntil(LIFE_STARTS + 10 * 86_400_000 + 30_000);
      expect(await attempted('orders', { arrivals })).toEqual([]);
      backlog.passUntil(LIFE_STARTS + 10 * 86_400_000 + 90_000);
      expect(await attempted('orders', { arrivals })).toEqual(['from-client']);
    });

    it('has jobs that go on, and those of a lost process are taken over', async () => {
      backlog = await inherit(version);
      const jobs = jobsOf(backlog);
      const { jobs: list, unreadable } = await jobs.list();
      expect(unreadable).toEqual([]);
      expect(list.map(({ state }) => state).sort()).toEqual(['running', 'stopped']);
      for (const job of list) {
        if (job.state === 'running') expect(await jobs.takeOver(job)).toMatchObject({ id: job.id, probe: 5 });
        else expect((await jobs.run(await jobs.goOn(job.id))).job).toMatchObject({ counts: { changed: 1 } });
      }
      expect((await backlog.store.records.get('used-up'))?.status).toBe('NEW');
    });

    it('knows which incident was reported, and reports its end', async () => {
      backlog = await inherit(version);
      expect(await incident(backlog, true)).toEqual([]);
      expect(await incident(backlog, false)).toEqual(['ended']);
    });

    it('keeps its dead', async () => {
      backlog = await inherit(version);
      const dead = [];
      for await (const { id } of backlog.store.records.list({ queue: 'orders', status: 'DEAD' }))
        dead.push(id);
      expect(dead.sort()).toEqual(['dead-by-process', 'used-up']);
    });
  },
);

describe('a record of a newer version', () => {
  const newer = (id: string, more = {}) => ({
    id: { S: id },
    status: { S: 'NEW' },
    queue: { S: 'orders' },
    payload: { S: 'in a way of its own' },
    backlogFormat: { N: '2' },
    ...more,
  });
  const place = { lane: { S: 'orders' }, dueAt: { S: '2026-01-01T00:00:00.000Z' } };

  it('is quarantined by every run that meets it, unchanged except for its lane, and keeps none of the others', async () => {
    backlog = await openBacklog(LIFE_STARTS + 3_600_000);
    await backlog.put('records', newer('new-way', place));
    await backlog.put('records', newer('new-way-bare'));
    await backlog.put('records', newer('new-way-swept'));
    await backlog.client.insert({ id: 'old-way', queue: 'orders', payload: 1 });
    const ids = ['new-way-bare', 'old-way'];
    expect(await attempted('orders', { arrivals: { batch: '1/2', ids } })).toEqual(['old-way']);
    expect(await attempted('orders')).toEqual([]);
    expect(await indexWhenFree(['new-way-swept'], backlog.deps)).toMatchObject({ skipped: 0 });
    const quarantined = (await backlog.items()).records.filter(({ backlogFormat }) => backlogFormat);
    expect(quarantined).toHaveLength(3);
    for (const item of quarantined) {
      expect(item).toMatchObject({
        payload: { S: 'in a way of its own' },
        backlogFormat: { N: '2' },
        status: { S: 'DEAD' },
        lane: { S: 'orders/dead' },
        deadReason: { S: expect.stringMatching(/^quarantined: backlogFormat 2 is newer than 1/) },
      });
    }
    const reason = expect.stringContaining('redrive');
    expect(backlog.warnings).toEqual([
      ['quarantined', { id: 'new-way-bare', reason }],
      ['quarantined', { id: 'new-way', reason }],
      ['quarantined', { id: 'new-way-swept', reason }],
    ]);
  });

  it('is known by a number: anything else there makes it none', async () => {
    backlog = await openBacklog(LIFE_STARTS + 3_600_000);
    for (const [id, backlogFormat] of Object.entries({ a: { S: '2' }, b: { N: '1' }, c: { N: '0' } })) {
      await backlog.put('records', { ...newer(id, place), backlogFormat });
    }
    expect((await attempted('orders')).sort()).toEqual(['a', 'b', 'c']);
  });
});
