import { describe, expect, it } from 'vitest';
import { isMisindexed, parseRecord } from '../../../src/record/index.js';
import { placeProblem, repairOf } from '../../../tools/src/cli/doctor/index-checks.js';
import { checkRecord } from '../../../tools/src/cli/doctor/record-checks.js';
import { healthy, NOW, placed, wrongItems } from './records.js';

const context = {
  now: NOW,
  queues: new Set(['default', 'orders', 'bulk']),
  retryModes: new Map([
    ['orders', 'perRecord'],
    ['bulk', 'progressive'],
  ]),
};
const check = (item: Record<string, unknown>) => checkRecord(item, parseRecord(item, NOW), context);
const repair = (item: Record<string, unknown>) => repairOf(item, parseRecord(item, NOW), NOW)?.change;

describe('a record', () => {
  it.each(wrongItems().map(([item, kinds]) => [String(item.id), item, kinds] as const))(
    '%s is listed for what is wrong with it, and for nothing else',
    (_, item, kinds) => {
      expect(check(item).map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  it.each(healthy().map((item) => [String(item.id), item] as const))('%s is fine', (_, item) => {
    expect(check(item).filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(repair(item)).toBeUndefined();
  });

  it('that was cancelled is not reported', () => {
    const item = placed('cancelled', {
      status: 'DEAD',
      lane: 'orders/dead',
      deadReason: 'cancelled: withdrawn',
      expiresAt: 1_900_000_000,
    });
    expect(check(item)).toEqual([]);
  });

  it('of an unknown queue is not listed where the queues are not known', () => {
    const item = placed('a', { queue: 'oders', lane: 'oders' });
    expect(checkRecord(item, parseRecord(item, NOW), { ...context, queues: undefined })).toEqual([]);
  });

  it('that no rule finds is what the intake and the sweep call misindexed', () => {
    const bare = { id: 'bare', status: 'NEW', payload: 1 };
    for (const item of [bare, ...wrongItems().map(([wrong]) => wrong), ...healthy()]) {
      const record = parseRecord(item, NOW);
      const found = ['notIndexed', 'noDueAt', 'pendingInDeadLane'].includes(
        placeProblem(item, record, NOW) ?? '',
      );
      expect([item.id, found]).toEqual([item.id, isMisindexed(record)]);
    }
  });
});

describe('a repair', () => {
  it.each(wrongItems().map(([item]) => [String(item.id), item] as const))(
    'of %s ends what is wrong with its place, or leaves it alone',
    (_, item) => {
      const change = repair(item);
      if (!change) return;
      const after: Record<string, unknown> = { ...item, ...change.set };
      for (const name of change.remove) if (!(name in change.set)) delete after[name];
      expect(placeProblem(after, parseRecord(after, NOW), NOW)).toBeUndefined();
    },
  );

  it('keeps a due time that can be read, whatever its form', () => {
    expect(repair(placed('a', { dueAt: 'Fri, 20 Nov 2099 09:30:00 GMT' }))?.set).toMatchObject({
      lane: 'orders',
      dueAt: '2099-11-20T09:30:00.000Z',
    });
  });

  it('takes no record that may be under attempt away from its run', () => {
    for (const attributes of [
      { lane: 'bulk' },
      { queue: 'oders', lane: 'oders' },
      { dueAt: '1795167000' },
      { dueAt: '2026-11-20T11:00:00+02:00' },
      { expiresAt: 1 },
      { insertedAt: 5 },
    ]) {
      expect(repair(placed('a', attributes))).toBeUndefined();
    }
  });
});
