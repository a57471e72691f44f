import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AlarmOn } from '../../src/overview/alarms-on.js';
import { incidentsOf } from '../../src/overview/incidents.js';
import { alarmLine, withAlarms } from '../../tools/src/alarms/alarm-source.js';
import { incidentsJson } from '../../tools/src/cli/incidents-json.js';
import { failingNote, MINUTE, NOW, queueView } from '../cli/top/queue-views.js';

const failing = (name: string, group: string) =>
  queueView(name, 'failing', { pending: 9 }, { failingGroups: [failingNote(group, 34 * MINUTE)] });
const QUEUES = [
  failing('orders', 'erp.example.com'),
  failing('mails', 'mail.example.com'),
  queueView('notes', 'quiet'),
];
const SNAPSHOT = { now: NOW, queues: QUEUES, rules: [] };

const on = (id: string, queue: string | undefined, ago: number, changes: Partial<AlarmOn> = {}): AlarmOn => ({
  ...{ id, name: `Shop-${id}`, level: 'page', queue, since: NOW - ago * MINUTE },
  ...changes,
});
const ALARMS = [
  on('Dead-orders', 'orders', 9, { level: 'ticket' }),
  on('Lag-orders', 'orders', 3),
  on('Failures-orders', 'orders', 8, {
    muted: { until: NOW + 72 * MINUTE, note: 'by ann, "the bank is down"' },
  }),
  on('Lag-notes', 'notes', 5),
  on('Failures', undefined, 5),
];
const never = { on: undefined, refresh: () => new Promise<void>(() => {}), close: () => {} };

afterEach(() => vi.useRealTimers());

describe('alarms that are on', () => {
  it('are those of the queues of an incident and those of no queue, pages first, then by time', () => {
    const incidents = incidentsOf(QUEUES, ALARMS);
    const ids = incidents.map(({ queues, alarms }) => [queues[0]?.stats.queue, alarms?.map(({ id }) => id)]);
    expect(Object.fromEntries(ids)).toEqual({
      orders: ['Failures-orders', 'Failures', 'Lag-orders', 'Dead-orders'],
      mails: ['Failures'],
    });
    expect(incidentsOf(QUEUES, []).map(({ alarms }) => alarms)).toEqual([[], []]);
    expect(incidentsOf(QUEUES).map((incident) => 'alarms' in incident)).toEqual([false, false]);
  });

  it('are one line: the alarms, that none is on, the reason why they are not known, or nothing', () => {
    const line = (alarms: readonly AlarmOn[] | undefined, reason?: string) =>
      alarmLine(incidentsOf(QUEUES, alarms), reason, NOW);
    expect(line(ALARMS)).toBe(
      'alarms: page Failures-orders since 14:39 UTC, muted until 15:59 UTC, by ann, "the bank is down"; ' +
        'page Failures since 14:42 UTC; page Lag-orders since 14:44 UTC; and 1 more',
    );
    expect(line([])).toBe('alarms: no queue alarm is on');
    expect(line(undefined, 'no right')).toBe('alarms: not known, no right');
    expect(line(undefined)).toBeUndefined();
    expect(alarmLine(incidentsOf([], ALARMS), 'no right', NOW)).toBeUndefined();
  });

  it('of others’ words are bounded, for programs and on a line', () => {
    const long = 'x'.repeat(10_000);
    const hostile = on(long, 'orders', 5, { name: long, muted: { note: long } });
    const incidents = incidentsOf(QUEUES, [hostile]);
    expect(alarmLine(incidents, undefined, NOW)?.length).toBeLessThan(400);
    expect(alarmLine(incidentsOf(QUEUES), long, NOW)?.length).toBeLessThan(400);
    const [json] = incidentsJson(incidents, { runbookUrl: undefined, jobs: [], now: NOW });
    expect(json?.alarms).toEqual([
      {
        ...{ name: expect.any(String), level: 'page', since: '2026-11-23T14:42:18.000Z' },
        ...{ mutedUntil: undefined, muteNote: expect.any(String) },
      },
    ]);
    expect(JSON.stringify(json).length).toBeLessThan(1000);
  });

  it('hold no screen back, and a command for two seconds', async () => {
    expect(await withAlarms(SNAPSHOT, never, 0)).toEqual(SNAPSHOT);
    vi.useFakeTimers();
    let found: unknown;
    const asked = withAlarms(SNAPSHOT, never, 2_000).then((snapshot) => {
      found = snapshot;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(found).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await asked;
    expect(found).toEqual(SNAPSHOT);
    expect(vi.getTimerCount()).toBe(0);
  });
});
