import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCron } from '../../src/schedules/cron.js';
import { parseSchedule } from '../../src/schedules/index.js';
import { type Occurrences, parseOccurrences } from '../../src/schedules/occurrences.js';
import { parseSchedulerExpression } from '../../src/schedules/scheduler-expression.js';
import { WallClock } from '../../src/schedules/wall-clock.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { anyExpression, frequentCron, hostileText, plainCron } from './random-expressions.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');

const ZONES = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia'];
const zone = fc.constantFrom(...ZONES);
const minute = fc
  .integer({ min: 0, max: (60 * 365.25 * DAY) / MINUTE })
  .map((count) => Date.parse('1990-01-01T00:00:00Z') + count * MINUTE);

/** All occurrences after `from`, up to and with `until`, a thousand at most. */
function listed({ next }: Occurrences, from: number, until: number): number[] {
  const found: number[] = [];
  for (let at = next(from); at !== undefined && at <= until && found.length < 1000; at = next(at))
    found.push(at);
  return found;
}

describe('a plain cron', () => {
  /** The values of a field, as its words say them, without any of the code under test. */
  const isOneOf = (text: string, min: number, max: number) => {
    const values = text.split(',').flatMap((item) => {
      const [range = '', step = '1'] = item.split('/');
      const [from = '', to = item.includes('/') || from === '*' ? String(max) : from] = range.split('-');
      const all = Array.from({ length: max - min + 1 }, (_, i) => min + i);
      const first = from === '*' ? min : Number(from);
      return all.filter((n) => n >= first && n <= Number(to) && (n - first) % Number(step) === 0);
    });
    return (value: number) => values.includes(value);
  };

  it('happens at each minute whose parts are all of its fields', () => {
    fc.assert(
      fc.property(plainCron, minute, (fields, from) => {
        const [minutes = '', hours = '', days = '', months = '', weekdays = '', years = ''] =
          fields.split(' ');
        const isMinute = isOneOf(minutes, 0, 59);
        const isHour = isOneOf(hours, 0, 23);
        const isDay = days === '?' ? () => true : isOneOf(days, 1, 31);
        const isMonth = isOneOf(months, 1, 12);
        const isWeekday = weekdays === '?' ? () => true : isOneOf(weekdays, 1, 7);
        const isYear = isOneOf(years, 1970, 2199);
        const happens = (at: number) => {
          const date = new Date(at);
          return (
            isYear(date.getUTCFullYear()) &&
            isMonth(date.getUTCMonth() + 1) &&
            isDay(date.getUTCDate()) &&
            isWeekday(date.getUTCDay() + 1) &&
            isHour(date.getUTCHours()) &&
            isMinute(date.getUTCMinutes())
          );
        };
        const found = parseCron(fields).next(from, 0);
        if (found !== undefined) expect(happens(found)).toBe(true);
        const until = Math.min(found ?? Number.POSITIVE_INFINITY, from + 2 * DAY);
        for (let at = from + MINUTE; at < until; at += MINUTE) {
          if (happens(at)) throw new Error(`${new Date(at).toISOString()} is left out`);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('occurrences', () => {
  it('come one after the other, in whole minutes', () => {
    fc.assert(
      fc.property(anyExpression, zone, minute, (schedule, timeZone, from) => {
        const { next } = parseOccurrences({ schedule, timeZone, createdAt: START });
        let last = from;
        for (let i = 0; i < 5; i++) {
          const at = next(last);
          if (at === undefined) return;
          expect(at).toBeGreaterThan(last);
          expect(at % MINUTE).toBe(0);
          // No occurrence is between the two, from where it is asked.
          expect(next(Math.floor((last + at) / 2))).toBe(at);
          last = at;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('have the last one of a time as the last of their list', () => {
    const length = fc.integer({ min: 0, max: 3 * DAY });
    fc.assert(
      fc.property(anyExpression, zone, minute, length, (schedule, timeZone, from, span) => {
        const occurrences = parseOccurrences({ schedule, timeZone, createdAt: START });
        const until = from + span;
        const found = occurrences.last(from, until);
        if (found === undefined) {
          expect(listed(occurrences, from - 1, until)).toEqual([]);
          return;
        }
        expect(found).toBeGreaterThanOrEqual(from);
        expect(occurrences.next(found - 1)).toBe(found);
        const later = occurrences.next(found);
        expect(later === undefined || later > until).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe('around a change of the clocks', () => {
  const CHANGES: [string, string][] = [
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
    ['America/Sao_Paulo', '2018-02-18T02:00:00Z'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['America/Caracas', '2016-05-01T07:00:00Z'],
  ];

  it.each(CHANGES)('in %s at %s, each time of the clock happens as it is shown', (timeZone, change) => {
    const clock = new WallClock(timeZone);
    const first = Date.parse(change) - 6 * 60 * MINUTE;
    const shown = Array.from({ length: 12 * 60 }, (_, i) => clock.shownAt(first + i * MINUTE));
    fc.assert(
      fc.property(frequentCron, (schedule) => {
        const cron = parseCron(schedule.slice(5, -1));
        const expected: number[] = [];
        let latest = shown[0] ?? 0;
        for (const [i, time] of shown.entries()) {
          const isRepeated = time <= latest;
          const since = isRepeated ? time - MINUTE : latest;
          const match = cron.next(since, 0);
          const counts = !isRepeated || cron.coversAllHours;
          if (i > 0 && counts && match !== undefined && match <= time) expected.push(first + i * MINUTE);
          latest = Math.max(latest, time);
        }
        const occurrences = parseOccurrences({ schedule, timeZone, createdAt: 0 });
        expect(listed(occurrences, first, first + (shown.length - 1) * MINUTE)).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});

describe('any text', () => {
  const after = Date.parse('2026-01-01T00:00:00Z');

  it.each<[string, (text: string) => void]>([
    ['a rule', (text) => parseSchedule(text).next(after, after)],
    [
      'a schedule',
      (expression) => parseSchedulerExpression({ expression, timeZone: 'Pacific/Apia' }).next(after, 0),
    ],
    [
      'an occurrence',
      (schedule) => {
        const { next, last } = parseOccurrences({ schedule, timeZone: 'Pacific/Apia', createdAt: after });
        next(after);
        last(0, after);
      },
    ],
  ])('is read as %s or refused, at once', (_, read) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const began = performance.now();
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
        }
        expect(performance.now() - began).toBeLessThan(100);
      }),
      { numRuns: 200 },
    );
  });

  it('is a zone, or refused', () => {
    fc.assert(
      fc.property(fc.string(), (timeZone) => {
        try {
          parseOccurrences({ schedule: 'rate(1 hour)', timeZone, createdAt: 0 });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
        }
      }),
    );
  });
});
