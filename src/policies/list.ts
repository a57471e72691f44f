import * as z from 'zod/mini';
import { nearest } from '../support/nearest.js';
import { type Failure, type FormulaWait, fixed, type PolicyDefinition, waitOption } from './policy.js';

/** A policy's formula alone, with its options filled in. */
export interface Formula {
  wait(failure: Failure): FormulaWait | undefined;
  /** The limiting growth of its sum: see PolicyDefinition. */
  readonly limitingGrowth: number | undefined;
}

interface ListOptions {
  waits: number[];
  afterwards: 'dead' | 'last' | Formula;
}

/**
 * Waits that are written down.
 *
 *     wait(n) = waits[n - 1]    5, 10, 25 minutes
 *
 * and `afterwards`: `"dead"` (the default), `"last"` for the last one again and again, or another policy, which counts
 * its failures from there.
 *
 * @param formulaOf resolves a nested policy; handed in, as it knows this one
 */
export function listOf(formulaOf: (policy: unknown) => Formula): PolicyDefinition<'list', ListOptions> {
  const end = z.transform((value: unknown, { issues }) => {
    if (value === 'dead' || value === 'last') return value;
    if (typeof value !== 'string') return formulaOf(value);
    const meant = nearest(value, ['dead', 'last']);
    const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`;
    const message = `expected "dead", "last" or a policy such as { "type": "exponential" }${hint}`;
    issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });
  return {
    type: 'list',
    options: z.object({
      waits: z._default(z.array(waitOption).check(z.minLength(1), z.maxLength(100)), [300, 600, 1500]),
      afterwards: z.prefault(end, 'dead'),
    }) as unknown as z.ZodMiniType<ListOptions>,
    wait: ({ waits, afterwards }, failure) => {
      const written = waits[failure.failures - 1];
      if (written !== undefined) return fixed(written);
      if (afterwards === 'dead') return undefined;
      if (afterwards === 'last') return fixed(waits.at(-1) ?? 0);
      return afterwards.wait({ ...failure, failures: failure.failures - waits.length });
    },
    limitingGrowth: ({ afterwards }) =>
      typeof afterwards === 'string' ? 1 : (afterwards.limitingGrowth ?? 1),
  };
}
