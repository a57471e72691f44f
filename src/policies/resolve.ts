import * as z from 'zod';
import { ConfigurationError } from '../errors.js';
import { parseOptions, show } from '../validation.js';
import { constant } from './constant.js';
import { fibonacci } from './fibonacci.js';
import { none } from './none.js';
import {
  commonOptions,
  DEFAULT_MAX_AGE_SECONDS,
  type Failure,
  MAX_WAIT_SECONDS,
  type PolicyDefinition,
} from './policy.js';
import { progressive } from './progressive.js';
import type { Tier } from './tiers.js';

interface CommonOptions {
  readonly maxAttempts?: number | undefined;
  readonly maxAgeSeconds?: number | undefined;
  readonly maxWaitSeconds?: number | undefined;
  readonly jitter?:
    | 'phase'
    | 'none'
    | { type: 'phase'; amplitude?: number | undefined }
    | { type: 'none' }
    | undefined;
}

/** When to try again, as plain data: it can stand in code, in configuration, in the CDK app or on one record. */
export type RetryPolicy =
  | ({ readonly type: 'none' } & CommonOptions)
  | ({ readonly type: 'constant'; readonly intervalSeconds?: number | undefined } & CommonOptions)
  | ({ readonly type: 'fibonacci'; readonly unitSeconds?: number | undefined } & CommonOptions)
  | ({ readonly type: 'progressive'; readonly tiers?: readonly Tier[] | undefined } & CommonOptions);

// biome-ignore lint/suspicious/noExplicitAny: each definition knows its own options; the registry holds them all
const DEFINITIONS: { readonly [Type in RetryPolicy['type']]: PolicyDefinition<Type, any> } = {
  none,
  constant,
  fibonacci,
  progressive,
};

export const POLICY_TYPES = Object.keys(DEFINITIONS) as RetryPolicy['type'][];

/** A policy with its defaults filled in and its formula at hand. */
export interface ResolvedPolicy {
  readonly type: RetryPolicy['type'];
  readonly maxAttempts: number;
  readonly maxAgeSeconds: number;
  readonly maxWaitSeconds: number;
  /** Of the fixed-phase jitter; 0 for none. */
  readonly jitterAmplitude: number;
  /** The capped wait before jitter; `undefined` for never again. */
  baseWaitSeconds(failure: Failure): number | undefined;
}

/** Where the cumulated wait grows by 1 in the limit (constant waits), or not by a constant at all. */
const DEFAULT_AMPLITUDE = 0.236;

/**
 * Checks a policy and fills in its defaults.
 *
 * @throws ConfigurationError for an unknown type or key, or a value out of range
 */
export function resolvePolicy(policy: unknown, name = 'retry'): ResolvedPolicy {
  const type = typeOf(policy, name);
  const definition = DEFINITIONS[type];
  const ownShape = (definition.options as z.ZodObject).shape;
  const schema = z.strictObject({ type: z.literal(type), ...ownShape, ...commonOptions });
  const options = parseOptions(schema, policy, name);
  const amplitude = jitterAmplitude(options.jitter, definition.limitingGrowth);
  const maxWaitSeconds = options.maxWaitSeconds ?? MAX_WAIT_SECONDS;
  // The latest phase waits base * (1 + amplitude): a cap below that keeps the spread and still holds for all.
  const baseCapSeconds = maxWaitSeconds / (1 + amplitude);
  return {
    type,
    maxAttempts: Math.min(
      options.maxAttempts ?? Number.POSITIVE_INFINITY,
      definition.maxAttempts ?? Number.POSITIVE_INFINITY,
    ),
    maxAgeSeconds: options.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS,
    maxWaitSeconds,
    jitterAmplitude: amplitude,
    baseWaitSeconds(failure) {
      const wait = definition.baseWaitSeconds(options, failure);
      return wait === undefined ? undefined : Math.min(wait, baseCapSeconds);
    },
  };
}

function typeOf(policy: unknown, name: string): RetryPolicy['type'] {
  const known = POLICY_TYPES.map((type) => `"${type}"`).join(', ');
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    throw new ConfigurationError(
      `${name}: expected a retry policy such as { "type": "fibonacci" }, got ${show(policy)}`,
    );
  }
  const type = (policy as { type?: unknown }).type;
  if (typeof type !== 'string' || !Object.hasOwn(DEFINITIONS, type)) {
    throw new ConfigurationError(`${name}.type: expected one of ${known}, got ${show(type)}`);
  }
  return type as RetryPolicy['type'];
}

/**
 * The amplitude at which the waves of successive attempts tile the time line without gap or overlap, for a
 * cumulated wait that grows by the factor r: (r - 1) / (r + 1). phi^-3 = 0.236 for Fibonacci, 1/3 for doubling.
 */
function jitterAmplitude(
  jitter: { type: 'none' } | { type: 'phase'; amplitude?: number | undefined } | undefined,
  growth: number | undefined,
): number {
  if (jitter === undefined && growth === undefined) return 0;
  if (jitter?.type === 'none') return 0;
  if (jitter?.amplitude !== undefined) return jitter.amplitude;
  return growth === undefined || growth <= 1 ? DEFAULT_AMPLITUDE : (growth - 1) / (growth + 1);
}
