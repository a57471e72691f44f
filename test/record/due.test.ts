import { describe, expect, it } from 'vitest';
import { DEFAULT_TIERS, resolvePolicy, tierBands } from '../../src/policies/index.js';
import { judge } from '../../src/record/index.js';
import { iso, NOW, record } from './records.js';

const DAY = 86_400;
const bands = tierBands(DEFAULT_TIERS, 300);
const byDueTime = {
  lane: 'q',
  now: NOW,
  tickSeconds: 60,
  policy: resolvePolicy({ type: 'fibonacci', jitter: 'none' }),
};
const byAge = (tier: number) => ({
  ...byDueTime,
  policy: resolvePolicy({ type: 'progressive' }),
  band: bands[tier - 1],
});
const failed = {
  status: 'ERROR',
  attempts: 1,
  failures: 1,
  firstFailureAt: iso(-60),
  lastFailureAt: iso(-60),
  lastAttemptAt: iso(-60),
};

const snoozed = { attempts: 1, lastAttemptAt: iso(-2 * DAY) };

describe('a record found by its due time', () => {
  it.each([
    ['is attempted', {}, { do: 'attempt' }],
    [
      'is left if it has succeeded meanwhile',
      { status: 'SUCCESS', lane: undefined },
      { do: 'skip', reason: 'notPending' },
    ],
    ['is left if it is dead', { status: 'DEAD', lane: 'q/dead' }, { do: 'skip', reason: 'notPending' }],
    [
      'leaves the index if it has succeeded and still is in it',
      { status: 'SUCCESS' },
      { do: 'correct', change: { set: {}, remove: ['lane', 'dueAt', 'notBefore'] } },
    ],
    [
      'goes to the dead if it is one',
      { status: 'DEAD' },
      {
        do: 'correct',
        change: { set: { insertedAt: iso(-3600), lane: 'q/dead', dueAt: iso(0) }, remove: ['expiresAt'] },
      },
    ],
    [
      'goes to the lane of its queue',
      { queue: 'r' },
      {
        do: 'correct',
        change: { set: { insertedAt: iso(-3600), lane: 'r', dueAt: iso(-3600) }, remove: ['expiresAt'] },
      },
    ],
    [
      'keeps its wait on its way into the lane of its queue',
      { queue: 'r', ...failed, rev: 'x', dueAt: iso(40) },
      {
        do: 'correct',
        change: { set: { insertedAt: iso(-3600), lane: 'r', dueAt: iso(40) }, remove: ['expiresAt'] },
      },
    ],
    ['is attempted where its producer named the lane alone', { queue: undefined }, { do: 'attempt' }],
    [
      'is quarantined if a newer version wrote it',
      { backlogFormat: 99 },
      {
        do: 'quarantine',
        why: 'backlogFormat 99 is newer than 1, which this version knows: deploy the newer version, then redrive it',
      },
    ],
    [
      'is quarantined if its outcome would have no room',
      { payload: 'x'.repeat(409_300) },
      {
        do: 'quarantine',
        why: 'its item is too large: the outcome of an attempt would have no room',
      },
    ],
    [
      'is attempted if its due time is of a year that does not sort',
      { dueAt: '+275760-09-13T00:00:00.000Z' },
      { do: 'attempt' },
    ],
    ['is left if it is in another lane by now', { lane: 'other' }, { do: 'skip', reason: 'moved' }],
    ['is left if it has no lane any more', { lane: undefined }, { do: 'skip', reason: 'moved' }],
    ['is left if its due time has moved', { dueAt: iso(1) }, { do: 'skip', reason: 'notDue' }],
    ['is attempted at the very millisecond', { dueAt: iso(0) }, { do: 'attempt' }],
    [
      'is given up if it is too old and was attempted',
      { ...failed, insertedAt: iso(-361 * DAY) },
      { do: 'expire' },
    ],
    ['gets its one attempt however old it is', { insertedAt: iso(-361 * DAY) }, { do: 'attempt' }],
    [
      'that a progressive queue left behind is put right if it is not its time',
      { ...failed, failures: 5 },
      { do: 'reschedule', dueAt: NOW + 210_000 },
    ],
    ['that a progressive queue left behind is attempted if it is', failed, { do: 'attempt' }],
    [
      'that a progressive queue left behind waits for longer if the other side has asked for that',
      { ...failed, failures: 5, notBefore: iso(900) },
      { do: 'reschedule', dueAt: NOW + 900_000 },
    ],
    [
      'that a progressive queue has put off is put right until then, whether it ever failed or not',
      { attempts: 1, lastAttemptAt: iso(-60), notBefore: iso(90) },
      { do: 'reschedule', dueAt: NOW + 90_000 },
    ],
    [
      'that a progressive queue has put off keeps that wait although its insertion time was changed since',
      { attempts: 1, lastAttemptAt: iso(-60), notBefore: iso(90), insertedAt: iso(-100), dueAt: iso(-3600) },
      { do: 'reschedule', dueAt: NOW + 90_000 },
    ],
    [
      'is attempted if its insertion time was changed since its failure: its due time may be of a person',
      { ...failed, failures: 5, insertedAt: iso(-100), dueAt: iso(-3600) },
      { do: 'attempt' },
    ],
    [
      'waits as long as its snooze asked for, and not for what the policy would say',
      { ...failed, failures: 5, attempts: 6, lastAttemptAt: iso(-10), notBefore: iso(20) },
      { do: 'reschedule', dueAt: NOW + 20_000 },
    ],
    [
      'gets the attempt that it was put off to, although that is past its last day',
      { ...snoozed, insertedAt: iso(-361 * DAY), dueAt: iso(0) },
      { do: 'attempt' },
    ],
    [
      'that asks to be put off after its last day is given up',
      { ...snoozed, insertedAt: iso(-400 * DAY), dueAt: iso(0) },
      { do: 'expire' },
    ],
    [
      'that has failed since is given up past its last day',
      { ...snoozed, ...failed, lastFailureAt: snoozed.lastAttemptAt, insertedAt: iso(-361 * DAY) },
      { do: 'expire' },
    ],
    [
      'that has come again is attempted, however late: its attempts were before',
      { ...snoozed, lastAttemptAt: iso(-800 * DAY), availableAt: iso(-400 * DAY), dueAt: iso(-400 * DAY) },
      { do: 'attempt' },
    ],
    ['with a misspelt status is attempted', { status: 'new' }, { do: 'attempt' }],
  ])('%s', (_, attributes, verdict) => {
    expect(judge(record(attributes), byDueTime)).toEqual(verdict);
  });
});

describe('a record found by its age', () => {
  const aged = (days: number, attributes = {}) => {
    const at = iso(-days * DAY);
    return record({ insertedAt: at, dueAt: at, ...attributes });
  };
  it.each([
    ['is attempted in its band', 1, aged(0.5), { do: 'attempt' }],
    ['is left when it has left the band', 1, aged(1.01), { do: 'skip', reason: 'moved' }],
    ['is left before it has come of age', 2, aged(1), { do: 'skip', reason: 'moved' }],
    [
      'is left if it was attempted within half the interval',
      2,
      aged(2, { ...failed, lastAttemptAt: iso(-1799) }),
      { do: 'skip', reason: 'attemptedRecently' },
    ],
    [
      'is attempted after half the interval',
      2,
      aged(2, { ...failed, lastAttemptAt: iso(-1800) }),
      { do: 'attempt' },
    ],
    [
      'is attempted where a wrong clock has put its last attempt far ahead',
      2,
      aged(2, { ...failed, lastAttemptAt: iso(30 * DAY) }),
      { do: 'attempt' },
    ],
    [
      'is left until the time that the other side asked for',
      1,
      aged(0.5, { notBefore: iso(1) }),
      { do: 'skip', reason: 'notDue' },
    ],
    ['is attempted after that time', 1, aged(0.5, { notBefore: iso(0) }), { do: 'attempt' }],
    ['is given up past 360 days', 6, aged(360.01, failed), { do: 'expire' }],
    ['gets its one attempt past 360 days', 6, aged(500), { do: 'attempt' }],
    [
      'waits past its last day if it was put off to a later one',
      6,
      aged(361, { ...snoozed, notBefore: iso(5), lastAttemptAt: iso(-6 * DAY) }),
      { do: 'skip', reason: 'notDue' },
    ],
    [
      'gets the attempt that it was put off to past its last day',
      6,
      aged(361, { ...snoozed, notBefore: iso(-5), lastAttemptAt: iso(-6 * DAY) }),
      { do: 'attempt' },
    ],
    [
      'that a per-record queue left behind is put right if it is not its time',
      1,
      aged(0.5, { ...failed, dueAt: iso(-5) }),
      { do: 'reschedule', dueAt: NOW - 0.5 * DAY * 1000 },
    ],
    [
      'that a per-record queue left behind is attempted if it is',
      1,
      aged(0.5, { ...failed, lastAttemptAt: iso(-300), dueAt: iso(-5) }),
      { do: 'attempt' },
    ],
    [
      'that a per-record queue left behind moves to the band of its age',
      1,
      aged(40, { dueAt: iso(-5) }),
      { do: 'reschedule', dueAt: NOW - 40 * DAY * 1000 },
    ],
  ])('%s (tier %i)', (_, tier, found, verdict) => {
    expect(judge(found, byAge(tier))).toEqual(verdict);
  });
});

it('a due time that cannot be read is corrected on a progressive queue', () => {
  const verdict = judge(record({ ...failed, dueAt: "1 o'clock", lane: 'q' }), byAge(2));
  expect(verdict).toEqual({ do: 'reschedule', dueAt: NOW - 3_600_000 });
});

it('a wait that a record brought from the other retry mode is honoured, however a progressive run came upon it', () => {
  const waiting = record({ ...failed, dueAt: iso(900) });
  expect(judge(waiting, byAge(1))).toEqual({ do: 'skip', reason: 'notDue' });
});
