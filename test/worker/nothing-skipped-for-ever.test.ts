import { describe, expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import type { BacklogStore } from '../../src/store/store.js';
import { isOnDynamoDbLocal } from '../store/test-store.js';
import { Harness, START, succeed, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const FULL = 'x'.repeat(409_200);
/** More than a page. */
const ODD = isOnDynamoDbLocal ? 12 : 150;

/** The store, with what is asked of it and written to it. */
function watched(store: BacklogStore) {
  const seen = { named: 0, read: 0, settled: 0 };
  const observed = intercepted(store, async (name, call) => {
    const known = await call();
    if (name === 'pages.query') seen.named += (known as { keys: unknown[] }).keys.length;
    if (name === 'pages.read') seen.read += (known as { records: unknown[] }).records.length;
    if (name === 'records.settle') seen.settled++;
    return known;
  });
  return { store: observed, seen };
}

const DUE = iso(-3600);
const ITEMS: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['of a newer version', { backlogFormat: 99 }, { status: 'DEAD', lane: 'q/dead' }],
  ['without room for an outcome', { payload: FULL }, { status: 'DEAD', lane: 'q/dead' }],
  ['that has succeeded', { status: 'SUCCESS' }, { status: 'SUCCESS' }],
  ['that is dead', { status: 'DEAD' }, { status: 'DEAD', lane: 'q/dead' }],
  ['of another queue', { queue: 'r' }, { status: 'NEW', lane: 'r' }],
  ['that is due later than its text sorts', { dueAt: '2026-02-28T22:00:00.000-04:00' }, { lane: 'q' }],
];
const BY_AGE: typeof ITEMS = [
  ['that rests for long', { notBefore: '2027-01-01T00:00:00.000Z' }, { status: 'NEW', lane: 'q' }],
  [
    'of another age than its text',
    { dueAt: '2026-02-28T22:59:59Z', insertedAt: iso(-90_000) },
    { lane: 'q' },
  ],
];

describe.each([
  ['per-record retries', {}, ITEMS],
  ['the progressive schedule', { band: YOUNG }, [...ITEMS, ...BY_AGE]],
])('under %s', (_, choices, items) => {
  it.each(items)(
    'a pile of items %s costs one write each, once, and keeps no good record from its attempt',
    async (_, odd, becomes) => {
      const harness = new Harness();
      for (let i = 0; i < ODD; i++) harness.put(`odd-${i}`, { insertedAt: DUE, dueAt: DUE, ...odd });
      for (const at of [-7200, -10]) harness.put(`good${at}`, { insertedAt: iso(at) });
      const attempted = new Set<string>();
      const first = watched(harness.store);
      const summary = await harness.run(({ id }) => void attempted.add(id), {
        ...choices,
        store: first.store,
        maxRecords: 4,
        concurrency: 2,
      });
      expect([...attempted].sort()).toEqual(['good-10', 'good-7200']);
      expect(summary).toMatchObject({ attempted: 2, succeeded: 2, ended: 'drained', leftOver: 0 });
      expect(first.seen.settled).toBe(ODD + 2);
      const { id: __, ...item } = harness.item('odd-0');
      expect(item).toMatchObject(becomes);
      if (odd.status === 'SUCCESS') expect(item).not.toHaveProperty('lane');
      expect(item.payload).toEqual(odd.payload ?? {});

      const second = watched(harness.store);
      await harness.run(succeed, { ...choices, store: second.store });
      expect(second.seen).toEqual({ named: 0, read: 0, settled: 0 });
    },
  );

  it('items with a due time of a year that does not sort are attempted', async () => {
    const harness = new Harness();
    const years = ['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '!soon'];
    for (const dueAt of years) harness.put(dueAt, { insertedAt: iso(-60), dueAt });
    const { band } = { band: undefined, ...choices };
    const ids: string[] = [];
    // A tier's range begins and ends with its ages: none of these is in it.
    await harness.run(({ id }) => void ids.push(id), band ? { band: { ...band, last: true } } : {});
    expect(ids.sort()).toEqual([...years].sort());
  });
});

it('a redriven record of a newer version is quarantined again, once', async () => {
  const harness = new Harness();
  harness.put('odd', { backlogFormat: 99, status: 'DEAD', lane: 'q/dead', deadReason: 'quarantined: x' });
  harness.put('odd', { ...harness.item('odd'), status: 'NEW', lane: 'q', deadReason: undefined });
  expect(await harness.run(succeed)).toMatchObject({ attempted: 0, dead: 1 });
  expect(harness.item('odd').deadReason).toMatch(/^quarantined: backlogFormat 99 is newer than 1, .*redrive/);
  expect(await harness.run(succeed)).toMatchObject({ attempted: 0, dead: 0, skipped: 0 });
});

it('one that has just come is quarantined without an attempt', async () => {
  const harness = new Harness();
  const bare = { lane: undefined, dueAt: undefined, rev: undefined };
  harness.put('newer', { ...bare, backlogFormat: 99 });
  harness.put('full', { ...bare, payload: FULL });
  harness.put('good', bare);
  const arrivals = { batch: '1', ids: ['newer', 'full', 'good'] };
  const summary = await harness.run(succeed, { arrivals, shards: 8 });
  expect(summary).toMatchObject({ attempted: 1, succeeded: 1, dead: 2 });
  for (const id of ['newer', 'full']) {
    expect(harness.item(id)).toMatchObject({ status: 'DEAD', insertedAt: iso(0) });
    expect(harness.item(id).lane).toMatch(/^q(#\d)?\/dead$/);
  }
});
