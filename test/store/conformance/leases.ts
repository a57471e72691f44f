import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { LeaseHold, LeaseState } from '../../../src/store/index.js';
import { NOW } from '../records.js';
import type { UnderTest } from './under-test.js';

const CURSOR = {
  head: { id: 'a/b#c', dueAt: '2026-11-20T12:00:00.000Z' },
  at: { id: '🧾', dueAt: '2026-11-20T11:00:00.000Z' },
};

export function keepingLeases(underTest: UnderTest): void {
  const key = () => `lane:${randomUUID()}`;
  const hold = (holder: string, more: Partial<LeaseHold> = {}): LeaseHold => ({
    holder,
    until: NOW + 60_000,
    ids: ['r-1', 'r-2'],
    rev: `rev-${holder}`,
    ...more,
  });
  const state = (holder: string, more: Partial<LeaseState> = {}): LeaseState => ({
    ...hold(holder),
    suspects: [],
    cursor: undefined,
    woken: false,
    ...more,
  });
  const held = { held: true, cursor: undefined, suspects: undefined };
  /** The lease as another run sees it. */
  const seen = async (k: string) => {
    const answer = await underTest().store.leases.hold(k, hold('onlooker'));
    if (answer.held) throw new Error('the lease is free');
    return answer.lease;
  };

  it('gives a free lease to the first, and shows it to the second as it is', async () => {
    const { store } = underTest();
    const k = key();
    expect(await store.leases.hold(k, hold('me', { suspects: ['s-1'] }))).toMatchObject({ held: true });
    expect(await store.leases.hold(k, hold('you'))).toEqual({
      held: false,
      lease: state('me', { suspects: ['s-1'] }),
    });
  });

  it('gives a lease to exactly one of many runs that ask at once', async () => {
    const { store } = underTest();
    const k = key();
    const all = Array.from({ length: 8 }, (_, i) => `run-${i}`);
    const answers = await Promise.all(all.map((holder) => store.leases.hold(k, hold(holder))));
    expect(answers.filter((answer) => answer.held)).toHaveLength(1);
    expect((await seen(k))?.holder).toBe(all[answers.findIndex((answer) => answer.held)]);
  });

  it('keeps leases of different keys apart', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    expect(await store.leases.hold(`${k}:2`, hold('you'))).toEqual(held);
  });

  it('renews the lease of its holder with the journal of the next page', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    const next = hold('me', { ids: ['r-3'], rev: 'rev-next', until: NOW + 90_000 });
    expect(await store.leases.hold(k, next)).toEqual(held);
    expect(await seen(k)).toEqual(state('me', next as Partial<LeaseState>));
  });

  it('keeps its lease and its journal when an earlier request of its holder arrives late', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    const next = hold('me', { ids: ['r-3'], rev: 'rev-next', until: NOW + 90_000 });
    await store.leases.hold(k, next);
    expect(await store.leases.hold(k, hold('me'))).toMatchObject({ held: false });
    expect(await seen(k)).toEqual(state('me', next as Partial<LeaseState>));
  });

  it('reports a journal whose attempts have begun, until the next one', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me', { begun: true }));
    expect(await seen(k)).toEqual(state('me', { begun: true }));
    const owner = { holder: 'you', until: NOW + 90_000 };
    expect(await store.leases.takeOver(k, state('me'), owner)).toMatchObject({ begun: true });
    await store.leases.hold(k, hold('you', { until: owner.until }));
    expect(await seen(k)).not.toHaveProperty('begun');
    await store.leases.hold(k, hold('you', { until: owner.until, begun: true }));
    await store.leases.release(k, 'you', {});
    await store.leases.hold(k, hold('he'));
    expect(await seen(k)).not.toHaveProperty('begun');
  });

  it('takes a hold that is repeated because its answer was lost', async () => {
    const { store } = underTest();
    const k = key();
    expect([await store.leases.hold(k, hold('me')), await store.leases.hold(k, hold('me'))]).toEqual([
      held,
      held,
    ]);
  });

  it('keeps a journal of 64 KB of ids, whatever they consist of', async () => {
    const { store } = underTest();
    const k = key();
    const ids = Array.from({ length: 100 }, (_, i) => `${i}/#"${'🧾'.repeat(160)}`);
    await store.leases.hold(k, hold('me', { ids }));
    expect((await seen(k))?.ids).toEqual(ids);
  });

  it('keeps the suspects when a hold does not name any, and clears them when it names none', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me', { suspects: ['s-1', 's-2'] }));
    expect(await store.leases.hold(k, hold('me'))).toMatchObject({ held: true, suspects: ['s-1', 's-2'] });
    expect((await seen(k))?.suspects).toEqual(['s-1', 's-2']);
    expect(await store.leases.hold(k, hold('me', { suspects: [] }))).toEqual(held);
    expect((await seen(k))?.suspects).toEqual([]);
  });

  it('hands a lease over with its journal, rev, suspects, cursor and wake mark kept', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('before'));
    await store.leases.release(k, 'before', { cursor: CURSOR });
    await store.leases.hold(k, hold('dead', { suspects: ['s-1'] }));
    await store.leases.wake(k, 'dead');
    const found = await seen(k);
    if (!found) throw new Error('no lease');
    const taken = { ...found, holder: 'me', until: NOW + 120_000 };
    expect(await store.leases.takeOver(k, found, { holder: 'me', until: NOW + 120_000 })).toEqual(taken);
    expect(taken).toMatchObject({
      ids: ['r-1', 'r-2'],
      rev: 'rev-dead',
      suspects: ['s-1'],
      cursor: CURSOR,
      woken: true,
    });
    expect(await seen(k)).toEqual(taken);
  });

  it('hands a lease over to exactly one of two runs, which may ask twice', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('dead'));
    const first = await store.leases.takeOver(k, state('dead'), { holder: 'me', until: NOW + 90_000 });
    expect(first).toMatchObject({ holder: 'me' });
    expect(
      await store.leases.takeOver(k, state('dead'), { holder: 'you', until: NOW + 90_000 }),
    ).toBeUndefined();
    expect(await store.leases.takeOver(k, state('dead'), { holder: 'me', until: NOW + 90_000 })).toEqual(
      first,
    );
  });

  it('does not hand over a lease that its holder has renewed or released', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('slow'));
    await store.leases.hold(k, hold('slow', { until: NOW + 90_000 }));
    expect(await store.leases.takeOver(k, state('slow'), { holder: 'me', until: NOW })).toBeUndefined();
    await store.leases.release(k, 'slow', {});
    expect(await store.leases.takeOver(k, state('slow'), { holder: 'me', until: NOW })).toBeUndefined();
    expect(await store.leases.hold(k, hold('next'))).toEqual(held);
  });

  it('takes the lease from a holder that was taken over: its renewal and release fail', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('frozen'));
    await store.leases.takeOver(k, state('frozen'), { holder: 'me', until: NOW + 90_000 });
    expect(await store.leases.hold(k, hold('frozen'))).toMatchObject({
      held: false,
      lease: { holder: 'me' },
    });
    expect(await store.leases.release(k, 'frozen', {})).toBe('lost');
    expect(await seen(k)).toMatchObject({ holder: 'me', ids: ['r-1', 'r-2'] });
  });

  it('releases a lease with nothing left of it', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me', { suspects: ['s-1'] }));
    expect(await store.leases.release(k, 'me', {})).toBe('released');
    expect(await store.leases.hold(k, hold('you'))).toEqual(held);
    expect(await seen(k)).toEqual(state('you'));
  });

  it('takes a release that is repeated because its answer was lost', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    const answers = [await store.leases.release(k, 'me', {}), await store.leases.release(k, 'me', {})];
    expect(answers).toEqual(['released', 'released']);
    expect(await store.leases.release(key(), 'me', {})).toBe('released');
  });

  it('leaves cursor and suspects to the next holder, until a release leaves none', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    await store.leases.release(k, 'me', { cursor: CURSOR, suspects: ['s-1'] });
    const found = { held: true, cursor: CURSOR, suspects: ['s-1'] };
    expect(await store.leases.hold(k, hold('you'))).toEqual(found);
    expect(await store.leases.hold(k, hold('you'))).toEqual(found);
    await store.leases.release(k, 'you', { suspects: [] });
    expect(await store.leases.hold(k, hold('third'))).toEqual(held);
  });

  it('does not release a lease whose holder was asked to look once more', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    expect(await store.leases.wake(k, 'me')).toBe(true);
    expect(await store.leases.release(k, 'me', {})).toBe('woken');
    expect(await seen(k)).toEqual(state('me', { woken: true }));
    expect(await store.leases.hold(k, hold('me'))).toEqual(held);
    expect(await store.leases.release(k, 'me', {})).toBe('woken');
    expect(await store.leases.acknowledgeWake(k, 'me')).toBe(true);
    expect(await store.leases.release(k, 'me', {})).toBe('released');
  });

  it('keeps a lease that was renewed when a release from before that arrives late', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me', { until: NOW + 60_000 }));
    await store.leases.wake(k, 'me');
    expect(await store.leases.release(k, 'me', { until: NOW + 60_000 })).toBe('woken');
    await store.leases.acknowledgeWake(k, 'me');
    await store.leases.hold(k, hold('me', { until: NOW + 90_000 }));
    expect(await store.leases.release(k, 'me', { until: NOW + 60_000 })).toBe('lost');
    expect(await seen(k)).toEqual(state('me', { until: NOW + 90_000 }));
    expect(await store.leases.release(k, 'me', { until: NOW + 90_000 })).toBe('released');
  });

  it('shortens no lease when its taking over arrives late once more', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('dead'));
    const mine = { holder: 'me', until: NOW + 90_000 };
    await store.leases.takeOver(k, state('dead'), mine);
    await store.leases.hold(k, hold('me', { until: NOW + 120_000 }));
    expect(await store.leases.takeOver(k, state('dead'), mine)).toBeUndefined();
    expect(await seen(k)).toMatchObject({ holder: 'me', until: NOW + 120_000 });
  });

  it('wakes the holder alone, and lets no other run clear the mark', async () => {
    const { store } = underTest();
    const k = key();
    expect(await store.leases.wake(k, 'me')).toBe(false);
    await store.leases.hold(k, hold('me'));
    expect(await store.leases.wake(k, 'you')).toBe(false);
    await store.leases.wake(k, 'me');
    expect(await store.leases.acknowledgeWake(k, 'you')).toBe(false);
    expect(await store.leases.release(k, 'me', {})).toBe('woken');
    expect(await store.leases.acknowledgeWake(key(), 'me')).toBe(false);
  });

  it('ends the lease of a lost run, whose journal, suspects and cursor stay for the next one', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('me'));
    await store.leases.release(k, 'me', { cursor: CURSOR });
    await store.leases.hold(k, hold('lost.1', { suspects: ['s-1'], begun: true }));
    expect(await store.leases.end(k, { holderPrefix: 'lost.', until: NOW })).toBe(1);
    const ended = state('lost.1', { until: NOW, suspects: ['s-1'], begun: true, cursor: CURSOR });
    expect(await seen(k)).toEqual(ended);
    const mine = { holder: 'next', until: NOW + 90_000 };
    expect(await store.leases.takeOver(k, ended, mine)).toEqual({ ...ended, ...mine });
  });

  it('ends no lease of another run, none that is free, and none a second time', async () => {
    const { store } = underTest();
    const k = key();
    const lost = { holderPrefix: 'lost.', until: NOW };
    expect(await store.leases.end(k, lost)).toBeUndefined();
    expect(await store.leases.hold(k, hold('lost'))).toEqual(held);
    expect(await store.leases.end(k, lost)).toBeUndefined();
    expect(await seen(k)).toEqual(state('lost'));
    await store.leases.release(k, 'lost', {});
    expect(await store.leases.end(k, lost)).toBeUndefined();
    await store.leases.hold(k, hold('lost.1'));
    expect(await store.leases.end(k, lost)).toBe(1);
    expect(await store.leases.end(k, lost)).toBeUndefined();
    expect(await store.leases.end(k, { ...lost, until: NOW - 1 })).toBe(2);
  });

  it('counts the holders that are lost in succession, until one gives the lease back', async () => {
    const { store } = underTest();
    const k = key();
    await store.leases.hold(k, hold('a.1'));
    expect(await store.leases.end(k, { holderPrefix: 'a.', until: NOW })).toBe(1);
    await store.leases.takeOver(k, state('a.1', { until: NOW }), { holder: 'b.1', until: NOW + 90_000 });
    expect(await store.leases.end(k, { holderPrefix: 'b.', until: NOW })).toBe(2);
    expect((await store.leases.readAll()).get(k)?.lost).toBe(2);
    await store.leases.takeOver(k, state('b.1', { until: NOW, rev: 'rev-a.1' }), {
      holder: 'c',
      until: NOW + 90_000,
    });
    expect(await store.leases.release(k, 'c', {})).toBe('released');
    await store.leases.hold(k, hold('d.1'));
    expect(await store.leases.end(k, { holderPrefix: 'd.', until: NOW })).toBe(1);
  });
}
