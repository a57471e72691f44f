import type { Item } from '../../src/record/index.js';
import { type consoleUnderTest, HOUR, iso, MINUTE, NOW } from '../console/console-under-test.js';
import { HOSTILE_TEXTS } from './hostile.js';

const job = (id: string, attributes: Item): Item => ({
  ...{ version: 1, id, rev: 'r', action: 'redrive', options: {}, by: 'role/ops', from: 'console', pages: 1 },
  ...{ createdAt: iso(-HOUR), startedAt: iso(-HOUR), counts: counts(0), expiresAt: NOW / 1000 + 86_400 },
  ...attributes,
});
const counts = (changed: number, failed = 0) => ({
  ...{ changed, failed, skipped: { inFlight: 2, asWanted: 10 } },
  failures: failed === 0 ? [] : [{ id: 'order-1', reason: 'an item of 400 KB' }],
});
const HELD = { holder: 'another process', until: NOW + MINUTE };
const TLS = { queue: 'webhooks', status: ['DEAD'], errorName: 'TlsError hooks.partner.example.com' };

/** A job in each state. */
const JOBS: readonly Item[] = [
  job('running2', {
    ...{ state: 'running', which: TLS, perSecond: 20, total: 20_000, counts: counts(6_200, 3), ...HELD },
    startedAt: iso(-5 * MINUTE),
  }),
  job('probing2', {
    ...{ state: 'running', which: TLS, probe: 5, probed: ['a', 'b'], total: 1_000, isTotalLeast: true },
    ...{ counts: counts(5), ...HELD },
  }),
  job('armed222', {
    ...{ state: 'armed', action: 'runNow', which: { queue: ['orders', 'catalog'], status: ['ERROR'] } },
    ...{ armedFor: 'erp.a-destination-with-a-long-name.example.com', armedUntil: iso(3 * HOUR), ...HELD },
    ...{ startedAt: undefined, total: 766 },
  }),
  job('stopped2', {
    ...{ state: 'stopped', why: '2 of 5 failed again', total: 599, counts: counts(68) },
    which: { queue: 'invoices', status: ['DEAD'], errorContains: 'vat', failedWithin: '3h' },
    endedAt: iso(-20 * MINUTE),
  }),
  job('done2222', {
    ...{
      state: 'done',
      action: 'snooze',
      options: { at: iso(2 * HOUR) },
      which: { all: true },
      total: 1_204,
    },
    ...{
      counts: counts(1_204),
      endedAt: iso(-2 * HOUR),
      undoneBy: 'undo2222',
      by: 'anna',
      from: 'command line',
    },
  }),
  job('undo2222', {
    ...{ state: 'done', action: 'undo', options: { job: 'done2222', pages: 1 }, which: [], total: 1_204 },
    ...{ counts: counts(1_204), endedAt: iso(-HOUR) },
  }),
  job('hostile2', {
    ...{ state: 'cancelled', action: 'move', options: { queue: 'q'.repeat(100) }, why: HOSTILE_TEXTS[0] },
    ...{ by: HOSTILE_TEXTS[1], from: HOSTILE_TEXTS[2], endedAt: iso(-3 * HOUR) },
    which: { queue: 'orders', errorContains: HOSTILE_TEXTS.join(' ') },
  }),
];

/** One whose process is lost. A console that may write would go on with it. */
const LOST = job('lost2222', {
  ...{ state: 'running', which: TLS, total: 300, counts: counts(120), holder: 'gone', until: NOW - MINUTE },
});

/** Stores a job in each state, one of them damaged. */
export async function fillJobs(
  { store }: Pick<ReturnType<typeof consoleUnderTest>, 'store'>,
  { lost = false } = {},
): Promise<void> {
  for (const item of lost ? [...JOBS, LOST] : JOBS) {
    const stored = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
    await store.jobs.create(String(item.id), stored);
  }
  await store.jobs.create('damaged', { version: 99, rev: 'r', expiresAt: NOW / 1000 + 86_400 });
}
