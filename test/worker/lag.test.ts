import { describe, expect, it } from 'vitest';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import { parseRecord } from '../../src/record/index.js';
import { lagSeconds } from '../../src/worker/counters.js';

const BORN = Date.parse('2026-11-20T09:00:00.000Z');
const DAY = 86_400;
const [minutes, hourly, halfDaily] = tierBands(DEFAULT_TIERS, 300);

const isoAt = (seconds: number) => new Date(BORN + seconds * 1000).toISOString();
const at = (seconds: number) => BORN + seconds * 1000;
const recordWith = (attributes: object) =>
  parseRecord({ id: 'a', status: 'ERROR', payload: 1, insertedAt: isoAt(0), ...attributes }, BORN);

describe('the lag of an attempt', () => {
  it('is what has passed since the due time, where records have one', () => {
    const record = recordWith({ lane: 'default', dueAt: isoAt(60) });
    expect(lagSeconds(record, undefined, at(100))).toBe(40);
    expect(lagSeconds(record, undefined, at(50))).toBe(0);
  });

  it('is not the age of a record that came from a progressive queue', () => {
    const record = recordWith({ lane: 'default', dueAt: isoAt(0), lastAttemptAt: isoAt(9_000) });
    expect(lagSeconds(record, undefined, at(9_060))).toBe(60);
  });

  it('starts one interval after the last attempt, where the age decides', () => {
    expect(lagSeconds(recordWith({}), minutes, at(310))).toBe(10);
    expect(lagSeconds(recordWith({ lastAttemptAt: isoAt(290) }), minutes, at(610))).toBe(20);
  });

  it('does not count that a tier with longer intervals begins with a wait for its first run', () => {
    const lastOfHourly = recordWith({ lastAttemptAt: isoAt(7 * DAY - 60) });
    expect(lagSeconds(lastOfHourly, halfDaily, at(7 * DAY + 300 + 12 * 3600))).toBe(0);
    expect(lagSeconds(lastOfHourly, halfDaily, at(7 * DAY + 300 + 12 * 3600 + 7))).toBe(7);
    const lastOfMinutes = recordWith({ lastAttemptAt: isoAt(DAY - 10) });
    expect(lagSeconds(lastOfMinutes, hourly, at(DAY + 300 + 3600))).toBe(0);
  });

  it('does not count the time for which the record asked to be left alone', () => {
    const record = recordWith({ lastAttemptAt: isoAt(300), notBefore: isoAt(4000) });
    expect(lagSeconds(record, minutes, at(4300))).toBe(0);
  });
});
