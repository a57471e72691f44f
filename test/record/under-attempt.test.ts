import { describe, expect, it } from 'vitest';
import { CLOCK_SKEW_MS, holdMs } from '../../src/leases/timed-hold.js';
import { resolvePolicy } from '../../src/policies/index.js';
import { HOLD_MS, holdForAttempt, isUnderAttempt, judge } from '../../src/record/index.js';
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

/** As a process has written it at a time, for so long. */
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
    ['in the past', { underAttemptUntil: iso(-60) }],
    ['long ago', { underAttemptUntil: '1970-01-01T00:00:00.000Z' }],
    ['in the last year', { underAttemptUntil: '9999-12-31T23:59:59.999Z' }],
    ['for longer than any process does', { underAttemptUntil: iso(DAY) }],
    ['in what is no time', { underAttemptUntil: 'yes' }],
    ['as another type', { underAttemptUntil: 7 }],
    ['and the library has not written it', { underAttemptUntil: iso(30), rev: undefined }],
    ['until it was due, and the library has not written it', { underAttemptUntil: BORN, rev: undefined }],
  ])('is attempted where its producer says so %s', (_, attributes) => {
    expect(judge(record(attributes), rules)).toEqual({ do: 'attempt' });
  });

  it('is an ordinary record where an operator has put it off, or on, since its process was lost', () => {
    const lost = held(mode, -80);
    const { underAttemptUntil } = lost;
    const other = mode === 'perRecord' ? { dueAt: iso(-1) } : { dueAt: BORN, notBefore: iso(-1) };
    expect(judge(record({ ...other, underAttemptUntil }), rules)).toEqual({ do: 'attempt' });
  });
});

it('a record that is over, or not indexed, is under no attempt, whatever it says', () => {
  const underAttemptUntil = iso(30);
  expect(isUnderAttempt(record({ underAttemptUntil }), NOW)).toBe(true);
  for (const more of [{ status: 'SUCCESS' }, { status: 'DEAD' }, { lane: undefined }, { rev: undefined }])
    expect(isUnderAttempt(record({ underAttemptUntil, ...more }), NOW)).toBe(false);
});

it('a process says so for a lease, and the difference of two clocks', () => {
  expect(HOLD_MS).toBe(holdMs(0) + CLOCK_SKEW_MS);
});
