import { isDeepStrictEqual } from 'node:util';
import type { RetryPolicy } from 'dynamo-backlog';
import { age, type QueueDescription, resolvePolicy } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';

/** Compares how a queue retries: its mode, its policy or tiers, and when a record is given up. */
export function compareRetries(from: QueueDescription, to: QueueDescription): Difference[] {
  return [...compareSchedules(from, to), ...compareLimits(limitsOf(from), limitsOf(to))];
}

function compareSchedules(from: QueueDescription, to: QueueDescription): Difference[] {
  if (from.retryMode !== to.retryMode) {
    const how =
      to.retryMode === 'progressive'
        ? 'A due time that is set stays; then the tiers apply.'
        : 'Then each is due when the wait that its failures ask for is over.';
    const what = `retries ${modeText(from)} → ${modeText(to)}`;
    const waits = `The first attempt waits for one function timeout (${seconds(to.timeout)}).`;
    if (from.timeout <= to.timeout) {
      return [{ kind: 'queue.retryMode', severity: 'safe', what, effect: `${waits} ${how}` }];
    }
    return [
      {
        kind: 'queue.retryMode',
        severity: 'attention',
        what,
        effect: `${waits} Runs from before may take ${seconds(from.timeout)}: a record may be attempted twice at the same time. ${how}`,
        todo: 'Pause the queue until the runs from before have ended, or change the timeout by another deployment.',
      },
    ];
  }
  if (!isDeepStrictEqual(from.tiers, to.tiers)) {
    return [
      {
        kind: 'queue.tiers',
        severity: 'safe',
        what: `tiers ${tiersText(from)} → ${tiersText(to)}`,
        effect: 'Each record is attempted by the tier of its age. Ages count as before.',
      },
    ];
  }
  if (isDeepStrictEqual(scheduleOf(from.retry), scheduleOf(to.retry))) return [];
  return [
    {
      kind: 'queue.policy',
      severity: 'safe',
      what: `policy ${policyText(from.retry)} → ${policyText(to.retry)}`,
      effect: 'Applies from the next failure of a record on. A due time that is set stays.',
    },
  ];
}

interface Limits {
  readonly maxAttempts: number;
  readonly maxAge: number;
}

function compareLimits(from: Limits | undefined, to: Limits | undefined): Difference[] {
  if (!from || !to) return [];
  const differences: Difference[] = [];
  if (from.maxAttempts !== to.maxAttempts) {
    const lower = to.maxAttempts < from.maxAttempts;
    const failed = to.maxAttempts - 1;
    const whose =
      failed > 0
        ? `A record that has failed ${failed === 1 ? 'once' : `${failed} times`} or more`
        : 'Each record';
    differences.push({
      kind: 'queue.maxAttempts',
      severity: lower ? 'attention' : 'safe',
      what: `maxAttempts ${countText(from.maxAttempts)} → ${countText(to.maxAttempts)}`,
      effect: lower
        ? `${whose} is DEAD after its next failure.`
        : 'Applies from the next failure on. Dead records stay dead until they are redriven.',
    });
  }
  if (from.maxAge !== to.maxAge) {
    const lower = to.maxAge < from.maxAge;
    differences.push({
      kind: 'queue.maxAge',
      severity: lower ? 'attention' : 'safe',
      what: `maxAge ${seconds(from.maxAge)} → ${seconds(to.maxAge)}`,
      effect: lower
        ? `A record older than ${seconds(to.maxAge)} that was attempted before becomes DEAD (expired) when a run next reads it.`
        : 'Records may become older. Dead records stay dead until they are redriven.',
    });
  }
  return differences;
}

/** Returns the limits at which records are given up; undefined for a policy that this version does not know. */
function limitsOf({ retryMode, retry }: QueueDescription): Limits | undefined {
  const fallback: RetryPolicy = { type: retryMode === 'progressive' ? 'progressive' : 'fibonacci' };
  try {
    return resolvePolicy(retry ?? fallback);
  } catch {
    return undefined;
  }
}

/** Returns a policy without its limits and tiers, which are compared by themselves. */
function scheduleOf(policy: RetryPolicy | undefined): unknown {
  const { maxAttempts, maxAge, tiers, ...rest } = { ...policy } as Record<string, unknown>;
  return { type: 'progressive', ...rest };
}

function modeText({ retryMode }: QueueDescription): string {
  return retryMode === 'progressive' ? 'by age' : 'per record';
}

/** Every interval, up to the age it ends at. */
function tiersText({ tiers = [] }: QueueDescription): string {
  return tiers.map(({ every, untilAge }) => `${seconds(every)} to ${seconds(untilAge)}`).join(', ');
}

function policyText(policy: RetryPolicy | undefined): string {
  const { type = '', ...options } = scheduleOf(policy) as { type?: string };
  const texts = Object.entries(options).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return texts.length === 0 ? type : `${type} (${texts.join(', ')})`;
}

function countText(count: number): string {
  return Number.isFinite(count) ? String(count) : 'no limit';
}

function seconds(count: number): string {
  return age(count * 1000);
}
