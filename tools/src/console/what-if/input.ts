import { ConfigurationError } from 'dynamo-backlog';
import { POLICY_TYPES, type ResolvedPolicy, resolvePolicy } from 'dynamo-backlog/engine';
import { shortened } from 'dynamo-backlog/overview';
import { type PolicyData, readPolicy } from '../../cli/policy-input.js';

/** A policy as a form has it: each option as text. */
export interface PolicyInput {
  readonly type: string;
  /** The options of that type, by name; absent: its default. */
  readonly options: Readonly<Record<string, string>>;
  /** The policy that was read; undefined: it is wrong. */
  readonly read: { readonly data: PolicyData; readonly policy: ResolvedPolicy } | undefined;
  /** Errors in the policy's own words, by the field; `policy` for the type. Empty: there are none. */
  readonly errors: Readonly<Record<string, string>>;
}

/** An option of a policy, and what stands for its default. */
export type PolicyOption = readonly [name: string, fallback: string];

const COMMON: readonly PolicyOption[] = [
  ['maxAttempts', 'no limit'],
  ['maxAge', '360d'],
  ['maxWait', '365d'],
  ['rounding', 'nearest'],
];
const JITTER: PolicyOption = ['jitter', 'none'];
const PHASED: PolicyOption = ['jitter', 'phase'];
const FIRST_AND_MAX: readonly PolicyOption[] = [
  ['first', '60s'],
  ['max', '1d'],
];
const WORK_QUEUE: readonly PolicyOption[] = [
  ['MaxRetries', '3'],
  ['RetryIntervalSeconds', '35'],
];

/** The options of each type; see docs/policies-reference.md. */
export const POLICY_OPTIONS: Readonly<Record<string, readonly PolicyOption[]>> = {
  none: COMMON,
  constant: [['interval', '5m'], ...COMMON, JITTER],
  linear: [['interval', '35s'], ...COMMON, JITTER],
  fibonacci: [['unit', '60s'], ...COMMON, PHASED],
  exponential: [['min', '3m'], ['base', '2'], ['unit', '60s'], ...COMMON, JITTER],
  window: [['interval', '35s'], ['base', '2'], ...COMMON],
  sidekiq: COMMON,
  buckets: COMMON,
  power: [...COMMON, JITTER],
  arctan: [['max', '1d'], ...COMMON, PHASED],
  sigmoid: [...FIRST_AND_MAX, ...COMMON, PHASED],
  saturating: [...FIRST_AND_MAX, ...COMMON, PHASED],
  list: [['waits', '["5m","10m","25m"]'], ['afterwards', 'dead'], ...COMMON, JITTER],
  progressive: [],
  NoRetry: [],
  LinearRetry: WORK_QUEUE,
  ExponentialRetry: [...WORK_QUEUE, ['ExponentialRetryBase', '2']],
};

export const CHOICES: readonly string[] = [...POLICY_TYPES, 'NoRetry', 'LinearRetry', 'ExponentialRetry'];

/**
 * Reads a policy from the fields of a form. Options that the type does not have are left out: the form had another type
 * before.
 *
 * @param text the type, or a whole policy as JSON
 * @param field the text of an option, or nothing
 */
export function readPolicyInput(text: string, field: (name: string) => string): PolicyInput {
  try {
    const whole = readPolicy(text.trim());
    const type = String(whole.type);
    const own = Object.entries(whole).filter(([name]) => name !== 'type');
    const given = (POLICY_OPTIONS[type] ?? [])
      .map(([name]) => [name, field(name).trim()] as const)
      .filter(([name, value]) => value !== '' && !Object.hasOwn(whole, name));
    const options = Object.fromEntries([...own.map(([name, value]) => [name, asText(value)]), ...given]);
    return { type, options, ...resolved(text, given) };
  } catch (error) {
    return { type: text, options: {}, read: undefined, errors: problems(error) };
  }
}

function resolved(text: string, given: readonly (readonly [name: string, value: string])[]) {
  try {
    const data = readPolicy(
      text.trim(),
      given.map(([name, value]) => `${name}=${value}`),
    );
    return { read: { data, policy: resolvePolicy(data, 'policy') }, errors: {} };
  } catch (error) {
    return { read: undefined, errors: problems(error) };
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Errors by field: the policy names the option at the beginning of each. */
function problems(error: unknown): Record<string, string> {
  if (!(error instanceof ConfigurationError)) throw error;
  const found: Record<string, string> = {};
  for (const message of error.message.split(/; (?=policy\.)/)) {
    const [, option = 'policy'] = /^policy\.(\w+)/.exec(message) ?? [];
    const field = option === 'type' ? 'policy' : option;
    found[field] = shortened(found[field] === undefined ? message : `${found[field]}; ${message}`, 400);
  }
  return found;
}
