import { describe, expect, it } from 'vitest';
import { parseRecord } from '../../src/record/index.js';
import { latestOccurrences, nextOccurrences } from '../../src/recurring/index.js';
import { toIso } from '../../src/support/clock.js';

const NOW = Date.parse('2026-11-23T14:47:18.000Z');
const hours = (times: readonly number[]) => times.map((at) => toIso(at).slice(5, 13));

/** A schedule that was made two days ago. */
const schedule = (payload: object, attributes: object = {}) =>
  parseRecord(
    {
      ...{ id: 'recurring:a', status: 'NEW', queue: 'recurring', lane: 'recurring', rev: 'r' },
      ...{ insertedAt: '2026-11-21T12:00:00.000Z', availableAt: '2026-11-24T03:00:00.000Z' },
      ...{ payload: { schedule: 'cron(0 3 * * ? *)', ...payload }, ...attributes },
    },
    NOW,
  );
const paused = { since: '2026-11-22T00:00:00.000Z', until: '2026-11-26T00:00:00.000Z' };

describe('the next occurrences', () => {
  it('are those that will be inserted, the earliest first', () => {
    expect(hours(nextOccurrences(schedule({}), NOW, 3))).toEqual(['11-24T03', '11-25T03', '11-26T03']);
    const endAt = '2026-11-25T03:00:00.000Z';
    expect(hours(nextOccurrences(schedule({ endAt }), NOW, 3))).toEqual(['11-24T03', '11-25T03']);
  });

  it('lie behind a pause, or are none', () => {
    expect(hours(nextOccurrences(schedule({ paused }), NOW, 2))).toEqual(['11-26T03', '11-27T03']);
    expect(nextOccurrences(schedule({ paused: { since: paused.since } }), NOW, 2)).toEqual([]);
    expect(nextOccurrences(schedule({}, { status: 'DEAD' }), NOW, 2)).toEqual([]);
    expect(nextOccurrences(schedule({ schedule: 'cron(61 3 * * ? *)' }), NOW, 2)).toEqual([]);
  });
});

describe('the latest occurrences', () => {
  it('are those since it was made, the newest first, and tell which a pause took out', () => {
    const latest = latestOccurrences(schedule({ paused }), NOW, 5);
    expect(hours(latest.map(({ at }) => at))).toEqual(['11-23T03', '11-22T03']);
    expect(latest.map(({ wasPaused }) => wasPaused)).toEqual([true, true]);
    expect(latestOccurrences(schedule({}), NOW, 1)).toMatchObject([{ wasPaused: false }]);
    expect(latestOccurrences(schedule({ schedule: 7 }), NOW, 5)).toEqual([]);
  });
});
