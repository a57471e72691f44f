import { expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import type { Process, Watchdog } from '../../src/worker/index.js';
import { type Methods, replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices, START } from './harness.js';

const SLOW_SECONDS = 25;
const QUICK_SECONDS = 0.5;

/** A queue whose oldest record takes 25 seconds, and each of the others half a second. */
class OneSlow extends Harness {
  readonly begun: string[] = [];
  readonly underAttempt = new Set<string>();
  mostAtOnce = 0;

  constructor(records: number, idOf = (i: number) => `quick-${i}`) {
    super();
    this.put('slow', { insertedAt: new Date(START - 1_000).toISOString() });
    for (let i = 1; i < records; i++) this.put(idOf(i));
  }

  readonly process: Process = async ({ id }) => {
    this.begun.push(id);
    this.underAttempt.add(id);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underAttempt.size);
    await this.sleep(id === 'slow' ? SLOW_SECONDS : QUICK_SECONDS);
    this.underAttempt.delete(id);
  };

  attempt(choices: RunChoices = {}) {
    return this.run(this.process, choices);
  }

  replaced(methods: Methods) {
    return replacing(methods, this.store);
  }

  get seconds() {
    return (this.time.now - START) / 1000;
  }
}

it('one slow attempt holds back no page behind its own', async () => {
  const queue = new OneSlow(300);
  const ends: number[] = [];
  const settle: BacklogStore['records']['settle'] = (record, ...rest) => {
    if (record.id !== 'slow') ends.push(queue.seconds);
    return queue.store.records.settle(record, ...rest);
  };
  const summary = await queue.attempt({ store: queue.replaced({ records: { settle } }) });
  expect(summary).toMatchObject({ attempted: 300, succeeded: 300, ended: 'drained' });
  // Nine at once beside the slow one: as long as if there were no pages.
  expect(Math.max(...ends)).toBeCloseTo(Math.ceil(299 / 9) * QUICK_SECONDS, 1);
  expect(queue.seconds).toBeCloseTo(SLOW_SECONDS, 1);
  expect(queue.mostAtOnce).toBe(10);
});

it('every journal names all that is under attempt', async () => {
  const queue = new OneSlow(300);
  const missing: string[] = [];
  let journals = 0;
  const hold: BacklogStore['leases']['hold'] = (key, held) => {
    journals++;
    missing.push(...[...queue.underAttempt].filter((id) => !held.ids.includes(id)));
    return queue.store.leases.hold(key, held);
  };
  await queue.attempt({ store: queue.replaced({ leases: { hold } }) });
  expect(journals).toBeGreaterThan(3);
  expect(missing).toEqual([]);
});

it('a record of an earlier page is in doubt when its process is lost: it is attempted alone', async () => {
  const queue = new OneSlow(200);
  const lost = intercepted(queue.store, (_, call) => (queue.seconds > 10 ? new Promise(() => {}) : call()));
  void queue.start(queue.process, { store: lost });
  await queue.pass(120);
  const alone: boolean[] = [];
  const process: Process = async ({ id }) => {
    queue.underAttempt.add(id);
    alone.push(queue.underAttempt.size === 1);
    await queue.sleep(1);
    queue.underAttempt.delete(id);
  };
  queue.underAttempt.clear();
  const summary = await queue.run(process);
  expect(alone[0]).toBe(true);
  expect(summary).toMatchObject({ ended: 'drained' });
  expect(queue.item('slow')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
});

it('one that is under attempt is not attempted again, although the index names it again', async () => {
  const queue = new OneSlow(300);
  const query: BacklogStore['pages']['query'] = async (asked) => {
    const page = await queue.store.pages.query(asked);
    const again = { id: 'slow', dueAt: page.keys.at(-1)?.dueAt ?? '' };
    return asked.after ? { ...page, keys: [again, ...page.keys] } : page;
  };
  await queue.attempt({ store: queue.replaced({ pages: { query } }) });
  expect(queue.begun.filter((id) => id === 'slow')).toHaveLength(1);
  expect(queue.begun).toHaveLength(300);
});

it('one whose outcome is being written is not attempted again, although the index names it again', async () => {
  const queue = new OneSlow(300);
  const settle: BacklogStore['records']['settle'] = async (record, ...rest) => {
    if (record.id === 'quick-1') await queue.sleep(10);
    return queue.store.records.settle(record, ...rest);
  };
  const query: BacklogStore['pages']['query'] = async (asked) => {
    const page = await queue.store.pages.query(asked);
    const again = { id: 'quick-1', dueAt: page.keys.at(-1)?.dueAt ?? '' };
    return asked.after ? { ...page, keys: [again, ...page.keys] } : page;
  };
  const summary = await queue.attempt({ store: queue.replaced({ records: { settle }, pages: { query } }) });
  expect(queue.begun.filter((id) => id === 'quick-1')).toHaveLength(1);
  expect(summary).toMatchObject({ succeeded: 300, unsettled: 0 });
});

it('an outcome that cannot be written ends the run, also when that is known pages later', async () => {
  const queue = new OneSlow(300);
  const settle: BacklogStore['records']['settle'] = async (record, ...rest) => {
    if (record.id !== 'slow') return queue.store.records.settle(record, ...rest);
    throw new StoreUnavailableError('no answer');
  };
  const summary = await queue.attempt({
    store: queue.replaced({ records: { settle } }),
    deadlineSeconds: 60,
  });
  expect(summary).toMatchObject({ succeeded: 299, unsettled: 1, ended: 'storeError' });
  // It was given back: the next run need not wait for it.
  expect(await queue.attempt()).toMatchObject({ succeeded: 1, ended: 'drained' });
});

it('so it is when the queue is paused meanwhile', async () => {
  const queue = new OneSlow(300);
  const settle: BacklogStore['records']['settle'] = async (record, ...rest) => {
    if (record.id !== 'slow') return queue.store.records.settle(record, ...rest);
    throw new StoreUnavailableError('no answer');
  };
  const store = queue.replaced({ records: { settle } });
  const running = queue.start(queue.process, { store, deadlineSeconds: 60 });
  await queue.pass(3);
  await queue.store.queues.setPaused('q', true);
  expect(await queue.time.until(running)).toMatchObject({ unsettled: 1, ended: 'storeError' });
  expect(queue.begun.length).toBeLessThan(300);
});

it('while no answer comes between two pages, the lease is renewed for what is under attempt', async () => {
  // The second page is journalled at half a second. Its renewal is due a minute later; its last but one lasts until then.
  const [lastButOne, lateSeconds] = [20, 58];
  const queue = new Harness();
  for (let i = 0; i < 40; i++) queue.put(`r${String(i).padStart(2, '0')}`);
  let queries = 0;
  const query: BacklogStore['pages']['query'] = async (asked) => {
    const page = await queue.store.pages.query(asked);
    if (++queries === 3) await queue.sleep(100);
    return page;
  };
  const renewals: (readonly string[])[] = [];
  const hold: BacklogStore['leases']['hold'] = (key, held) => {
    if (queue.time.now - START > 50_000 && queries === 3) renewals.push(held.ids);
    return queue.store.leases.hold(key, held);
  };
  let begun = 0;
  const lateIds: string[] = [];
  const process: Process = ({ id }) => {
    const isLate = begun++ === lastButOne;
    if (isLate) lateIds.push(id);
    return queue.sleep(isLate ? lateSeconds : QUICK_SECONDS);
  };
  const store = replacing({ pages: { query }, leases: { hold } }, queue.store);
  const running = queue.start(process, { store, concurrency: 2, attemptTimeout: 60 });
  await queue.pass(62);
  expect(renewals).toEqual([lateIds]);
  expect(await queue.time.until(running)).toMatchObject({ succeeded: 40, ended: 'drained' });
});

it('a lane has 100 attempts under way at most, whatever its concurrency', async () => {
  const queue = new OneSlow(500);
  const named: number[] = [];
  const hold: BacklogStore['leases']['hold'] = (key, held) => {
    named.push(held.ids.length);
    return queue.store.leases.hold(key, held);
  };
  await queue.attempt({ concurrency: 320, store: queue.replaced({ leases: { hold } }) });
  expect(queue.mostAtOnce).toBe(100);
  expect(Math.max(...named)).toBeLessThan(200);
});

it('journals of long ids stay within 400 KB', async () => {
  const queue = new OneSlow(400, (i) => `${i}`.padEnd(2_000, '-'));
  const bytes: number[] = [];
  const hold: BacklogStore['leases']['hold'] = (key, held) => {
    bytes.push(Buffer.byteLength(held.ids.join('')));
    return queue.store.leases.hold(key, held);
  };
  const store = queue.replaced({ leases: { hold } });
  expect(await queue.attempt({ concurrency: 100, store })).toMatchObject({ succeeded: 400 });
  expect(Math.max(...bytes)).toBeLessThan(200_000);
});

it('a large page has the memory for itself', async () => {
  const queue = new OneSlow(60);
  const underWay: number[] = [];
  const read: BacklogStore['pages']['read'] = async (...args) => {
    underWay.push(queue.underAttempt.size);
    return { ...(await queue.store.pages.read(...args)), isLarge: true };
  };
  await queue.attempt({ store: queue.replaced({ pages: { read } }) });
  expect(underWay.length).toBeGreaterThan(1);
  expect(Math.max(...underWay)).toBe(0);
});

it('the watchdog watches a page until its last attempt has ended, and knows of the attempts beside it', async () => {
  const queue = new OneSlow(21);
  const watched: { count: number; othersWait: boolean; until?: number }[] = [];
  const watchdog: Watchdog = {
    watch: ({ ids, othersWait }) => {
      const page: (typeof watched)[number] = { count: ids.length, othersWait };
      watched.push(page);
      return () => {
        page.until = queue.seconds;
      };
    },
  };
  await queue.attempt({ watchdog });
  expect(watched).toEqual([
    { count: 20, othersWait: true, until: SLOW_SECONDS },
    { count: 1, othersWait: true, until: expect.closeTo(1.5, 0) },
  ]);
});

it('a run in which all attempts ignore their signals ends in time, however many they are', async () => {
  const queue = new Harness();
  for (let i = 0; i < 70; i++) queue.put(`deaf-${i}`);
  const deaf: Process = () => queue.sleep(1_000);
  const summary = await queue.run(deaf, { concurrency: 60, attemptTimeout: 5, deadlineSeconds: 60 });
  expect(summary).toMatchObject({ attempted: 60, failed: 60 });
  expect(queue.time.now - START).toBeLessThanOrEqual(60_000);
});
