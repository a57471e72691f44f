import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttemptAt, settle } from '../../src/record/index.js';
import { dueText, recordTable } from '../../tools/src/cli/list-table.js';
import { width } from '../../tools/src/cli/paint.js';
import { context, NOW, record } from '../record/records.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const plain = (_: unknown, text: string) => text;
const inTerminal = (columns: number | undefined, records = RECORDS) =>
  recordTable(records, { now, columns, paint: plain });

const HTTP = {
  name: 'HttpError',
  message: 'HTTP 503 from https://erp.example.com/orders: the service is down for maintenance',
  at: '2026-03-01T11:50:00.000Z',
  attempt: 4,
};
const RECORDS = [
  record({
    id: 'order-7',
    queue: 'orders',
    status: 'ERROR',
    attempts: 4,
    insertedAt: '2026-03-01T09:56:57.000Z',
    lane: 'orders',
    dueAt: '2026-03-01T12:14:03.000Z',
    lastError: HTTP,
  }),
  record({
    id: '注文-東京-7',
    queue: 'orders',
    status: 'DEAD',
    attempts: 20,
    insertedAt: '2026-02-27T10:00:00.000Z',
    deadReason: 'maxAttempts',
    lastError: { ...HTTP, message: '在庫がありません。\nもう一度お試しください。' },
  }),
  record({
    id: 'order-9',
    queue: 'orders',
    status: 'NEW',
    insertedAt: '2026-03-01T11:59:30.000Z',
    lane: 'orders',
    dueAt: '2026-03-01T11:59:30.000Z',
  }),
];

it('the table of backlog list says of a record that is not ready yet why it waits, and paints no failure', () => {
  const waits = record({
    id: 'order-8',
    attempts: 3,
    notReady: 3,
    lastAttemptAt: '2026-03-01T11:00:00.000Z',
    dueAt: '2026-03-02T03:00:00.000Z',
    history: [
      { at: '2026-03-01T11:00:00.000Z', attempt: 3, outcome: 'snoozed', message: 'the order is open' },
    ],
  });
  const paint = (format: unknown, text: string) => (format === 'dim' ? text : `<${format}>${text}`);
  const lines = recordTable([waits], { now, columns: undefined, paint: paint as never });
  expect(lines[0]).toContain('REASON');
  expect(lines[1]).toMatch(/<white>NEW .* not ready yet: the order is open$/);
});

it('list, show and the history of a failed record have the same due time: the end of its wait', () => {
  const failed = { type: 'failure', error: { name: 'E', message: 'm' } } as const;
  const { set } = settle(record(), failed, context());
  const waits = record({ ...set } as never);
  const next = waits.history.at(-1)?.next;
  expect(next).toBe(new Date(NOW + 300_000).toISOString());
  expect(nextAttemptAt(waits)).toBe(next);
  expect(recordTable([waits], { now: NOW, columns: 200, paint: plain }).at(1)).toContain('in 5 min');
  expect(dueText(waits, NOW)).toBe('in 5 min');
  // An operator has put it off since then.
  const later = new Date(NOW + 3_600_000).toISOString();
  expect(nextAttemptAt({ ...waits, dueAt: later })).toBe(later);
  expect(nextAttemptAt({ ...waits, notBefore: later })).toBe(later);
  // A wait of a progressive queue that is over, on a record that retries by due time since then.
  expect(nextAttemptAt({ ...waits, dueAt: later, notBefore: record().insertedAt })).toBe(later);
  expect(nextAttemptAt({ ...waits, status: 'DEAD' })).toBeUndefined();
});

describe('the table of backlog list', () => {
  it('has a column of keys where a record has one and there is room', () => {
    const keyed = [record({ id: 'a', key: 'c-7' }), record({ id: 'b' })];
    const [head, first, second] = inTerminal(120, keyed);
    expect(head).toMatch(/^ID +QUEUE +KEY +STATUS/);
    expect(first).toMatch(/^a +\S+ +c-7 +NEW/);
    expect(second).toMatch(/^b +\S+ +- +NEW/);
    expect(inTerminal(40, keyed)[0]).not.toContain('KEY');
    expect(inTerminal(120)[0]).not.toContain('KEY');
  });

  it('a record with a number that is in no lane is due in its turn', () => {
    const insertedAt = '2026-03-01T11:59:30.000Z';
    const behind = record({
      id: 'b',
      queue: 'orders',
      key: 'k',
      seq: 2,
      insertedAt,
      lane: undefined,
      dueAt: undefined,
    });
    expect(inTerminal(60, [behind])[1]).toMatch(/its turn$/);
    expect(inTerminal(60, [{ ...behind, lane: 'orders', dueAt: insertedAt }])[1]).toMatch(/next run$/);
    expect(dueText(behind, now)).toBe('in its turn among the records of its key: backlog lines');
  });

  it.each([
    [
      60,
      [
        'ID           STATUS  INSERTED  DUE        LAST ERROR',
        'order-7      ERROR   2 h       in 14 min  HttpError: HTTP 5…',
        '注文-東京-7  DEAD    2 d       -          (maxAttempts) Htt…',
        'order-9      NEW     30 s      next run',
      ],
    ],
    [
      80,
      [
        'ID           QUEUE   STATUS  ATTEMPTS  INSERTED  DUE        LAST ERROR',
        'order-7      orders  ERROR          4  2 h       in 14 min  HttpError: HTTP 503…',
        '注文-東京-7  orders  DEAD          20  2 d       -          (maxAttempts) HttpE…',
        'order-9      orders  NEW            0  30 s      next run',
      ],
    ],
    [
      120,
      [
        'ID           QUEUE   STATUS  ATTEMPTS  INSERTED           DUE                     REASON       LAST ERROR',
        'order-7      orders  ERROR          4  03-01 09:56  2 h   03-01 12:14  in 14 min               HttpError: HTTP 503 from…',
        '注文-東京-7  orders  DEAD          20  02-27 10:00  2 d   -                       maxAttempts  HttpError: 在庫がありま…',
        'order-9      orders  NEW            0  03-01 11:59  30 s  next run',
      ],
    ],
    [
      200,
      [
        'ID           QUEUE   STATUS  ATTEMPTS  INSERTED                            DUE                                 REASON       LAST ERROR',
        'order-7      orders  ERROR          4  2026-03-01 09:56:57  2 h 3 min ago  2026-03-01 12:14:03  in 14 min 3 s               HttpError: HTTP 503 from https://erp.example.com/orders: the service is dow…',
        '注文-東京-7  orders  DEAD          20  2026-02-27 10:00:00  2 d 2 h ago    -                                   maxAttempts  HttpError: 在庫がありません。 もう一度お試しください。',
        'order-9      orders  NEW            0  2026-03-01 11:59:30  30 s ago       next run',
      ],
    ],
  ])('fits %i columns', (columns, expected) => {
    expect(inTerminal(columns)).toEqual(expected);
  });

  it('has whole texts where it is not shown on a terminal', () => {
    expect(inTerminal(undefined)[1]).toContain(`HttpError: ${HTTP.message}`);
  });

  it('has no columns that say nothing', () => {
    const [head] = inTerminal(200, [record({ id: 'a' })]);
    expect(head).toMatch(/^ID +QUEUE +STATUS +ATTEMPTS +INSERTED +DUE$/);
    expect(inTerminal(200, [record({ id: 'a', task: 'mail' })])[0]).toContain('TASK');
  });

  it('says before the error that no handler knows the task', () => {
    const waiting = record({ id: 'a', task: 'mail', unknownTaskSince: '2026-03-01T11:40:00.000Z' });
    expect(inTerminal(200, [waiting])[1]).toMatch(/no handler knows its task, for 20 min$/);
    expect(inTerminal(70, [waiting])[1]).toMatch(/\(no handler/);
  });

  it('is never wider than a terminal, whatever is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 250 }), text, text, text, (columns, id, name, message) => {
        const one = record({
          id: id || 'x',
          status: 'DEAD',
          deadReason: name,
          task: name,
          lastError: { ...HTTP, name, message },
        });
        for (const line of inTerminal(columns, [one, ...RECORDS])) {
          expect(width(line)).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });
});

it('says of an attempt of hours that it is under way, and not that it is due in a minute', () => {
  const until = '2026-03-01T12:01:00.000Z';
  const held = record({ id: 'a', rev: 'r', lane: 'orders', dueAt: until, notBefore: { until } });
  expect(inTerminal(140, [held]).join()).toContain('under attempt');
  expect(inTerminal(60, [held]).join()).toContain('under attempt');
});
