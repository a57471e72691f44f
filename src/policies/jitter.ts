import * as z from 'zod/mini';
import { ConfigurationError } from '../support/errors.js';
import { hash32 } from '../support/hash.js';
import { nearest } from '../support/nearest.js';
import { parseOptions, show } from '../support/validation.js';
import type { WaitRange } from './policy.js';

/** The spread of the waits of records that failed together. */
export type Jitter =
  /** A number that stays with the record for life moves its waits: see schedule.ts. */
  | { readonly type: 'phase'; readonly amplitude: number }
  /** Anything from nothing to the whole wait. */
  | { readonly type: 'full' }
  /** Half the wait, and anything up to the other half. */
  | { readonly type: 'equal' }
  /** The wait, more or less by a fraction of it. */
  | { readonly type: 'percent'; readonly percent: number }
  | { readonly type: 'none' };

type JitterType = 'phase' | 'full' | 'equal' | 'percent' | 'none';
const JITTER_TYPES: readonly JitterType[] = ['phase', 'full', 'equal', 'percent', 'none'];
const DEFAULT_PERCENT = 10;
/** The amplitude where the cumulated wait does not grow by a factor in the limit (constant waits, powers, arctan). */
const DEFAULT_AMPLITUDE = 0.236;

const SCHEMAS = {
  phase: z.strictObject({
    type: z.literal('phase'),
    /** Half the relative width of the spread; by default from the policy's growth. */
    amplitude: z.optional(z.number().check(z.minimum(0), z.lt(1))),
  }),
  full: z.strictObject({ type: z.literal('full') }),
  equal: z.strictObject({ type: z.literal('equal') }),
  percent: z.strictObject({
    type: z.literal('percent'),
    percent: z._default(z.number().check(z.minimum(0), z.maximum(100)), DEFAULT_PERCENT),
  }),
  none: z.strictObject({ type: z.literal('none') }),
} as const;

type ParsedJitter = z.output<(typeof SCHEMAS)[JitterType]>;

/**
 * Its name, or the type with its option: the `amplitude` of `phase`, from 0 to below 1, and the `percent` of `percent`,
 * 10 by default.
 */
export type JitterInput =
  | JitterType
  | { readonly type: 'phase'; readonly amplitude?: number | undefined }
  | { readonly type: 'percent'; readonly percent?: number | undefined }
  | { readonly type: 'full' | 'equal' | 'none' };

/**
 * @param name where it comes from, such as `retry.jitter`
 * @throws ConfigurationError for an unknown type or key, or a value out of range
 */
export function parseJitter(input: unknown, name: string): ParsedJitter {
  const given = typeof input === 'object' && input !== null ? (input as { type?: unknown }) : { type: input };
  const { type } = given;
  if (typeof type !== 'string' || !Object.hasOwn(SCHEMAS, type)) {
    const known = JITTER_TYPES.map((one) => `"${one}"`).join(', ');
    const meant = typeof type === 'string' ? nearest(type, JITTER_TYPES) : undefined;
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    throw new ConfigurationError(
      `${name}: expected ${known}, or such as { "type": "phase", "amplitude": 0.236 }, got ${show(input)}${hint}`,
    );
  }
  return parseOptions(SCHEMAS[type as JitterType], given, name);
}

/**
 * The jitter of a policy whose cumulated wait grows by a factor in the limit. The fixed phase has, by default, the
 * amplitude at which the waves of successive attempts tile the time line without gap or overlap:
 * (r - 1) / (r + 1) for a growth of r. phi^-3 = 0.236 for Fibonacci, 1/3 for doubling.
 *
 * @param isPhased has the fixed phase where nothing else is said
 * @param growth undefined where there is no limit
 */
export function resolveJitter(
  given: ParsedJitter | undefined,
  { isPhased, growth }: { readonly isPhased: boolean; readonly growth: number | undefined },
): Jitter {
  const jitter: ParsedJitter = given ?? { type: isPhased ? 'phase' : 'none' };
  return jitter.type === 'phase'
    ? { type: 'phase', amplitude: jitter.amplitude ?? amplitudeOf(growth) }
    : jitter;
}

function amplitudeOf(growth: number | undefined): number {
  return growth === undefined || growth <= 1 ? DEFAULT_AMPLITUDE : (growth - 1) / (growth + 1);
}

/**
 * The waits that a jitter makes of a base wait. Of the phase: those of all records together. Where a maximum leaves less
 * room above the base than below, both sides get that room, so that the mean of all records stays the base wait:
 *
 *     far below the maximum     |<----- base ----->|
 *     close to it                   |<- base ->|
 *     at it                              base           records keep the distances that their earlier waits gave them
 *
 * @param maximum no less than the base
 */
export function spread(base: number, jitter: Jitter, maximum = Number.POSITIVE_INFINITY): WaitRange {
  const around = (share: number) => {
    const room = Math.min(base * share, Math.max(0, maximum - base));
    return { least: base - room, most: base + room };
  };
  switch (jitter.type) {
    case 'phase':
      return around(jitter.amplitude);
    case 'full':
      return { least: 0, most: base };
    case 'equal':
      return { least: base / 2, most: base };
    case 'percent':
      return around(jitter.percent / 100);
    case 'none':
      return around(0);
    default:
      throw new ConfigurationError(`jitter: unknown type ${show(jitter satisfies never)}`);
  }
}

/** A number in (0, 1) that stays with the record for life: its phase. */
export function phaseOf(id: string, queue?: string): number {
  return (hash32(queue === undefined ? id : `${queue}:${id}`) + 0.5) / 2 ** 32;
}
