import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BacklogRecord, parseRecord } from '../../src/record/index.js';
import { dueOccurrences } from '../../src/recurring/due-occurrences.js';
import { readSchedule, type Schedule } from '../../src/recurring/schedule-record.js';

const iso = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString().slice(11, 16);
const at = (time: string) => Date.parse(`2026-11-28T${time}:00Z`);

/** A schedule that can be read. */
const scheduleOf = (record: BacklogRecord) => readSchedule(record).schedule as Schedule;

/** The occurrences that are due of a schedule of every ten minutes. All before `done` were made. */
function due(options: object, done: string, now: string | number) {
  const insertedAt = '2026-11-28T00:00:00Z';
  const payload = { schedule: 'rate(10 minutes)', ...options };
  const availableAt = new Date(at(done)).toISOString();
  const record = parseRecord(
    { id: 'recurring:a', queue: 'recurring', insertedAt, availableAt, payload },
    at(done),
  );
  const found = dueOccurrences(scheduleOf(record), typeof now === 'number' ? now : at(now));
  return { due: found.due.map(iso), missed: iso(found.missed), next: iso(found.next) };
}

const paused = (since: string, until?: string) => ({
  paused: { since: `2026-11-28T${since}:00Z`, ...(until && { until: `2026-11-28T${until}:00Z` }) },
});

describe('the occurrences that are due', () => {
  it.each([
    ['at its time', {}, '10:00', '10:00', { due: ['10:00'], next: '10:10' }],
    ['a little late', {}, '10:00', '10:04', { due: ['10:00'], next: '10:10' }],
    ['too early, as an operator has put it forward', {}, '10:00', '09:55', { due: [], next: '10:00' }],
    ['twice, as its outcome was lost', {}, '10:10', '10:04', { due: [], next: '10:10' }],
    [
      'an hour late: one is made up for',
      {},
      '10:00',
      '11:04',
      { due: ['11:00'], missed: '10:00', next: '11:10' },
    ],
    [
      'an hour late, `skip`',
      { missed: 'skip' },
      '10:00',
      '11:06',
      { due: [], missed: '10:00', next: '11:10' },
    ],
    ['5 minutes late, `skip`', { missed: 'skip' }, '11:00', '11:05', { due: ['11:00'], next: '11:10' }],
    [
      'an hour late, `skip`, in time for the newest',
      { missed: 'skip' },
      '10:00',
      '11:05',
      { due: ['11:00'], missed: '10:00', next: '11:10' },
    ],
    [
      'half an hour late, `all`',
      { missed: 'all' },
      '10:00',
      '10:29',
      { due: ['10:00', '10:10', '10:20'], next: '10:30' },
    ],
    ['paused', paused('09:00'), '10:00', '10:29', { due: [], next: '10:30' }],
    ['paused, `all`', { missed: 'all', ...paused('09:00') }, '10:00', '10:29', { due: [], next: '10:30' }],
    ['paused since a moment ago', paused('10:01'), '10:00', '10:02', { due: ['10:00'], next: '10:10' }],
    [
      'paused in between, `all`',
      { missed: 'all', ...paused('10:05', '10:25') },
      '10:00',
      '10:41',
      { due: ['10:00', '10:30', '10:40'], next: '10:50' },
    ],
    ['after a pause', paused('09:00', '10:15'), '10:00', '10:21', { due: ['10:20'], next: '10:30' }],
    ['late, after a pause', paused('09:00', '10:15'), '10:00', '10:29', { due: ['10:20'], next: '10:30' }],
    [
      'after a pause in which all was',
      paused('09:00', '10:25'),
      '10:00',
      '10:26',
      { due: [], next: '10:30' },
    ],
    [
      'resumed at an occurrence',
      paused('09:00', '10:10'),
      '10:00',
      '10:10',
      { due: ['10:10'], next: '10:20' },
    ],
    ['before its start', { startAt: '2026-11-28T12:00:00Z' }, '12:00', '11:00', { due: [], next: '12:00' }],
    [
      'its last one',
      { endAt: '2026-11-28T10:05:00Z' },
      '10:00',
      '10:01',
      { due: ['10:00'], next: undefined },
    ],
    ['after its end', { endAt: '2026-11-28T10:05:00Z' }, '10:10', '10:31', { due: [], next: undefined }],
  ] as const)('%s', (_, options, done, now, expected) => {
    expect(due(options, done, now)).toEqual({ missed: undefined, ...expected });
  });

  it('are 500 at a time at most: the others come next', () => {
    const options = { schedule: 'rate(1 minute)', missed: 'all' };
    const first = due(options, '00:01', '10:00');
    expect(first.due).toHaveLength(500);
    expect([first.due[0], first.due.at(-1), first.next]).toEqual(['00:01', '08:20', '08:21']);
    expect(due(options, '08:21', '10:00')).toMatchObject({ next: '10:01', due: { length: 100 } });
  });

  it('of a schedule of each minute that nothing has looked at for 40 years are found at once', () => {
    const payload = { schedule: 'cron(* * * * ? *)', timeZone: 'Europe/Berlin', ...paused('10:05') };
    const record = parseRecord(
      { id: 'recurring:a', payload, availableAt: '1986-01-01T00:00:00Z' },
      at('10:00'),
    );
    expect(dueOccurrences(scheduleOf(record), at('10:30')).due).toEqual([at('10:04')]);
  });

  it('are each made once, whenever a run looks and an operator pauses', () => {
    const minute = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(minute, fc.boolean()), { minLength: 5, maxLength: 40 }), (steps) => {
        let now = at('00:00');
        let done = now;
        let pause: { since: string; until?: string } | undefined;
        const made: number[] = [];
        const wanted = new Set<number>();
        const isPaused = (time: number) =>
          pause !== undefined &&
          time >= Date.parse(pause.since) &&
          !(pause.until && time >= Date.parse(pause.until));
        for (const [minutes, toggles] of steps) {
          const from = now;
          now += minutes * 60_000 + 30_000;
          for (let time = at('00:10'); time <= now; time += 600_000)
            if (time > from && !isPaused(time)) wanted.add(time);
          const payload = { schedule: 'rate(10 minutes)', missed: 'all', paused: pause };
          const insertedAt = new Date(at('00:00')).toISOString();
          const availableAt = new Date(done).toISOString();
          const record = parseRecord({ id: 'recurring:a', payload, insertedAt, availableAt }, now);
          const { due, next } = dueOccurrences(scheduleOf(record), now);
          made.push(...due);
          done = next ?? done;
          if (!toggles) continue;
          pause =
            pause && !pause.until
              ? { ...pause, until: new Date(now).toISOString() }
              : { since: new Date(now).toISOString() };
        }
        expect(made).toEqual([...wanted]);
      }),
      { numRuns: 200 },
    );
  });
});
