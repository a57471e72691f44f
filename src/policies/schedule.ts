import type { Random } from '../support/random.js';
import { phaseOf } from './jitter.js';
import { type FormulaWait, isFixed, type WaitRange } from './policy.js';
import type { ResolvedPolicy } from './resolved-policy.js';
import { exactly, MAX_EXACT_SECONDS, nearestTick } from './tick.js';

/** A failed attempt, as far as the next one depends on it. Times in epoch milliseconds. */
export interface FailedAttempt {
  readonly id: string;
  readonly queue: string;
  /** Failures so far, this one included; and so are attempts that found the work not ready. */
  readonly failures: number;
  /** The time that the sum of the waits counts from. Undefined: not known. */
  readonly firstFailureAt: number | undefined;
  readonly failedAt: number;
  /** The time that the age counts from. */
  readonly bornAt: number;
}

export type RetryDecision =
  | {
      readonly retry: true;
      /** The due time to store: see tick.ts. */
      readonly dueAt: number;
      /** The time at which the wait is over by the policy itself. */
      readonly wanted: number;
    }
  | { readonly retry: false; readonly reason: 'maxAttempts' | 'expired' };

/** The least wait that may be kept to the second. A shorter one is none. */
const MIN_WAIT_SECONDS = 0.001;

/**
 * Decides when a failed record is due again: after the policy's wait, spread by its jitter, and kept by the rule's ticks
 * (tick.ts). A wait of less than a tick, and less than 15 minutes, is kept to the second. A fixed wait is compared before
 * its jitter; a random one as it was drawn.
 *
 * @param tickSeconds how often the queue is polled; 0: at any time
 * @param random drawn from once for a wait that is left to chance
 */
export function decideRetry(
  policy: ResolvedPolicy,
  attempt: FailedAttempt,
  tickSeconds: number,
  random: Random,
): RetryDecision {
  const { failures, failedAt, bornAt } = attempt;
  if (failures >= policy.maxAttempts) return { retry: false, reason: 'maxAttempts' };
  const failure = { failures, ageSeconds: (failedAt - bornAt) / 1000 };
  const base = policy.baseWait(failure);
  const range = policy.jitteredWait(failure);
  // A formula that says "never again" has run out of attempts, or of ages.
  if (base === undefined || range === undefined)
    return { retry: false, reason: policy.type === 'progressive' ? 'expired' : 'maxAttempts' };
  const isPhased = policy.jitter.type === 'phase' && isFixed(base);
  const wanted = isPhased
    ? phased(policy, attempt, range, tickSeconds)
    : failedAt + drawn(range, random) * 1000;
  if (wanted > bornAt + policy.maxAge * 1000) return { retry: false, reason: 'expired' };
  const said = isFixed(base) ? base.most : (wanted - failedAt) / 1000;
  const isShort = said < Math.min(tickSeconds, MAX_EXACT_SECONDS) && said >= MIN_WAIT_SECONDS;
  const earliest = policy.rounding === 'up' ? wanted : failedAt + (range.minimum ?? 0) * 1000;
  const dueAt = isShort ? exactly(wanted, earliest) : nearestTick(wanted, earliest, tickSeconds);
  return { retry: true, dueAt, wanted };
}

function drawn({ least, most }: WaitRange, random: Random): number {
  return least === most ? most : least + random() * (most - least);
}

/** The most waits that are summed. Sums take time, and spreads are wider than any tick by then. */
const MAX_SUMMED = 100;

/**
 * Returns the end of a wait with the fixed phase. A record has a line of its own through the spread of all records:
 *
 *     wait(n)  = least(n) + u (most(n) - least(n))      u: the record's phase; the range: what the jitter makes of base(n)
 *     line(n)  = first failure + the sum of its waits
 *     wanted   = last failure + wait(n), moved towards line(n) by up to half a tick
 *
 * Without the line, each tick would round away a spread that is narrower than a tick. A wait of hardly more than a tick
 * is not made shorter for the line, and a record that is far from its line (it had another policy before) ignores it.
 */
function phased(
  policy: ResolvedPolicy,
  attempt: FailedAttempt,
  range: FormulaWait,
  tickSeconds: number,
): number {
  const { failures, failedAt, firstFailureAt } = attempt;
  const phase = phaseOf(attempt.id, attempt.queue);
  const waitOf = ({ least, most }: WaitRange) => (least + phase * (most - least)) * 1000;
  const own = failedAt + waitOf(range);
  if (failures > MAX_SUMMED || firstFailureAt === undefined) return own;
  const line = firstFailureAt + waitOf(policy.totals(failures));
  const tickMs = tickSeconds * 1000;
  const isNeverEarly = policy.rounding === 'up';
  const slack = isNeverEarly ? 0 : Math.min(Math.max(0, own - failedAt - tickMs), tickMs) / 2;
  const moved = line > own + slack ? own : Math.max(line, own - slack);
  return Math.min(moved, failedAt + (range.maximum ?? policy.maxWait) * 1000);
}
