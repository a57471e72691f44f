import type { Random } from '../../src/random.js';
import { Dead, RetryAfter } from '../../src/record/index.js';
import { between, chance, pick } from './random.js';

/** What the attempts of one record do, whatever happens around them. */
export interface Script {
  readonly id: string;
  readonly insertAtMs: number;
  /** Failures before it would succeed; `Infinity` never. */
  readonly failuresFirst: number;
  /** `crash`: the first attempts, or all, end the whole process. */
  readonly crashesFirst: number;
  readonly durationMs: number;
  /** The first attempt may take longer than it may. */
  readonly firstDurationMs: number;
  readonly ignoresSignal: boolean;
  readonly end: 'success' | 'dead';
  readonly maxAttempts: number | undefined;
  /** The producer writes a new version over it at this time. */
  readonly overwriteAtMs: number | undefined;
}

export function makeScripts(random: Random, horizonMs: number): Script[] {
  const count = between(random, 3, 12);
  return Array.from({ length: count }, (_, i) => {
    const poison = chance(random, 0.08);
    const hopeless = !poison && chance(random, 0.08);
    const insertAtMs = chance(random, 0.5) ? 0 : between(random, 0, horizonMs / 2);
    return {
      id: `r${i}`,
      insertAtMs,
      failuresFirst: hopeless ? Number.POSITIVE_INFINITY : pick(random, [0, 0, 0, 1, 2]),
      crashesFirst: poison ? pick(random, [1, Number.POSITIVE_INFINITY]) : 0,
      durationMs: between(random, 1, 3_000),
      firstDurationMs: chance(random, 0.1) ? between(random, 5_000, 70_000) : between(random, 1, 3_000),
      ignoresSignal: chance(random, 0.3),
      end: chance(random, 0.1) ? ('dead' as const) : ('success' as const),
      maxAttempts: poison || hopeless ? pick(random, [1, 2, 3]) : undefined,
      overwriteAtMs: chance(random, 0.1) ? insertAtMs + between(random, 1, horizonMs / 2) : undefined,
    };
  });
}

/** Throws, or not, as the script has it for this attempt. */
export function actOut(script: Script, attempt: number, random: Random): void {
  if (attempt <= script.failuresFirst) {
    throw chance(random, 0.2) ? new RetryAfter(between(random, 0, 90)) : new Error('scripted failure');
  }
  if (script.end === 'dead') throw new Dead('scripted');
}
