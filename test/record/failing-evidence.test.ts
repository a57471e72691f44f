import { describe, expect, it } from 'vitest';
import { type BacklogRecord, evidenceOf, type FailingNotes } from '../../src/record/index.js';
import { iso, NOW, record } from './records.js';

const T = NOW / 1000;
const HOUR = 3_600;
const NONE: FailingNotes = { notes: [], past: [] };

/** A record that has failed so many seconds ago, after the times before. */
function failed(...ago: readonly number[]): BacklogRecord {
  const at = ago.map((seconds) => iso(-seconds));
  return record({
    status: 'ERROR',
    ...{ failures: ago.length, firstFailureAt: at[0], lastFailureAt: at.at(-1) },
    history: at.map((time, i) => ({ at: time, attempt: i + 1, name: 'TypeError', message: 'down' })),
  });
}

const evidence = (one: BacklogRecord, known: FailingNotes = NONE, isDead = false) =>
  evidenceOf(one, { group: '', now: T, isDead }, known);

describe('the evidence of a failure', () => {
  it('is one for each of the first three, however far apart, and none for further ones', () => {
    expect([failed(), failed(HOUR + 1), failed(9 * HOUR, HOUR)].map((one) => evidence(one))).toEqual([
      1, 1, 1,
    ]);
    expect(evidence(failed(HOUR, 60, 0))).toBe(0);
    expect(evidence(failed(HOUR + 1, 60, 0))).toBeUndefined();
  });

  it('is that of all three for a death', () => {
    expect([failed(), failed(60), failed(90, 60, 0)].map((one) => evidence(one, NONE, true))).toEqual([
      3, 2, 0,
    ]);
  });
});

describe('after an outage of two hours that is over for ten minutes', () => {
  const [since, endedAt] = [T - 2 * HOUR - 600, T - 600];
  const over: FailingNotes = { notes: [], past: [{ group: '', since, endedAt, error: '' }] };
  const ofOutage = [2 * HOUR, 2 * HOUR - 60, 2 * HOUR - 180, HOUR] as const;

  it('a record of it counts again, as a death as well', () => {
    expect(evidence(failed(...ofOutage), over)).toBe(1);
    expect(evidence(failed(...ofOutage), over, true)).toBe(3);
  });

  it.each([
    ['had failed before it', failed(3 * HOUR + 600, ...ofOutage)],
    ['has failed three times since', failed(...ofOutage, 500, 400, 300)],
    ['has failed since, by the one failure that its history has', { ...failed(...ofOutage), ...oneSince() }],
  ])('one that %s does not', (_, one) => {
    expect(evidence(one, over)).toBeUndefined();
  });

  it('one that has failed twice since counts, and one that first failed some minutes before the note', () => {
    expect(evidence(failed(...ofOutage, 500, 300), over)).toBe(1);
    expect(evidence(failed(2 * HOUR + 900, ...ofOutage), over)).toBe(1);
  });

  it('the records of another group do not', () => {
    const other = { notes: [], past: [{ group: 'erp', since, endedAt, error: '' }] };
    expect(evidence(failed(...ofOutage), other)).toBeUndefined();
  });

  it('one that is in a new note counts in its first hour', () => {
    const one = failed(...ofOutage, 500, 400, 300);
    const note = { group: '', lastAt: T, records: 3, evidence: 3, countedAt: T, error: '' };
    const inNote = (ago: number, old: BacklogRecord) => {
      const past = [{ group: '', since, endedAt: T - ago, error: '' }];
      return evidence(old, {
        past,
        notes: [{ ...note, recentSuccesses: 0, recentFailures: 3, since: T - ago }],
      });
    };
    expect(inNote(500, one)).toBe(1);
    expect(inNote(HOUR, { ...one, lastFailureAt: iso(-HOUR) })).toBe(1);
    expect(inNote(HOUR + 1, { ...one, lastFailureAt: iso(-HOUR) })).toBeUndefined();
  });
});

/** A record whose history has room for the last failure alone. */
function oneSince() {
  const { lastFailureAt, history } = failed(300);
  return { lastFailureAt, history };
}
