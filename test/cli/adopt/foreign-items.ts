import { expect } from 'vitest';

export const FOREIGN_FLAGS = [
  ...['--map', 'status=STATE,insertedAt=DATE_INSERTED,failures=FAILURES,lastFailureAt=LAST_FAILURE'],
  ...['--status-map', 'OPEN=NEW,BROKEN=ERROR,DONE=SUCCESS', '--queue', 'orders', '--utc-offset', '+02:00'],
];

const STATES = ['OPEN', 'BROKEN', 'DONE', 'PARKED'] as const;
/** One time in forms that meet in tables of many years. */
const TIMES = [1_760_000_000, '1760000000000', '2025-10-09 10:53:20', '2025-10-09T10:53:20+02:00'];
const TIME = '2025-10-09T08:53:20.000Z';

/** Items of another application, a quarter of them in each state, with times of all forms. */
export function foreignItems(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, i) => {
    const STATE = STATES[i % STATES.length];
    const DATE_INSERTED = TIMES[Math.floor(i / STATES.length) % TIMES.length];
    const failed = STATE === 'BROKEN' ? { FAILURES: 2, LAST_FAILURE: DATE_INSERTED } : {};
    return { id: `o${i}`, STATE, DATE_INSERTED, ...failed, payload: { n: i }, note: 'kept' };
  });
}

/** Each of them is what its state says, none is there twice, and none has lost what it held. */
export function expectAdopted(found: readonly Record<string, unknown>[], count: number): void {
  const byId = new Map(found.map((item) => [item.id, item]));
  expect(byId.size).toBe(count);
  for (const item of foreignItems(count)) {
    const waiting = {
      queue: 'orders',
      insertedAt: TIME,
      lane: 'orders',
      dueAt: TIME,
      rev: expect.stringMatching(/^[\w-]{8}$/),
    };
    const changes = {
      OPEN: { status: 'NEW', ...waiting },
      BROKEN: { status: 'ERROR', failures: 2, lastFailureAt: TIME, ...waiting },
      DONE: { status: 'SUCCESS', rev: expect.any(String) },
      PARKED: {},
    }[item.STATE as (typeof STATES)[number]];
    expect(byId.get(item.id)).toEqual({ ...item, ...changes });
  }
}
