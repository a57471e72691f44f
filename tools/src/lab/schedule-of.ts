import {
  decideRetry,
  type Random,
  type ResolvedPolicy,
  type RetryDecision,
  type WaitRange,
} from 'dynamo-backlog/engine';

/** The choices for a schedule. */
export interface ScheduleFacts {
  /** Most failures of the schedule, unless the policy ends before. */
  readonly attempts: number;
  /** The record whose waits they are; by default the base waits, which a record in the middle of the fixed phase has. */
  readonly record?: { readonly id: string; readonly queue: string } | undefined;
  /** Draws the waits that are left to chance; by default each is the middle of its range. */
  readonly random?: Random | undefined;
}

/** The decision of a policy after one failure. Seconds, not rounded. */
export interface ScheduleRow {
  /** The number of failures, this one included: 1 at the first. */
  readonly failures: number;
  readonly waitSeconds: number;
  /** The least that any record waits here, and any draw. */
  readonly minSeconds: number;
  /** The most that any record waits here, and any draw. */
  readonly maxSeconds: number;
  /** Time from the first failure to the next attempt. */
  readonly totalSeconds: number;
}

export interface Schedule {
  readonly rows: readonly ScheduleRow[];
  /** The reason why the record is dead at the failure that follows the last row; missing where `attempts` came first. */
  readonly end?: { readonly reason: DeadReason } | undefined;
}

type DeadReason = Extract<RetryDecision, { retry: false }>['reason'];

/**
 * The waits of a record that fails at its insertion, and then whenever it is due: what the policy itself says. The
 * intervals of rules are left out.
 */
export function scheduleOf(policy: ResolvedPolicy, facts: ScheduleFacts): Schedule {
  const { attempts, record, random = () => 0.5 } = facts;
  const asked = fine(record ? policy : unphased(policy));
  const rows: ScheduleRow[] = [];
  let elapsed = 0;
  for (let failures = 1; failures <= attempts; failures++) {
    // Each failure is at time 0, which keeps the digits of short waits after long ones.
    const first = -elapsed * SECOND;
    const attempt = {
      id: record?.id ?? '',
      queue: record?.queue ?? '',
      failures,
      firstFailureAt: first,
      failedAt: 0,
      bornAt: first,
    };
    const decision = decideRetry(asked, attempt, 0, random);
    if (!decision.retry) return { rows, end: { reason: decision.reason } };
    const { least, most } = rangeOf(policy, failures, elapsed);
    // The last binary digit may fall outside of a bound.
    const wait = Math.min(Math.max(decision.wanted / SECOND, least), most);
    elapsed += wait;
    rows.push({
      failures,
      waitSeconds: wait,
      minSeconds: least,
      maxSeconds: most,
      totalSeconds: elapsed,
    });
  }
  return { rows };
}

function rangeOf(policy: ResolvedPolicy, failures: number, ageSeconds: number) {
  return policy.jitteredWait({ failures, ageSeconds }) ?? { least: 0, most: 0 };
}

/** The policy with a phase that moves nothing. */
function unphased(policy: ResolvedPolicy): ResolvedPolicy {
  if (policy.jitter.type !== 'phase') return policy;
  return { ...policy, jitter: { type: 'none' }, jitteredWait: policy.baseWait };
}

/** Due times are whole milliseconds; here a second is finer by a power of two, which rounds nothing on the way. */
const FINER = 2 ** 40;
const SECOND = 1000 * FINER;

/** The same policy on a clock that is finer. */
function fine(policy: ResolvedPolicy): ResolvedPolicy {
  const finer = ({ least, most }: WaitRange) => ({ least: least * FINER, most: most * FINER });
  const after =
    (waitOf: ResolvedPolicy['baseWait']): ResolvedPolicy['baseWait'] =>
    ({ failures, ageSeconds }) => {
      const wait = waitOf({ failures, ageSeconds: ageSeconds / FINER });
      return wait && finer(wait);
    };
  return {
    ...policy,
    maxAge: policy.maxAge * FINER,
    maxWait: policy.maxWait * FINER,
    baseWait: after(policy.baseWait),
    jitteredWait: after(policy.jitteredWait),
    totals: (failures) => finer(policy.totals(failures)),
  };
}
