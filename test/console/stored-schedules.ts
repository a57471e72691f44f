import type { MemoryStore } from '../../src/store/index.js';
import { DAY, HOUR, iso } from './console-under-test.js';

/** The item of a schedule that waits for its next occurrence. */
export const schedule = (name: string, payload: unknown, attributes: Record<string, unknown> = {}) => ({
  ...{ id: `recurring:${name}`, status: 'NEW', queue: 'recurring', payload, lane: 'recurring', rev: 'r' },
  ...{ insertedAt: iso(-3 * DAY), availableAt: iso(HOUR), dueAt: iso(HOUR) },
  ...attributes,
});

/** The record of an occurrence. */
export const occurrence = (name: string, at: string, attributes: Record<string, unknown> = {}) => ({
  ...{ id: `${name}@${at.replace(':00.000Z', 'Z')}`, status: 'SUCCESS', queue: 'orders', payload: {} },
  ...{ insertedAt: at, recurring: name, occurrence: at, rev: 'r' },
  ...attributes,
});

export const NIGHTLY = { schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin', queue: 'orders' };

/** Recurring records in each state. */
export function fillRecurring(store: MemoryStore): void {
  const lastAttemptAt = iso(-HOUR);
  const payload = { ...NIGHTLY, payload: { report: 'sales' }, template: 'f', jitter: 600, task: 'report' };
  store.put(schedule('nightly-report', payload, { lastAttemptAt }));
  store.put(
    schedule('heartbeat', { schedule: 'rate(15 minutes)', startAt: iso(-DAY) }, { dueAt: iso(60_000) }),
  );
  store.put(
    schedule('invoices/tenant-7', {
      ...{ schedule: 'cron(0 6 1 * ? *)', queue: 'invoices', missed: 'all' },
      paused: { since: iso(-HOUR), until: iso(DAY), reason: 'stocktaking', by: 'anna' },
    }),
  );
  store.put(
    schedule(
      'prices',
      { schedule: 'cron(0/5 8-18 ? * MON-FRI *)', queue: 'catalog' },
      {
        ...{ status: 'ERROR', failures: 2, attempts: 2, lastAttemptAt, dueAt: iso(30_000) },
        lastError: { name: 'StoreError', message: 'no right to write into the table', at: lastAttemptAt },
      },
    ),
  );
  store.put(
    schedule(
      'old-import',
      { schedule: 'cron(61 * * * ? *)' },
      {
        ...{
          status: 'DEAD',
          lane: 'recurring/dead',
          deadReason: 'payload: minutes: expected 0 to 59, got "61"',
        },
        dueAt: iso(-HOUR),
      },
    ),
  );
  store.put(occurrence('nightly-report', '2026-11-23T02:00:00.000Z'));
  store.put(
    occurrence('nightly-report', '2026-11-22T02:00:00.000Z', {
      ...{ status: 'DEAD', lane: 'orders/dead', dueAt: iso(-DAY), deadReason: 'maxAttempts' },
    }),
  );
}
