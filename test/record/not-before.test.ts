import { describe, expect, it } from 'vitest';
import { CLOCK_SKEW_MS, holdMs } from '../../src/leases/timed-hold.js';
import { resolvePolicy } from '../../src/policies/index.js';
import {
  allOverAt,
  HOLD_MS,
  holdForAttempt,
  isUnderAttempt,
  judge,
  leftLane,
  settle,
} from '../../src/record/index.js';
import { context, iso, NOW, record } from './records.js';

const BORN = iso(-3600);
const DAY = 86_400;
const byDueTime = { lane: 'q', now: NOW, tickSeconds: 60, policy: resolvePolicy({ type: 'fibonacci' }) };
const byAge = {
  ...byDueTime,
  policy: resolvePolicy({ type: 'progressive', maxAge: '30m' }),
  band: { number: 1, every: 60, fromAge: 0, untilAge: 365 * DAY, last: true },
};
const modes = [
  ['perRecord', byDueTime],
  ['progressive', byAge],
] as const;

/** A record of which a process has said at that time that it is under attempt. */
function held(retryMode: 'perRecord' | 'progressive', atSeconds: number, attributes = {}, speed = 1) {
  const now = NOW + atSeconds * 1000;
  const before = record({ dueAt: BORN, ...attributes });
  const { set } = holdForAttempt(before, now + HOLD_MS * speed, context({ retryMode, now }));
  return record({ dueAt: BORN, ...attributes, ...set });
}

describe.each(modes)('a record of which a process says that it is under attempt, %s', (mode, rules) => {
  it('is left alone for as long, even when its last day is over', () => {
    const attempted = { attempts: 1, status: 'ERROR', lastAttemptAt: iso(-120), lastFailureAt: iso(-120) };
    for (const at of [0, -30, -74])
      expect(judge(held(mode, at, attempted), rules)).toEqual({ do: 'skip', reason: 'notDue' });
  });

  it('was lost with its process once that is silent', () => {
    expect(judge(held(mode, -75), rules)).toEqual({ do: 'lost' });
    expect(judge(held(mode, -DAY), rules)).toEqual({ do: 'lost' });
  });

  it('is left alone where the clock of its process is minutes ahead, or faster', () => {
    expect(judge(held(mode, 240), rules)).toEqual({ do: 'skip', reason: 'notDue' });
    expect(judge(held(mode, 0, {}, 600), { ...rules, speed: 600 })).toEqual({ do: 'skip', reason: 'notDue' });
    expect(isUnderAttempt(held(mode, 240), NOW)).toBe(true);
    expect(isUnderAttempt(held(mode, 0, {}, 600), NOW, 600)).toBe(true);
  });

  it.each([
    ['in the last year', { notBefore: { until: '9999-12-31T23:59:59.999Z' } }],
    ['in the last year, in another lane', { notBefore: { until: '9999-12-31T23:59:59.999Z', lane: 'p' } }],
    ['for longer than any process does', { notBefore: { until: iso(DAY) } }],
    ['for longer than any function lives', { notBefore: { until: iso(DAY), lane: 'p' } }],
    ['in the past, in another lane', { notBefore: { until: iso(-60), lane: 'p' } }],
    ['in what is no time', { notBefore: { until: 'yes' } }],
    ['in a lane that is none', { notBefore: { until: iso(30), lane: 7 } }],
    [
      'and that it was cancelled, in the last year',
      { notBefore: { until: '9999-12-31T23:59:59.999Z', cancel: 'x' } },
    ],
    ['and that it was cancelled, without an end', { notBefore: { cancel: 'x' } }],
    ['and that it was cancelled for what is no text', { notBefore: { until: iso(-60), cancel: 7 } }],
    ['and that it was cancelled in another lane', { notBefore: { until: iso(30), lane: 'p', cancel: 'x' } }],
    [
      'and that it was cancelled, and the library has not written it',
      { notBefore: { until: iso(-60), cancel: 'x' }, rev: undefined },
    ],
    ['as a number', { notBefore: 7 }],
    ['as a list', { notBefore: [iso(30)] }],
    ['as bytes', { notBefore: new Uint8Array([1]) }],
    ['as a number of its own', { notBefore: { until: 7 } }],
    ['and the library has not written it', { notBefore: { until: iso(30) }, rev: undefined }],
    ['until it was due, and the library has not written it', { notBefore: { until: BORN }, rev: undefined }],
  ])('is attempted where its producer says so %s', (_, attributes) => {
    expect(judge(record(attributes), rules)).toEqual({ do: 'attempt' });
  });

  it('waits as it was asked to, under either form of a time', () => {
    for (const notBefore of [iso(600), iso(600).replace('.000Z', '+00:00')])
      expect(judge(record({ notBefore }), rules)).toMatchObject(
        mode === 'perRecord' ? { do: 'reschedule', dueAt: NOW + 600_000 } : { do: 'skip', reason: 'notDue' },
      );
  });

  it('is an ordinary record where an operator has put it off, or on, since its process was lost', () => {
    const lost = held(mode, -80);
    const { notBefore } = lost;
    const other = mode === 'perRecord' ? { dueAt: iso(-1), notBefore } : { dueAt: BORN, notBefore: iso(-1) };
    expect(judge(record(other), rules)).toEqual({ do: 'attempt' });
  });

  it('is left alone where an operator has taken it out of a lane a moment ago, also if its due time is brought forward', () => {
    const moved = record({ notBefore: leftLane(record({ lane: 'p' }), allOverAt(NOW)) });
    expect(judge(moved, rules)).toEqual({ do: 'skip', reason: 'notDue' });
    expect(judge(moved, { ...rules, now: NOW + 899_000 })).toEqual({ do: 'skip', reason: 'notDue' });
    expect(judge(moved, { ...rules, now: NOW + 900_000 })).toEqual({ do: 'attempt' });
  });
});

it('a process that is silent leaves a record by age as one that was lost, and one by due time only where it was put off', () => {
  const silent = record({ notBefore: { until: iso(-60) } });
  expect(judge(silent, byAge)).toEqual({ do: 'lost' });
  expect(judge(silent, byDueTime)).toEqual({ do: 'attempt' });
});

it.each(modes)('the next outcome takes it away, for whatever reason it is there, %s', (retryMode) => {
  const error = { name: 'Error', message: 'no' };
  const outcomes = [
    { type: 'success', ms: 1 },
    { type: 'failure', error, ms: 1 },
    { type: 'failure', error, ms: 1, retryAfterSeconds: 7200 },
    { type: 'snooze', ms: 1, seconds: 60 },
    { type: 'snooze', ms: 1 },
    { type: 'cancel', reason: 'no', ms: 1 },
    { type: 'dead', error, reason: 'no', ms: 1 },
  ] as const;
  for (const notBefore of [iso(-5), { until: iso(-5) }, { until: iso(-5), lane: 'p' }])
    for (const outcome of outcomes) {
      const { set, remove } = settle(record({ notBefore }), outcome, context({ retryMode }));
      const isKept = set.notBefore === undefined && !remove.includes('notBefore');
      expect([outcome.type, isKept]).toEqual([outcome.type, false]);
      expect(set.notBefore ?? '').toBeTypeOf('string');
    }
});

it('a record that is over, or not indexed, is under no attempt, whatever it says', () => {
  const notBefore = { until: iso(30) };
  expect(isUnderAttempt(record({ notBefore }), NOW)).toBe(true);
  for (const more of [{ status: 'SUCCESS' }, { status: 'DEAD' }, { lane: undefined }, { rev: undefined }])
    expect(isUnderAttempt(record({ notBefore, ...more }), NOW)).toBe(false);
});

it('a process says so for a lease, and the difference of two clocks', () => {
  expect(HOLD_MS).toBe(holdMs(0) + CLOCK_SKEW_MS);
});
