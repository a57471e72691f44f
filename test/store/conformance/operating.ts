import { expect, it } from 'vitest';
import { cancelMark } from '../../../src/record/index.js';
import { insertAndRead, iso, item, NOW, read } from '../records.js';
import type { UnderTest } from './under-test.js';

export function operating(underTest: UnderTest): void {
  it('reads items unchanged, and leaves out those that are missing', async () => {
    const { store, put } = underTest();
    const odd = { id: 'op-odd', status: 'new', insertedAt: 12_345, own: { deep: [1, 'ü'] } };
    await put(odd);
    await store.records.insert(item('op-even'));
    const found = await store.records.getItems(['op-even', 'op-none', 'op-odd', 'op-even']);
    expect(found.map((one) => one.item)).toEqual([item('op-even'), odd]);
    expect(found.map(({ record }) => record.status)).toEqual(['NEW', 'NEW']);
  });

  it('reads the whole table in pages', async () => {
    const { store } = underTest();
    for (let i = 0; i < 5; i++) await store.records.insert(item(`op-scan-${i}`));
    const ids: string[] = [];
    for (const segment of [0, 1]) {
      let after: string | undefined;
      do {
        const page = await store.records.scan({ segment, segments: 2, after });
        ids.push(...page.found.map(({ record }) => record.id));
        after = page.next;
      } while (after !== undefined);
    }
    const found = ids.filter((id) => id.startsWith('op-scan-')).sort();
    expect(found).toEqual(['op-scan-0', 'op-scan-1', 'op-scan-2', 'op-scan-3', 'op-scan-4']);
  });

  it('reads no more items in a page than it is asked for, and leaves out none', async () => {
    const { store } = underTest();
    for (let i = 0; i < 5; i++) await store.records.insert(item(`op-part-${i}`));
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.records.scan({ segment: 0, segments: 1, after, limit: 2 });
      expect(page.found.length).toBeLessThanOrEqual(2);
      ids.push(...page.found.map(({ record }) => record.id));
      after = page.next;
    } while (after !== undefined);
    const found = ids.filter((id) => id.startsWith('op-part-')).sort();
    expect(found).toEqual(['op-part-0', 'op-part-1', 'op-part-2', 'op-part-3', 'op-part-4']);
  });

  it('writes a change with a payload, a policy and an earlier lane, and takes them away again', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('op-1', { queue: 'op-1', lane: 'op-1', mine: 1 }));
    const notBefore = { lane: 'op-1', until: iso(900_000) };
    const set = { payload: { new: [1] }, retry: { type: 'none' }, notBefore, lane: 'op-2' } as const;
    expect(await store.records.change(record, { set, remove: [] }, 'rev-1')).toBe('settled');
    expect(await raw('op-1')).toEqual({ ...item('op-1', { queue: 'op-1', mine: 1 }), ...set, rev: 'rev-1' });
    const changed = await read(store, 'op-1');
    expect(changed).toMatchObject(set);
    expect(await store.records.change(changed, { set: {}, remove: ['retry', 'notBefore'] }, 'rev-2')).toBe(
      'settled',
    );
    const { retry: _, notBefore: __, ...kept } = set;
    expect(await raw('op-1')).toEqual({ ...item('op-1', { queue: 'op-1', mine: 1 }), ...kept, rev: 'rev-2' });
  });

  it('changes nothing on a record that another process has changed, and knows its own change', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('op-3'));
    const change = { set: { dueAt: iso(5000) }, remove: [] };
    expect(await store.records.change(record, change, 'rev-a')).toBe('settled');
    expect(await store.records.change(record, change, 'rev-a')).toBe('settled');
    expect(await store.records.change(record, change, 'rev-b')).toBe('changed');
    expect(await raw('op-3')).toMatchObject({ rev: 'rev-a' });
  });

  it('marks a record whose attempt is to end, and leaves its rev, once, and only as it was read', async () => {
    const { store, put, raw } = underTest();
    const notBefore = { until: iso(75_000) };
    const held = item('op-cancel', {
      rev: 'r-1',
      dueAt: notBefore.until,
      notBefore,
      mine: 1,
      payload: { a: [1] },
    });
    await put(held);
    const record = await read(store, 'op-cancel');
    expect(await store.records.note(record, { notBefore: cancelMark(record, 'withdrawn') })).toBe('settled');
    const marked = { ...held, notBefore: { ...notBefore, cancel: 'withdrawn' } };
    expect(await raw('op-cancel')).toEqual(marked);
    expect(await read(store, 'op-cancel')).toMatchObject({ notBefore: marked.notBefore, problems: [] });
    expect(await store.records.note(record, { notBefore: cancelMark(record, 'for another reason') })).toBe(
      'changed',
    );
    const again = await read(store, 'op-cancel');
    expect(await store.records.note(again, { notBefore: cancelMark(again, 'for another reason') })).toBe(
      'settled',
    );
    expect(await raw('op-cancel')).toEqual(marked);
    await put({ ...marked, payload: { a: [2] } });
    expect(await store.records.note(again, { notBefore: cancelMark(again, 'withdrawn') })).toBe('changed');
    expect(await store.records.settle(record, { set: { status: 'SUCCESS' }, remove: [] }, 'r-2')).toBe(
      'changed',
    );
    expect(await raw('op-cancel')).toEqual({ ...marked, payload: { a: [2] } });
  });

  it.each([
    ['with a rev', { rev: 'r-1' }],
    ['without one', { lane: undefined, dueAt: undefined }],
  ])('notes the end of an attempt on a record %s, and no outcome is written past it', async (name, more) => {
    const { store, put, raw } = underTest();
    const id = `op-ends ${name}`;
    const { lane, dueAt, ...bare } = item(id, { payload: { a: [1] } });
    const stored = 'rev' in more ? { ...bare, lane, dueAt, ...more } : bare;
    await put(stored);
    const record = await read(store, id);
    const completion = { token: 'a', error: { name: 'E', message: '' } };
    expect(await store.records.note(record, { completion })).toBe('settled');
    expect(await raw(id)).toEqual({ ...stored, completion });
    const success = { set: { status: 'SUCCESS' }, remove: ['completion'] } as const;
    expect(await store.records.settle(record, success, 'r-2')).toBe('changed');
    expect(await store.records.note(record, { completion: { token: 'b' } })).toBe('changed');
    const noted = await read(store, id);
    expect(noted).toMatchObject({ completion, problems: [] });
    expect(await store.records.settle(noted, success, 'r-2')).toBe('settled');
    expect(await raw(id)).toEqual({ ...stored, status: 'SUCCESS', rev: 'r-2' });
  });

  it.each([
    ['wins over the request, which its process does not know', {}, {}, 'settled'],
    ['has no payload but that of its attempt', { payload: 2 }, {}, 'changed'],
    ['is of its own hold', {}, { until: iso(90_000) }, 'changed'],
    ['is under its own rev', { rev: 'r-9' }, {}, 'changed'],
  ] as const)('a success %s', async (name, changed, hold, answer) => {
    const { store, put, raw } = underTest();
    const id = `op-wins-${name}`;
    const held = item(id, {
      rev: 'r-1',
      dueAt: iso(75_000),
      notBefore: { until: iso(75_000) },
      // No document: some emulators never find two of them equal, and a record with one is attempted again there.
      payload: 1,
    });
    await put(held);
    const record = await read(store, id);
    await store.records.note(record, { notBefore: cancelMark(record, 'withdrawn') });
    await put({ ...held, ...changed, notBefore: { until: iso(75_000), cancel: 'withdrawn', ...hold } });
    expect(await store.records.settle(record, { set: { status: 'ERROR' }, remove: [] }, 'r-2')).toBe(
      'changed',
    );
    const success = { set: { status: 'SUCCESS' }, remove: ['lane', 'dueAt', 'notBefore'] } as const;
    expect(await store.records.settle(record, success, 'r-3')).toBe(answer);
    expect(await raw(id)).toMatchObject({ status: answer === 'settled' ? 'SUCCESS' : 'NEW' });
  });

  it('marks nothing that is gone, and keeps a reason within its room', async () => {
    const { store, put, raw } = underTest();
    const held = item('op-cancel-long', { rev: 'r-1', notBefore: { until: iso(75_000) } });
    await put(held);
    const found = await read(store, 'op-cancel-long');
    expect(await store.records.note(found, { notBefore: cancelMark(found, 'ü'.repeat(500)) })).toBe(
      'settled',
    );
    const { notBefore } = (await raw('op-cancel-long')) as { notBefore: { cancel: string } };
    expect(Buffer.byteLength(notBefore.cancel)).toBeLessThanOrEqual(180);
    const record = await read(store, 'op-cancel-long');
    expect(await store.records.remove(record, 'r-2')).toBe('removed');
    expect(await store.records.note(record, { notBefore: cancelMark(record, 'withdrawn') })).toBe('changed');
    expect(await raw('op-cancel-long')).toBeUndefined();
  });

  it('neither changes nor removes what has been given another status by hand', async () => {
    const { store, put, raw } = underTest();
    const record = await insertAndRead(store, item('op-hand', { status: 'DEAD' }));
    await put({ ...(await raw('op-hand')), status: 'NEW' });
    expect(await store.records.change(record, { set: { status: 'NEW' }, remove: [] }, 'rev-a')).toBe(
      'changed',
    );
    expect(await store.records.remove(record, 'rev-b')).toBe('changed');
    expect(await raw('op-hand')).toMatchObject({ status: 'NEW', rev: record.rev });
  });

  it('changes what has a status that cannot be read', async () => {
    const { store, put, raw } = underTest();
    await put({ id: 'op-odd-status', status: 'new', rev: 'r' });
    const record = await read(store, 'op-odd-status');
    expect(await store.records.change(record, { set: { status: 'NEW' }, remove: [] }, 'rev-a')).toBe(
      'settled',
    );
    expect(await raw('op-odd-status')).toMatchObject({ status: 'NEW', rev: 'rev-a' });
  });

  it('removes a record only as it was read', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('op-4'));
    await store.records.change(record, { set: { dueAt: iso(1) }, remove: [] }, 'rev-1');
    expect(await store.records.remove(record, 'rev-x')).toBe('changed');
    expect(await raw('op-4')).toBeDefined();
    expect(await store.records.remove(await read(store, 'op-4'), 'rev-x')).toBe('removed');
    expect(await raw('op-4')).toBeUndefined();
    expect(await store.records.remove(record, 'rev-x')).toBe('removed');
  });

  it('removes what the library has never written only with the payload that was read', async () => {
    const { store, put, raw } = underTest();
    await put({ id: 'op-5', status: 'DEAD', payload: { a: [1] } });
    const record = await read(store, 'op-5');
    await put({ id: 'op-5', status: 'DEAD', payload: { a: [2] } });
    expect(await store.records.remove(record, 'rev-x')).toBe('changed');
    expect(await raw('op-5')).toMatchObject({ payload: { a: [2] } });
    expect(await store.records.remove(await read(store, 'op-5'), 'rev-x')).toBe('removed');
    expect(await raw('op-5')).toBeUndefined();
  });

  it('counts a lane, or a part of it', async () => {
    const { store } = underTest();
    for (let i = 0; i < 10; i++)
      await store.records.insert(item(`op-count-${i}`, { lane: 'op-count', dueAt: iso(i * 1000) }));
    const count = async (from?: number, until?: number) => {
      const bounds = {
        from: from === undefined ? undefined : NOW + from,
        until: until === undefined ? undefined : NOW + until,
      };
      return (await store.pages.count({ lane: 'op-count', ...bounds })).count;
    };
    expect(await count()).toBe(10);
    expect(await count(2000)).toBe(8);
    expect(await count(undefined, 2000)).toBe(3);
    expect(await count(2000, 4000)).toBe(3);
    expect((await store.pages.count({ lane: 'op-empty' })).count).toBe(0);
  });

  it('goes on counting behind a place', async () => {
    const { store } = underTest();
    for (let i = 0; i < 3; i++)
      await store.records.insert(item(`op-behind-${i}`, { lane: 'op-behind', dueAt: iso(i) }));
    const after = { id: 'op-behind-0', dueAt: iso(0) };
    expect(await store.pages.count({ lane: 'op-behind', after })).toMatchObject({ count: 2 });
  });

  it('reads items as they were a moment ago, for those who only look', async () => {
    const { store, put } = underTest();
    await put({ id: 'op-eventual', payload: { a: 1 } });
    const found = await store.records.getItems(['op-eventual', 'op-none'], 'eventual');
    expect(found.map(({ item }) => item)).toMatchObject([{ id: 'op-eventual', payload: { a: 1 } }]);
  });

  it('keeps what the monitor has read of a queue, the newest reading alone', async () => {
    const { store } = underTest();
    expect(await store.readings.read('op-read')).toBeUndefined();
    await store.readings.write('op-read', { at: iso(), pending: 3, due: { now: 1 }, older: true });
    await store.readings.write('op-read', { at: iso(60_000), pending: 4, ages: [{ count: 4 }] });
    const reading = { at: iso(60_000), pending: 4, ages: [{ count: 4 }] };
    expect(await store.readings.read('op-read')).toEqual(reading);
    // A reading is no queue: it may be of one that the app has no more.
    expect((await store.queues.readAll()).has('op-read')).toBe(false);
    expect((await store.control.read()).readings.get('op-read')).toEqual(reading);
  });

  it('tells all that the control table says of queues at once', async () => {
    const { store } = underTest();
    await store.queues.setPaused('op-all', true);
    await store.claims.take('op-all-claimed', {
      batch: 'b',
      holder: 'h',
      until: NOW + 60_000,
      ids: ['x'],
      now: NOW,
    });
    await store.leases.hold('op-all#2', { holder: 'h', until: NOW + 70_000, ids: ['a'], rev: 'rev-a' });
    const { queues, leases, registry } = await store.control.read();
    expect(registry).toEqual(await store.registry.read());
    expect((await store.control.read('strong')).queues).toEqual(queues);
    expect(queues.get('op-all')).toMatchObject({ paused: true });
    expect(queues.has('op-all-claimed')).toBe(true);
    expect(leases.get('op-all#2')).toMatchObject({ ids: ['a'] });
    expect(queues).toEqual(await store.queues.readAll());
    expect(leases).toEqual(await store.leases.readAll());
  });

  it('keeps the latest success of runs beside their leases and claims, held or given back', async () => {
    const { store } = underTest();
    const successes = async () => {
      const { successes: all } = await store.control.read('strong');
      return [...all].filter(([key]) => key.startsWith('op-ok'));
    };
    const lease = { holder: 'h', until: NOW + 70_000, ids: ['a'], rev: 'rev-a' };
    await store.leases.hold('op-ok#2', lease);
    expect(await successes()).toEqual([]);
    await store.leases.hold('op-ok#2', { ...lease, succeededAt: NOW + 1 });
    await store.leases.hold('op-ok#2', lease);
    expect(await successes()).toEqual([['op-ok#2', NOW + 1]]);
    await store.leases.release('op-ok#2', 'h', { succeededAt: NOW + 2 });
    await store.leases.hold('op-ok#2', lease);
    await store.leases.release('op-ok#2', 'h', {});
    expect(await successes()).toEqual([['op-ok#2', NOW + 2]]);
    const claim = { holder: 'h', until: NOW + 60_000, ids: ['x'], now: NOW, isSpread: true };
    for (const [batch, succeededAt] of [
      ['a', NOW + 3],
      ['b', undefined],
    ] as const) {
      await store.claims.take('op-ok-insert', { ...claim, batch });
      await store.claims.release('op-ok-insert', { ...claim, batch, succeededAt });
    }
    expect(await successes()).toContainEqual(['op-ok-insert', NOW + 3]);
    const latestOf = async (queue: string, ...leases: string[]) =>
      (await store.control.readRunsOf(queue, leases)).succeededAt;
    expect(await latestOf('op-ok', 'op-ok#2')).toBe(NOW + 2);
    expect(await latestOf('op-ok-insert', 'op-ok-none')).toBe(NOW + 3);
    expect(await latestOf('op-ok-insert', 'op-ok#2')).toBe(NOW + 3);
    expect(await latestOf('op-ok')).toBeUndefined();
  });

  it('shows the leases that runs have, with their journals', async () => {
    const { store } = underTest();
    const hold = { holder: 'h', until: NOW + 70_000, ids: ['a', 'b'], rev: 'rev-j', suspects: ['s'] };
    await store.leases.hold('op-lane', hold);
    await store.leases.hold('op-lane#2', { ...hold, ids: ['c'] });
    await store.leases.hold('op-free', hold);
    await store.leases.release('op-free', 'h', { suspects: ['s'] });
    const leases = await store.leases.readAll();
    expect(leases.get('op-lane')).toMatchObject(hold);
    expect(leases.get('op-lane#2')).toMatchObject({ ids: ['c'] });
    expect(leases.has('op-free')).toBe(false);
    const { leases: some } = await store.control.readRunsOf('op-lane', ['op-lane#2', 'op-free', 'op-none']);
    expect([...some]).toMatchObject([['op-lane#2', { ids: ['c'] }]]);
  });

  it('pauses a queue and lets it go on, and says whether that changed anything', async () => {
    const { store } = underTest();
    expect(await store.queues.setPaused('op-queue', false)).toBe(false);
    expect(await store.queues.setPaused('op-queue', true)).toBe(true);
    expect(await store.queues.setPaused('op-queue', true)).toBe(false);
    expect(await store.queues.read('op-queue')).toMatchObject({ paused: true, pausedAt: iso() });
    await store.queues.setRetryMode('op-queue', { mode: 'perRecord', since: 1 }, undefined);
    expect((await store.pages.read([], 'op-queue')).queue).toMatchObject({
      paused: true,
      retryMode: { mode: 'perRecord', since: 1 },
    });
    expect(await store.queues.setPaused('op-queue', false)).toBe(true);
    const queue = await store.queues.read('op-queue');
    expect(queue).toMatchObject({ paused: false, retryMode: { mode: 'perRecord', since: 1 } });
    expect(queue?.pausedAt).toBeUndefined();
  });

  it('keeps until when a pause was announced, and what failed before it', async () => {
    const { store } = underTest();
    const failing = '[0,[["",1,0,0,9,9,0,9]]]';
    await store.queues.noteFailing('op-announced', failing, undefined);
    expect(await store.queues.setPaused('op-announced', true, { pausedUntil: iso(60) })).toBe(true);
    expect(await store.queues.setPaused('op-announced', true, { pausedUntil: iso(60) })).toBe(false);
    expect(await store.queues.setPaused('op-announced', true)).toBe(false);
    expect(await store.queues.setPaused('op-announced', true, { pausedUntil: iso(120) })).toBe(true);
    expect(await store.queues.read('op-announced')).toMatchObject({ paused: true, pausedUntil: iso(120) });
    expect(await store.queues.setPaused('op-announced', false)).toBe(true);
    const queue = await store.queues.read('op-announced');
    expect(queue).toMatchObject({ paused: false, resumedAt: iso(), failing });
    expect(queue?.pausedUntil).toBeUndefined();
    await store.queues.setPaused('op-announced', true);
    expect((await store.queues.read('op-announced')).resumedAt).toBeUndefined();
  });

  it('keeps the note of a pause; a second pause changes the parts that it names', async () => {
    const { store } = underTest();
    const { queues } = store;
    const note = { pausedUntil: iso(60), pauseReason: 'stocktaking', pausedBy: 'anna' };
    expect(await queues.setPaused('op-noted', true, note)).toBe(true);
    expect(await queues.setPaused('op-noted', true, note)).toBe(false);
    expect(await queues.read('op-noted')).toMatchObject({ paused: true, pausedAt: iso(), ...note });
    expect(await queues.setPaused('op-noted', true, { pauseReason: 'audit', pausedBy: 'bert' })).toBe(true);
    const changed = { pausedUntil: iso(60), pauseReason: 'audit', pausedBy: 'bert' };
    expect(await queues.read('op-noted')).toMatchObject({ paused: true, pausedAt: iso(), ...changed });
    // Another operator's name alone: the reason that stands is not of that operator.
    expect(await queues.setPaused('op-noted', true, { pausedBy: 'carl' })).toBe(false);
    expect(await queues.read('op-noted')).toMatchObject(changed);
    await queues.setPaused('op-noted', false);
    const resumed = await queues.read('op-noted');
    expect(Object.keys(resumed).filter((name) => name in note)).toEqual([]);
    await queues.setPaused('op-noted', true);
    expect((await queues.read('op-noted')).pauseReason).toBeUndefined();
    // A note alone pauses no queue.
    expect(await queues.setPaused('op-noted', false, note)).toBe(true);
    expect(await queues.setPaused('op-noted', false, note)).toBe(false);
  });

  it('knows the queues that runs have served, or operators paused', async () => {
    const { store } = underTest();
    await store.queues.setRetryMode('op-served', { mode: 'progressive', since: 0 }, undefined);
    await store.queues.setPaused('op-paused', true);
    const queues = await store.queues.readAll();
    expect(queues.get('op-served')).toMatchObject({
      paused: false,
      retryMode: { mode: 'progressive', since: 0 },
    });
    expect(queues.get('op-paused')).toMatchObject({ paused: true });
    expect(queues.has('op-empty')).toBe(false);
    const claim = { batch: 'b', holder: 'h', until: NOW + 60_000, ids: ['x'], now: NOW };
    await store.claims.take('op-claimed', claim);
    expect((await store.queues.readAll()).get('op-claimed')).toMatchObject({ paused: false });
    await store.claims.take('op-paused', claim);
    expect((await store.queues.readAll()).get('op-paused')).toMatchObject({ paused: true });
  });
}
