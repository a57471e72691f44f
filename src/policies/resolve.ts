import * as z from 'zod/mini';
import { ConfigurationError } from '../support/errors.js';
import { nearest } from '../support/nearest.js';
import { parseOptions, show } from '../support/validation.js';
import { arctan } from './arctan.js';
import { buckets } from './buckets.js';
import { constant } from './constant.js';
import { exponential } from './exponential.js';
import { fibonacci } from './fibonacci.js';
import { parseJitter, resolveJitter, spread } from './jitter.js';
import { limitOptions } from './limits.js';
import { linear } from './linear.js';
import { type Formula, listOf } from './list.js';
import { none } from './none.js';
import {
  DEFAULT_MAX_AGE_SECONDS,
  type Failure,
  type FormulaWait,
  fixed,
  isFixed,
  MAX_WAIT_SECONDS,
  type PolicyDefinition,
  type WaitRange,
  waitOption,
} from './policy.js';
import { power } from './power.js';
import { progressive } from './progressive.js';
import type { ResolvedPolicy } from './resolved-policy.js';
import type { PolicyType } from './retry-policy.js';
import { saturating } from './saturating.js';
import { sidekiq } from './sidekiq.js';
import { sigmoid } from './sigmoid.js';
import type { Tier } from './tiers.js';
import { window } from './window.js';
import { fromWorkQueue, WORK_QUEUE_TYPES } from './work-queue.js';

const list = listOf((policy) => formulaOf(policy));

// biome-ignore lint/suspicious/noExplicitAny: each definition knows its own options; the registry holds them all
const DEFINITIONS: { readonly [Type in PolicyType]: PolicyDefinition<Type, any> } = {
  none,
  constant,
  linear,
  fibonacci,
  exponential,
  window,
  sidekiq,
  buckets,
  power,
  arctan,
  sigmoid,
  saturating,
  list,
  progressive,
};

export const POLICY_TYPES = Object.keys(DEFINITIONS) as PolicyType[];

/** Options that every policy takes beside its own. */
const commonOptions = {
  ...limitOptions,
  /** The longest wait, jitter included. Default and most: 365 days. */
  maxWait: z.optional(waitOption),
  /** Default: `nearest`. */
  rounding: z._default(z.enum(['nearest', 'up']), 'nearest'),
  /** Default: the fixed phase for `fibonacci`, `arctan`, `sigmoid` and `saturating`; none for the others. */
  jitter: z.optional(z.unknown()),
};

type Shape = Readonly<Record<string, z.ZodMiniType>>;
type CommonOptions = z.output<z.ZodMiniObject<typeof commonOptions>> & {
  readonly tiers?: readonly Tier<number>[];
};

const outside = z.optional(z.undefined({ error: 'expected as an option of the outer policy' }));
/** The options of a policy inside another one; its limits and its jitter are the outer one's. */
const innerOptions: { readonly [Option in keyof typeof commonOptions]: typeof outside } = {
  maxAttempts: outside,
  maxAge: outside,
  maxWait: outside,
  rounding: outside,
  jitter: outside,
};

const wholePolicy = schemas(commonOptions);
const innerPolicy = schemas(innerOptions);

/**
 * Checks a policy and fills in its defaults.
 *
 * @throws ConfigurationError for an unknown type or key, or a value out of range
 */
export function resolvePolicy(policy: unknown, name = 'retry'): ResolvedPolicy {
  const { definition, options } = parsePolicy(policy, name);
  const given = options.jitter === undefined ? undefined : parseJitter(options.jitter, `${name}.jitter`);
  if (definition.random && given && given.type !== 'none') {
    throw new ConfigurationError(
      `${name}.jitter: expected "none", as "${definition.type}" is random by itself, got "${given.type}"`,
    );
  }
  const jitter = resolveJitter(given, {
    isPhased: definition.phased === true,
    growth: definition.limitingGrowth?.(options),
  });
  const maxWait = options.maxWait ?? MAX_WAIT_SECONDS;
  const waitAfter = ({ failures, ageSeconds }: Failure) =>
    capped(definition.wait(options, { failures: Math.min(failures, MAX_FAILURES), ageSeconds }), maxWait);
  const baseWait = (failure: Failure) => {
    const wait = waitAfter(failure);
    return wait && { least: wait.least, most: wait.most };
  };
  const jitteredWait = (failure: Failure) => {
    const wait = waitAfter(failure);
    if (!wait) return undefined;
    const maximum = Math.min(maxWait, wait.maximum ?? maxWait);
    const minimum = isFixed(wait) ? Math.min(maxWait, wait.minimum ?? 0) : wait.least;
    return { ...(isFixed(wait) ? spread(wait.most, jitter, maximum) : wait), maximum, minimum };
  };
  return {
    type: definition.type,
    maxAttempts: options.maxAttempts ?? Number.POSITIVE_INFINITY,
    // The schedule by age ends with its last tier.
    maxAge: options.maxAge ?? options.tiers?.at(-1)?.untilAge ?? DEFAULT_MAX_AGE_SECONDS,
    maxWait,
    jitter,
    rounding: options.rounding,
    tiers: options.tiers,
    baseWait,
    jitteredWait,
    totals: sums((failures) => jitteredWait({ failures, ageSeconds: 0 }) ?? fixed(0)),
  };
}

/** A record may say that it has failed more often than numbers can count. */
const MAX_FAILURES = Number.MAX_SAFE_INTEGER;

/**
 * Schemas of every type with these options beside its own. Made once: a record's own policy is read at every attempt.
 */
function schemas(options: Shape): (type: PolicyType) => z.ZodMiniType<CommonOptions> {
  const made = new Map<PolicyType, z.ZodMiniType<CommonOptions>>();
  return (type) => {
    const known = made.get(type);
    if (known) return known;
    const own = DEFINITIONS[type].options as unknown as z.ZodMiniObject<Shape>;
    const whole = z.catchall(z.safeExtend(own, { type: z.literal(type), ...options }), z.never());
    const schema = whole as unknown as z.ZodMiniType<CommonOptions>;
    made.set(type, schema);
    return schema;
  };
}

/** The formula of a policy that stands inside another one. */
function formulaOf(policy: unknown): Formula {
  try {
    const { definition, options } = parseOwn(asPolicy(policy, 'afterwards'), 'afterwards', innerPolicy);
    const limitingGrowth = definition.limitingGrowth?.(options);
    return { wait: (failure) => definition.wait(options, failure), limitingGrowth };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new NestedPolicyError(error.message);
  }
}

/** A fault of a policy inside another one. The message does not name its place yet. */
class NestedPolicyError extends Error {}

function parsePolicy(input: unknown, name: string) {
  const policy = asPolicy(input, name);
  const known = WORK_QUEUE_TYPES.some((type) => type === policy.type);
  return parseOwn(known ? fromWorkQueue(policy, name) : policy, name, wholePolicy);
}

function asPolicy(policy: unknown, name: string): { readonly type?: unknown } {
  if (typeof policy === 'object' && policy !== null && !Array.isArray(policy)) return policy;
  throw new ConfigurationError(
    `${name}: expected a retry policy such as { "type": "fibonacci" }, got ${show(policy)}`,
  );
}

function parseOwn(policy: { readonly type?: unknown }, name: string, schemaOf: typeof wholePolicy) {
  const { type } = policy;
  if (typeof type !== 'string' || !Object.hasOwn(DEFINITIONS, type)) {
    const types = schemaOf === innerPolicy ? POLICY_TYPES : [...POLICY_TYPES, ...WORK_QUEUE_TYPES];
    const known = types.map((one) => `"${one}"`).join(', ');
    const hint = typeof type === 'string' ? nearest(type, types) : undefined;
    const question = hint === undefined ? '' : `; did you mean "${hint}"?`;
    throw new ConfigurationError(`${name}.type: expected one of ${known}, got ${show(type)}${question}`);
  }
  try {
    const options = parseOptions(schemaOf(type as PolicyType), policy, name);
    return { definition: DEFINITIONS[type as PolicyType], options };
  } catch (error) {
    if (error instanceof NestedPolicyError) throw new ConfigurationError(`${name}.${error.message}`);
    throw error;
  }
}

/** A wait above the cap comes down to it; one that is drawn keeps its relative width. */
function capped(wait: FormulaWait | undefined, cap: number): FormulaWait | undefined {
  if (wait === undefined || wait.most <= cap) return wait;
  const least = Number.isFinite(wait.most) ? (wait.least / wait.most) * cap : cap;
  return { ...wait, least, most: cap };
}

/** Sums of a sequence, remembered: a record's tenth failure needs all waits before it. */
function sums(term: (n: number) => WaitRange): (n: number) => WaitRange {
  const known: WaitRange[] = [fixed(0)];
  return (n) => {
    let last = known.at(-1) ?? fixed(0);
    for (let i = known.length; i <= n; i++) {
      const { least, most } = term(i);
      last = { least: last.least + least, most: last.most + most };
      known.push(last);
    }
    return known[n] ?? last;
  };
}
