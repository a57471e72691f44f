import { expect, it } from 'vitest';
import type { BacklogRecord } from '../../src/record/index.js';
import type { BacklogStore } from '../../src/store/index.js';
import { systemRandom } from '../../src/support/random.js';
import { Breakers } from '../../src/worker/guards/breakers.js';
import { type BreakerMemory, type Process, resolveBreaker } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices, START, YOUNG } from './harness.js';

const hostOf = ({ payload }: BacklogRecord) => (payload as { readonly host: string }).host;
const PILE = 300;

/** A process whose runs attempt a pile for `down`, which refuses everything, once a minute. It counts what they read. */
class Outage extends Harness {
  readonly attempted: string[] = [];
  isOver = false;
  hasDestinations = true;
  leftOver = 0;
  read = 0;
  journals = 0;
  readonly breakers: BreakerMemory = new Map();
  private readonly counting = replacing<BacklogStore>(
    {
      pages: {
        read: (...args) => {
          this.read += args[0].length;
          return this.store.pages.read(...args);
        },
      },
      leases: {
        hold: (...args) => {
          this.journals++;
          return this.store.leases.hold(...args);
        },
      },
    },
    this.store,
  );

  constructor(attributes: object = {}) {
    super();
    for (let i = 0; i < PILE; i++) {
      this.put(`down-${i}`, { payload: { host: 'down' }, ...attributes });
    }
  }

  readonly process: Process = (record) => {
    this.attempted.push(record.id);
    if (hostOf(record as BacklogRecord) === 'down' && !this.isOver) throw new Error('503');
  };

  /** Lets minutes pass, with a run in each. Returns how many records each of them has read. */
  async minutes(count: number, choices: RunChoices = {}): Promise<number[]> {
    const reads: number[] = [];
    for (let i = 0; i < count; i++) {
      const before = this.read;
      const { breakers, counting: store } = this;
      const destinations = this.hasDestinations ? { destination: hostOf } : {};
      const options = { breaker: true, ...destinations, breakers, store, ...choices };
      this.leftOver = (await this.run(this.process, options)).leftOver;
      reads.push(this.read - before);
      await this.pass(60);
    }
    return reads;
  }
}

it('records that an open breaker puts off are not read again for 15 minutes, but the page of its probe', async () => {
  const outage = new Outage();
  const [first = 0, ...later] = await outage.minutes(15);
  const { journals } = outage;
  expect(first).toBe(PILE);
  expect(Math.max(...later)).toBeLessThanOrEqual(100);
  expect(journals).toBeLessThan(15 * 3);
  // They count as what waits all the same.
  expect(outage.leftOver).toBeGreaterThan(PILE - 50);
  const [again = 0] = await outage.minutes(1);
  expect(again).toBeGreaterThan(PILE / 2);
});

it('those of other destinations are attempted at the next run, behind a pile', async () => {
  const outage = new Outage();
  for (let minute = 0; minute < 5; minute++) {
    outage.put(`up-${minute}`, { payload: { host: 'up' } });
    await outage.minutes(1);
    expect(outage.item(`up-${minute}`)).toMatchObject({ status: 'SUCCESS' });
  }
});

it.each([
  ['by their own policies', {}],
  ['by age', { band: YOUNG }],
])('all are attempted when the destination is back: retried %s', async (_, choices) => {
  const outage = new Outage();
  await outage.minutes(3, choices);
  outage.isOver = true;
  await outage.minutes(10, choices);
  expect(outage.statuses()).toEqual({ SUCCESS: PILE });
  expect(new Set(outage.attempted).size).toBe(PILE);
  // Nothing looks for those of first pages again.
  expect(outage.breakers.get('q')?.putOff.size).toBeLessThan(100);
});

it('the probe is one of them, where no other record is due', async () => {
  const outage = new Outage();
  const choices = { retry: { type: 'constant', interval: 7_200 } } as const;
  await outage.minutes(3, choices);
  const { ERROR: failed = 0 } = outage.statuses();
  outage.isOver = true;
  await outage.minutes(2, choices);
  expect(outage.statuses().SUCCESS).toBe(PILE - failed);
});

it('one that an operator makes due is read at once, and one whose payload is changed within 15 minutes', async () => {
  const outage = new Outage();
  await outage.minutes(2);
  const healthy = { payload: { host: 'up' } };
  const waiting = outage.store.items().filter(({ status }) => status === 'NEW');
  const [due = {}, changed = {}] = waiting.slice(-2);
  const now = new Date(outage.time.now).toISOString();
  outage.store.put({ ...due, ...healthy, dueAt: now });
  outage.store.put({ ...changed, ...healthy });
  await outage.minutes(1);
  expect(outage.item(String(due.id))).toMatchObject({ status: 'SUCCESS' });
  await outage.minutes(14);
  expect(outage.item(String(changed.id))).toMatchObject({ status: 'SUCCESS' });
});

it('one whose age is over meanwhile is found within 15 minutes', async () => {
  const at = new Date(START - 60_000).toISOString();
  const failedOnce = { attempts: 1, failures: 1, lastAttemptAt: at, firstFailureAt: at, lastFailureAt: at };
  const outage = new Outage({ status: 'ERROR', ...failedOnce });
  const retry = { type: 'constant', interval: 60, maxAge: 300 } as const;
  await outage.minutes(5 + 16, { retry });
  expect(outage.statuses()).toEqual({ DEAD: PILE });
});

/** A process with queues of an open breaker, and 50,010 records that this one puts off. */
function fullProcess() {
  const { clock, time } = new Harness();
  const options = resolveBreaker(true);
  if (!options) throw new TypeError('expected a breaker');
  const memory: BreakerMemory = new Map();
  const deps = {
    options,
    destination: hostOf,
    probe: { beginsWithin: 10, endsWithin: 30 },
    store: { breakers: { set: async () => true } },
    clock,
    random: systemRandom,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    memory,
  };
  const records = Array.from({ length: 50_010 }, (_, i) => ({
    id: `r${i}`,
    dueAt: '2026-03-01T00:00:00.000Z',
    payload: { host: 'down' },
  }));
  const state = { breakers: new Map([['down', { until: clock.now() + 3_600_000, since: 0, token: 't' }]]) };
  const enterAll = async (these: Breakers, entering = records) => {
    these.reads()(state);
    const answers = entering.map((record) => these.enter(record as unknown as BacklogRecord));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['deferred']));
    return these.withoutPutOff(entering);
  };
  return { breakersOf: (queue: string) => new Breakers({ ...deps, queue }), records, enterAll, time };
}

it('a process remembers 50,000 of them, of all its queues, and goes on with these when it has read them again', async () => {
  const { breakersOf, records, enterAll, time } = fullProcess();
  const breakers = breakersOf('q');
  expect(await enterAll(breakers)).toEqual(records.slice(50_000));
  expect(await enterAll(breakersOf('other'))).toEqual(records);
  await time.runUntil(time.now + 900_000);
  expect(breakers.withoutPutOff(records)).toEqual(records);
  expect(await enterAll(breakers)).toEqual(records.slice(50_000));
});

it('those that no page names again make room for others after 15 minutes', async () => {
  const { breakersOf, records, enterAll, time } = fullProcess();
  await enterAll(breakersOf('q'));
  const others = records.slice(0, 100).map((record) => ({ ...record, id: `other-${record.id}` }));
  expect(await enterAll(breakersOf('other'), others)).toEqual(others);
  await time.runUntil(time.now + 900_000);
  expect(await enterAll(breakersOf('other'), others)).toEqual([]);
});

it.each([
  ['of another destination than before', (id: string) => id, 'up', 0],
  ['with an id of 200 characters', (id: string) => id.padEnd(200, '-'), 'down', PILE],
])('those %s are read', async (_, idOf, host, read) => {
  const outage = new Outage();
  await outage.minutes(1);
  for (let i = 0; i < PILE; i++) outage.put(idOf(`later-${i}`), { payload: { host } });
  await outage.minutes(1);
  outage.read = 0;
  await outage.minutes(1);
  expect(outage.read).toBeGreaterThanOrEqual(read);
  expect(outage.read).toBeLessThan(read + 200);
});

it('a run learns with its first page that another process has closed the breaker', async () => {
  const outage = new Outage();
  const choices = { breaker: { halfOpenAfter: 600 }, retry: { type: 'constant', interval: 7_200 } } as const;
  await outage.minutes(2, choices);
  const { breakers } = await outage.store.queues.read('q');
  await outage.store.breakers.set('q', 'down', undefined, breakers.get('down'));
  outage.isOver = true;
  // Those that were under way when it opened wait until its time is over.
  const putOff = outage.store.items().filter(({ status, attempts }) => status === 'NEW' && !attempts);
  await outage.minutes(1, choices);
  expect(putOff.length).toBeGreaterThan(PILE - 20);
  expect(outage.statuses().SUCCESS).toBe(putOff.length);
});

it('where all records go to one destination, none is remembered: the run ends at its open breaker', async () => {
  const outage = new Outage();
  outage.hasDestinations = false;
  const reads = await outage.minutes(3);
  expect(Math.max(...reads)).toBeLessThanOrEqual(100);
  outage.isOver = true;
  await outage.minutes(3);
  expect(outage.statuses()).toEqual({ SUCCESS: PILE });
});
