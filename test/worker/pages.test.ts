import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const WAYS: [string, { readonly band?: typeof YOUNG }][] = [
  ['per-record retries', {}],
  ['the progressive schedule', { band: YOUNG }],
];

/** The lane's lease at the moment. */
async function lease(harness: Harness, key = 'q') {
  return (await harness.store.leases.readAll()).get(key);
}

/** Five old records, of which a first run attempts four; then ten more come. What the next run attempts, in order. */
async function attemptedOfStream(choices: RunChoices): Promise<string[]> {
  const harness = new Harness();
  for (let i = 0; i < 5; i++) harness.put(`old${i}`, { insertedAt: iso(-3_600 - i) });
  await harness.run(fail, { maxRecords: 4, band: YOUNG });
  await harness.pass(300);
  for (let i = 0; i < 10; i++) harness.put(`new${i}`, { insertedAt: iso(200 + i) });
  const attempted: string[] = [];
  const process: Process = ({ id }) => {
    attempted.push(id);
    return harness.sleep(10);
  };
  await harness.run(process, { ...choices, band: YOUNG });
  return attempted;
}

it('records that came since the last run get half of the limit before the older ones have their turn', async () => {
  expect(await attemptedOfStream({ maxRecords: 4 })).toEqual(['new9', 'new8', 'old4', 'new7']);
});

it('records that came since the last run get half of the time before the older ones have their turn', async () => {
  const attempted = await attemptedOfStream({ concurrency: 1, attemptTimeout: 10, deadlineSeconds: 114 });
  expect(attempted.indexOf('old4')).toBeGreaterThanOrEqual(5);
  expect(attempted.indexOf('old4')).toBeLessThanOrEqual(6);
});

it('a run for short waits attempts what is kept to the second and has come due since, and nothing else', async () => {
  const harness = new Harness();
  harness.put('by the tick', { dueAt: iso(-2) });
  harness.put('before', { dueAt: new Date(START - 9_999).toISOString().replace(/\d{3}Z$/, '001Z') });
  harness.put('now', { dueAt: new Date(START - 1_000).toISOString().replace(/\d{3}Z$/, '001Z') });
  harness.put('later', { dueAt: new Date(START + 5_000).toISOString().replace(/\d{3}Z$/, '001Z') });
  const attempted: string[] = [];
  const process: Process = ({ id }) => void attempted.push(id);
  await harness.run(process, { exactSince: START - 5_000 });
  expect(attempted).toEqual(['now']);
  await harness.run(process);
  expect(attempted.sort()).toEqual(['before', 'by the tick', 'now']);
  await harness.run(process, { exactSince: START + 3_600_000 });
  expect(attempted).toHaveLength(3);
});

describe.each(WAYS)('under %s', (_, choices) => {
  const key = choices.band ? 'q#1' : 'q';

  it('an id that the index names twice is attempted once', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    const queryDue: BacklogStore['pages']['query'] = async (query) => {
      const page = await harness.store.pages.query(query);
      // The index has a record twice while it moves: with its previous due time, and with its new one.
      return { ...page, keys: page.keys.flatMap((one) => [{ ...one, dueAt: iso(-60) }, one]) };
    };
    const atWork = new Set<string>();
    const attempted: string[] = [];
    const process: Process = async ({ id }) => {
      expect(atWork).not.toContain(id);
      atWork.add(id);
      attempted.push(id);
      await harness.sleep(1);
      atWork.delete(id);
    };
    const journals: (readonly string[])[] = [];
    const holdLease: BacklogStore['leases']['hold'] = (at, hold) => {
      journals.push(hold.ids);
      return harness.store.leases.hold(at, hold);
    };
    const store = replacing({ pages: { query: queryDue }, leases: { hold: holdLease } }, harness.store);
    const summary = await harness.run(process, { ...choices, store });
    expect(summary).toMatchObject({ attempted: 2, succeeded: 2, unsettled: 0 });
    expect(attempted.sort()).toEqual(['a', 'b']);
    for (const ids of journals) expect(new Set(ids).size).toBe(ids.length);
  });

  it('nor is one attempted beside its straggler, whose id a page names again', async () => {
    const harness = new Harness();
    for (const id of ['deaf', 'b', 'c']) harness.put(id, { insertedAt: iso(id === 'deaf' ? 0 : -1) });
    const queryDue: BacklogStore['pages']['query'] = async (query) => {
      const page = await harness.store.pages.query(query);
      const [deaf] = (await harness.store.pages.query({ ...query, after: undefined })).keys.filter(
        ({ id }) => id === 'deaf',
      );
      return deaf && !page.keys.includes(deaf) ? { ...page, keys: [...page.keys, deaf] } : page;
    };
    const attempted: string[] = [];
    const journals: string[][] = [];
    const holdLease: BacklogStore['leases']['hold'] = (at, hold) => {
      journals.push([...hold.ids]);
      return harness.store.leases.hold(at, hold);
    };
    const process: Process = async ({ id }) => {
      attempted.push(id);
      if (id === 'deaf') await harness.sleep(40);
    };
    const store = replacing({ pages: { query: queryDue }, leases: { hold: holdLease } }, harness.store);
    await harness.run(process, { ...choices, store, concurrency: 2, attemptTimeout: 5 });
    expect(attempted.filter((id) => id === 'deaf')).toHaveLength(1);
    for (const ids of journals) expect(new Set(ids).size).toBe(ids.length);
  });

  it('the journal of a page names those of earlier ones that ignore their signal', async () => {
    const harness = new Harness();
    harness.put('deaf', { insertedAt: iso(choices.band ? 0 : -9) });
    for (let i = 0; i < 8; i++) harness.put(`r${i}`, { insertedAt: iso(-5) });
    const journals: (readonly string[] | undefined)[] = [];
    const process: Process = async ({ id }) => {
      if (id === 'deaf') return harness.sleep(100);
      journals.push((await lease(harness, key))?.ids);
      return harness.sleep(4);
    };
    await harness.run(process, { ...choices, concurrency: 2, attemptTimeout: 30 });
    expect(journals.length).toBe(8);
    for (const ids of journals) expect(ids).toContain('deaf');
  });

  it('a run that was asked to looks once more, and attempts what has come meanwhile', async () => {
    const harness = new Harness();
    harness.put('early');
    const first = harness.start(() => harness.sleep(10), choices);
    await harness.pass(2);
    harness.put('late');
    expect(await harness.run(fail, choices)).toMatchObject({ ended: 'leaseHeld' });
    expect(await harness.time.until(first)).toMatchObject({ succeeded: 2, ended: 'drained' });
  });

  it('a page that is cut, as its ids are long, is not the last', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 80 }, (_, i) => `${i}-${'x'.repeat(2_000)}`);
    for (const id of ids) harness.put(id);
    const journals: number[] = [];
    const holdLease: BacklogStore['leases']['hold'] = (at, hold) => {
      journals.push(Buffer.byteLength(hold.ids.join('')));
      return harness.store.leases.hold(at, hold);
    };
    const store = replacing({ leases: { hold: holdLease } }, harness.store);
    const summary = await harness.run(succeed, { ...choices, store, concurrency: 100 });
    expect(summary).toMatchObject({ succeeded: 80, ended: 'drained' });
    expect(Math.max(...journals)).toBeLessThanOrEqual(64 * 1024);
  });

  it('a run whose region becomes passive leaves its page, and says how much that is', async () => {
    const harness = new Harness();
    for (let i = 0; i < 25; i++) harness.put(`r${i}`, { insertedAt: iso(-600) });
    let looks = 0;
    const isPassive = async () => ++looks > 1;
    const summary = await harness.run(succeed, { ...choices, isPassive });
    expect(summary).toMatchObject({ attempted: 20, leftOver: 5, ended: 'passiveRegion' });
    expect(harness.statuses()).toEqual({ SUCCESS: 20, NEW: 5 });
  });

  it('a run that ends at a limit gives its lease back, however many runs ask for it meanwhile', async () => {
    const harness = new Harness();
    for (let i = 0; i < 3; i++) harness.put(`r${i}`);
    let others = 7;
    const releaseLease: BacklogStore['leases']['release'] = async (at, holder, left) => {
      if (others-- > 0) await harness.store.leases.wake(at, holder);
      return harness.store.leases.release(at, holder, left);
    };
    const store = replacing({ leases: { release: releaseLease } }, harness.store);
    expect(await harness.run(succeed, { ...choices, store, maxRecords: 2 })).toMatchObject({
      ended: 'maxRecords',
    });
    expect(await lease(harness, key)).toBeUndefined();
    expect(await harness.run(succeed, choices)).toMatchObject({ succeeded: 1, ended: 'drained' });
  });
});

it('fresh records leave the cursor of a tier where it was', async () => {
  const harness = new Harness();
  for (let i = 0; i < 15; i++) harness.put(`old-${i}`, { insertedAt: iso(-1000 - i) });
  const limits = { band: YOUNG, maxRecords: 6, concurrency: 1 };
  const turns: string[] = [];
  const note: Process = ({ id }) => {
    turns.push(id);
    throw new Error('as always');
  };
  await harness.run(note, limits);
  await harness.pass(300);
  for (const id of ['new-0', 'new-1']) harness.put(id);
  const stop = new AbortController();
  const stopped: Process = (...args) => {
    stop.abort();
    return note(...args);
  };
  expect(await harness.run(stopped, { ...limits, stop: stop.signal })).toMatchObject({ ended: 'stopped' });
  await harness.pass(300);
  await harness.run(note, limits);
  expect(turns.filter((id) => id.startsWith('old')).slice(0, 9)).toEqual(
    Array.from({ length: 9 }, (_, i) => `old-${i}`),
  );
});

it('each of several runs that share the lanes of a queue looks after its own turns of a slow tier', async () => {
  const harness = new Harness();
  const hourly = { ...YOUNG, number: 2, every: 3600 };
  const slow = { number: 3, every: 86_400, fromAge: 86_400, untilAge: 1e9, last: true };
  const old = (id: string, lane: string) =>
    harness.put(id, { lane, insertedAt: iso(-100_000), attempts: 1, lastAttemptAt: iso(-90_000) });
  const deps = [
    { part: 0, lanes: ['q'] },
    { part: 1, lanes: ['q#8'] },
  ];
  for (const { part, lanes } of deps) await harness.run(succeed, { band: slow, part, lanes, shards: 16 });
  old('a', 'q');
  old('b', 'q#8');
  await harness.pass(1.6 * 86_400);
  // The first part has had its turn late, the second has not.
  await harness.run(succeed, { band: slow, shards: 16, ...deps[0] });
  const second = await harness.run(succeed, { band: hourly, catchUp: [slow], shards: 16, ...deps[1] });
  expect(second).toMatchObject({ succeeded: 1, caughtUp: [3] });
});

it('a release that arrives once more, behind the journal of the next page, does not give that page away', async () => {
  const harness = new Harness();
  harness.put('a');
  let again: (() => Promise<unknown>) | undefined;
  const releaseLease: BacklogStore['leases']['release'] = async (...args) => {
    if (again) return harness.store.leases.release(...args);
    again = () => harness.store.leases.release(...args);
    harness.put('b');
    await harness.store.leases.wake(args[0], args[1]);
    const answer = await again();
    await harness.sleep(0.01);
    return answer as 'woken';
  };
  const others: unknown[] = [];
  const process: Process = async ({ id }) => {
    if (id !== 'b') return;
    await again?.();
    others.push(await harness.start(succeed));
  };
  const store = replacing({ leases: { release: releaseLease } }, harness.store);
  expect(await harness.run(process, { store })).toMatchObject({ succeeded: 2, ended: 'drained' });
  expect(others).toMatchObject([{ attempted: 0, ended: 'leaseHeld' }]);
});

it('a lease whose journal was written, but not answered, is given back all the same', async () => {
  const harness = new Harness();
  for (let i = 0; i < 150; i++) harness.put(`r${i}`);
  let journals = 0;
  const holdLease: BacklogStore['leases']['hold'] = async (...args) => {
    const answer = await harness.store.leases.hold(...args);
    if (++journals === 2) throw new StoreUnavailableError('no answer');
    return answer;
  };
  const store = replacing({ leases: { hold: holdLease } }, harness.store);
  const run = harness.run(() => harness.sleep(0.1), { store });
  expect(await run).toMatchObject({ ended: 'storeError' });
  expect(journals).toBe(2);
  expect(await lease(harness)).toBeUndefined();
});

it('a page is read when its journal is written, and not before', async () => {
  const harness = new Harness();
  for (let i = 0; i < 30; i++) harness.put(`r${String(i).padStart(2, '0')}`);
  const journalled = new Set<string>();
  const unnamed: string[] = [];
  const holdLease: BacklogStore['leases']['hold'] = async (key, hold) => {
    await harness.sleep(1);
    const answer = await harness.store.leases.hold(key, hold);
    for (const id of hold.ids) journalled.add(id);
    return answer;
  };
  const readPage: BacklogStore['pages']['read'] = (ids, queue) => {
    unnamed.push(...ids.filter((id) => !journalled.has(id)));
    return harness.store.pages.read(ids, queue);
  };
  const store = replacing({ leases: { hold: holdLease }, pages: { read: readPage } }, harness.store);
  expect(await harness.run(succeed, { store, concurrency: 5 })).toMatchObject({ succeeded: 30 });
  expect(unnamed).toEqual([]);
});

it('a straggler that ends while a page that names it again is read is not attempted as it was before', async () => {
  const harness = new Harness();
  harness.put('deaf', { insertedAt: iso(-9) });
  for (let i = 0; i < 8; i++) harness.put(`r${i}`, { insertedAt: iso(-5) });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const queryAgain: BacklogStore['pages']['query'] = async (query) => {
    const page = await harness.store.pages.query(query);
    const { keys } = await harness.store.pages.query({ ...query, after: undefined });
    return { ...page, keys: [...page.keys, ...(query.after ? keys.filter(({ id }) => id === 'deaf') : [])] };
  };
  let namedAgain = 0;
  const readPage: BacklogStore['pages']['read'] = async (ids, queue) => {
    const page = await harness.store.pages.read(ids, queue);
    if (harness.time.now > START && ids.includes('deaf')) {
      namedAgain++;
      release();
      await harness.sleep(1);
    }
    return page;
  };
  const attempted: string[] = [];
  const process: Process = ({ id }) => {
    attempted.push(id);
    return id === 'deaf' ? released : harness.sleep(1);
  };
  const store = replacing({ pages: { query: queryAgain, read: readPage } }, harness.store);
  const summary = await harness.run(process, { store, concurrency: 2, attemptTimeout: 30 });
  expect(namedAgain).toBeGreaterThan(0);
  expect(attempted.filter((id) => id === 'deaf')).toHaveLength(1);
  expect(summary).toMatchObject({ attempted: 9, succeeded: 9 });
});
