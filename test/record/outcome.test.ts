import { describe, expect, it, vi } from 'vitest';
import {
  Cancel,
  Dead,
  Done,
  outcomeOfReturn,
  outcomeOfThrow,
  RetryAfter,
  Snooze,
} from '../../src/record/index.js';

describe('what process returns', () => {
  it('nothing is success', () => expect(outcomeOfReturn(undefined)).toEqual({ type: 'success' }));
  it('Done is success', () => expect(outcomeOfReturn(new Done())).toEqual({ type: 'success' }));

  it('Done may have its record come again', () => {
    const again = new Date('2026-12-01T03:00:00Z');
    expect(outcomeOfReturn(new Done({ again }))).toEqual({ type: 'success', again: again.getTime() });
  });

  it.each([
    ['text', '2026-12-01T03:00:00Z'],
    ['no time', new Date('soon')],
    ['null', null],
    ['a time before 1970', new Date(-1)],
    ['a year of five digits', new Date(Date.UTC(10_000, 0, 1))],
  ])('Done refuses %s as the time at which its record comes again', (_, again) => {
    expect(() => new Done({ again: again as Date })).toThrow(
      /^Done.again: expected a Date up to the year 9999, got (a string|a Date|null)$/,
    );
  });
  it.each([
    [null, 'null'],
    [true, 'a boolean'],
    [{ ok: true }, 'a Object'],
    ['done', 'a string'],
  ])('%j is a failure that says what was expected', (value, described) => {
    expect(outcomeOfReturn(value)).toEqual({
      type: 'failure',
      error: {
        name: 'UnknownReturnValue',
        message: `process returned ${described}: expected nothing, Done, RetryAfter, Snooze, Pending, Cancel or Dead`,
      },
    });
  });
});

describe.each([
  ['returned', outcomeOfReturn],
  ['thrown', outcomeOfThrow],
])('a typed outcome, %s', (_, read) => {
  it('RetryAfter is a failure with a wait', () => {
    expect(read(new RetryAfter(90, 'busy'))).toMatchObject({
      type: 'failure',
      error: { name: 'RetryAfter', message: 'busy' },
      retryAfterSeconds: 90,
    });
  });

  it('Dead gives up, with its reason, and the cause as the error', () => {
    const cause = new TypeError('bad address');
    expect(read(new Dead('rejected', { cause }))).toEqual({
      type: 'dead',
      reason: 'rejected',
      error: { name: 'TypeError', message: 'bad address' },
      thrown: cause,
    });
  });

  it('Snooze without a delay leaves it to the policy, and says why', () => {
    const cause = new Error('409');
    expect(read(new Snooze())).toEqual({ type: 'snooze' });
    expect(read(new Snooze({}))).toEqual({ type: 'snooze' });
    expect(read(new Snooze({ reason: 'still open' }))).toEqual({ type: 'snooze', reason: 'still open' });
    expect(new Snooze({ reason: 'still open', cause })).toMatchObject({ message: 'still open', cause });
    expect(new Snooze({ reason: 'still open' })).not.toHaveProperty('cause');
  });

  it('Snooze is no failure, and tells how long to wait', () => {
    expect(read(new Snooze(90))).toEqual({ type: 'snooze', seconds: 90 });
    expect(read(new Snooze(0, 'still closed'))).toEqual({
      type: 'snooze',
      seconds: 0,
      reason: 'still closed',
    });
  });

  it('Cancel is no failure, and tells why', () => {
    expect(read(new Cancel('the order was withdrawn'))).toEqual({
      type: 'cancel',
      reason: 'the order was withdrawn',
    });
  });
});

describe('what process throws', () => {
  it('an error is a failure', () => {
    expect(outcomeOfThrow(new RangeError('too far'))).toMatchObject({
      type: 'failure',
      error: { name: 'RangeError', message: 'too far' },
    });
  });

  it('anything else is a failure that does not tell its value', () => {
    expect(outcomeOfThrow('secret')).toMatchObject({
      type: 'failure',
      error: { name: 'NonError', message: 'threw a string' },
    });
    expect(outcomeOfThrow(undefined)).toMatchObject({ type: 'failure' });
  });
});

it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 'soon', '-5', '', '1.5'])(
  'RetryAfter(%j) and Snooze(%j) are refused, in words that name no number out of reach',
  (wait) => {
    const seconds = wait as number;
    const refused = /: expected seconds or a duration such as "90s" or "P1DT2H", 0 s or more, got [^e]*$/;
    expect(() => new RetryAfter(seconds)).toThrow(refused);
    expect(() => new Snooze(seconds)).toThrow(refused);
  },
);

describe('RetryAfter takes the value of a response header', () => {
  const headers = (retryAfter?: string) =>
    new Response(null, retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }).headers;
  const waitFor = (retryAfter?: string) => {
    const outcome = outcomeOfThrow(new RetryAfter(headers(retryAfter).get('retry-after')));
    return outcome.type === 'failure' ? outcome.retryAfterSeconds : outcome;
  };

  it('seconds', () => {
    expect(waitFor('120')).toBe(120);
    expect(waitFor('0')).toBe(0);
    expect(waitFor('9'.repeat(400))).toBe(365 * 86_400);
  });

  it('a date in each of the three forms of HTTP, which counts from real time', () => {
    vi.useFakeTimers({ now: Date.parse('1994-11-06T08:39:37Z'), toFake: ['Date'] });
    try {
      expect(waitFor('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(600);
      expect(waitFor('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(600);
      expect(waitFor('Sun Nov  6 08:49:37 1994')).toBe(600);
      expect(waitFor('Sun, 06 Nov 1994 08:00:00 GMT')).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('an absent one leaves the wait to the policy, and keeps the reason', () => {
    expect(waitFor()).toBe(0);
    expect(outcomeOfThrow(new RetryAfter(undefined, 'busy'))).toMatchObject({
      type: 'failure',
      error: { name: 'RetryAfter', message: 'busy' },
      retryAfterSeconds: 0,
    });
  });
});

it.each([
  [null, 'Snooze: expected seconds or a duration'],
  [{ reasn: 'x' }, 'Snooze: unknown option "reasn"; did you mean "reason"?'],
  [{ reason: 7 }, 'Snooze.reason: expected string, got 7'],
  [[600], 'Snooze: expected object, got [600]'],
])('Snooze(%j) is refused', (given, message) => {
  expect(() => new Snooze(given as never)).toThrow(message);
});

it('RetryAfter and Snooze take a duration', () => {
  expect(outcomeOfThrow(new RetryAfter('1h'))).toMatchObject({ type: 'failure', retryAfterSeconds: 3_600 });
  expect(outcomeOfThrow(new Snooze('2h'))).toMatchObject({ type: 'snooze', seconds: 7_200 });
  expect(outcomeOfThrow(new Snooze('P1DT2H'))).toMatchObject({ type: 'snooze', seconds: 93_600 });
});

it('a wait of any length may be asked for: the longest wait is kept then', () => {
  expect(outcomeOfThrow(new RetryAfter(1e15))).toMatchObject({ retryAfterSeconds: 365 * 86_400 });
});

describe('what cannot be read', () => {
  const getter = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('not for you');
    },
  });
  const proxy = new Proxy(
    {},
    {
      has() {
        throw new Error('not for you');
      },
    },
  );
  it.each([getter, proxy])('is a failure like any other, returned or thrown', (value) => {
    expect(outcomeOfThrow(value)).toMatchObject({ type: 'failure', error: { name: 'UnreadableOutcome' } });
    expect(outcomeOfReturn(proxy)).toMatchObject({ type: 'failure', error: { name: 'UnreadableOutcome' } });
  });

  it('names and messages that are no strings become strings', () => {
    const odd = Object.assign(new Error('x'), { name: 7, message: { code: 7n } });
    expect(outcomeOfThrow(odd)).toMatchObject({
      type: 'failure',
      error: { name: '7', message: '[object Object]' },
    });
  });

  it('an outcome of another version of this package is a failure, not a crash', () => {
    const later = { [Symbol.for('dynamo-backlog.outcome')]: 'postpone' };
    expect(outcomeOfReturn(later)).toMatchObject({ type: 'failure', error: { name: 'UnknownReturnValue' } });
  });
});

it('a wait beyond the longest one is shortened to it: no date lies behind it', () => {
  expect(outcomeOfThrow(new RetryAfter(1e300))).toMatchObject({ retryAfterSeconds: 365 * 86_400 });
  expect(outcomeOfThrow(new Snooze(1e300))).toMatchObject({ seconds: 365 * 86_400 });
});
