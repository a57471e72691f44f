import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/delivery/headers.js';
import { type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { settle, waitOf } from '../../src/record/index.js';
import { context, NOW, record } from './records.js';

/** Two thousand in `npm run test:long`. */
const RUNS = Number(process.env.RETRY_AFTER_RUNS ?? 500);
const DAY = 86_400;
const error = { name: 'HttpError', message: 'HTTP 503' };

const policy = fc.oneof(
  fc.record({
    type: fc.constant('constant' as const),
    interval: fc.integer({ min: 1, max: 100_000 }),
    jitter: fc.constant('none' as const),
    maxWait: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
    maxAge: fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: undefined }),
  }),
  fc.record({ type: fc.constantFrom('fibonacci' as const, 'exponential' as const, 'arctan' as const) }),
);
const header = fc.oneof(
  fc.integer({ min: 0, max: 1e9 }).map(String),
  fc.constantFrom('60000000', '9'.repeat(400), '1e308', '-1', '', 'soon', 'Fri, 31 Dec 9999 23:59:59 GMT'),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.string(),
);

/** When the next attempt may be made; undefined: it is dead. */
function nextAt(given: RetryPolicy, retryAfterSeconds: number | undefined, more = {}) {
  const item = record({ attempts: 3, failures: 3, ...more });
  const { set } = settle(
    item,
    { type: 'failure', error, retryAfterSeconds },
    context({ policy: resolvePolicy(given), ...more }),
  );
  if (set.status === 'DEAD') return undefined;
  return Math.max(Date.parse(set.dueAt ?? ''), waitOf(set));
}

describe('a Retry-After', () => {
  it('of any value, under any policy, ends within the longest one, the longest wait and the last day', () => {
    const property = fc.property(
      header,
      policy,
      fc.option(fc.integer({ min: 1, max: 10 * DAY }), { nil: undefined }),
      fc.constantFrom('perRecord' as const, 'progressive' as const),
      (value, given, maxRetryAfter, retryMode) => {
        const asked = parseRetryAfter(value, NOW);
        const more = { maxRetryAfter, retryMode };
        const at = nextAt(given as RetryPolicy, asked, more);
        const without = nextAt(given as RetryPolicy, undefined, more);
        if (at === undefined || without === undefined) {
          expect(at).toBe(without);
          return;
        }
        const { maxWait, maxAge } = resolvePolicy(given as RetryPolicy);
        const most = NOW + Math.min(maxRetryAfter ?? DAY, maxWait) * 1000;
        const lastDay = NOW - 3_600_000 + maxAge * 1000;
        // On a progressive queue, a record without another turn rests until its age is over.
        if (at === lastDay + 1) return;
        // A due time that is kept to the second ends in a millisecond.
        expect(at).toBeLessThanOrEqual(Math.max(without, Math.min(most, lastDay) + 1_001));
        const kept = Math.min(most, lastDay, NOW + (asked ?? 0) * 1000);
        if (kept > Math.max(without, NOW)) expect(at).toBeGreaterThanOrEqual(kept);
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });

  it.each<[string, RetryPolicy, object, number]>([
    ['a day', { type: 'fibonacci' }, {}, DAY],
    ['what the queue says', { type: 'fibonacci' }, { maxRetryAfter: 7 * DAY }, 7 * DAY],
    ["the policy's longest wait", { type: 'fibonacci', maxWait: 7_200 }, {}, 7_200],
    ['what is left of its age', { type: 'fibonacci', maxAge: 10_000 }, {}, 6_400],
    ['what is left by its own limits', { type: 'fibonacci' }, { retry: { maxAge: 5_000 } }, 1_400],
  ])('of a year is cut to %s', (_, given, more, seconds) => {
    expect(nextAt(given, 365 * DAY, more)).toBe(NOW + seconds * 1000);
  });
});
