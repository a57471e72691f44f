import type { Template } from '../../local/template/assembly.js';
import type { Difference } from './change.js';

const GUARD = { records: /GuardAgainstEmptyTable/, control: /GuardAgainstEmptyControlTable/ };

/**
 * Corrects the effect of a replaced table that a guard protects: the new template would make a parameter of the same
 * name under another logical id, so the deployment fails. docs/cdk-resources.md, "A guard against empty tables".
 */
export function guarded(
  role: keyof typeof GUARD,
  change: Difference,
  from: Template,
  to: Template,
): Difference {
  const before = guardsIn(role, from);
  const isRefused = [...guardsIn(role, to)].some(([name, id]) => before.has(name) && before.get(name) !== id);
  if (!isRefused) return change;
  return {
    ...change,
    effect: `A guard makes the deployment fail, and nothing changes. With another backlogName: ${change.effect}`,
  };
}

/** Logical ids of the guards, by the names of their parameters. */
function guardsIn(role: keyof typeof GUARD, { Resources = {} }: Template): Map<string, string> {
  const guards = Object.entries(Resources).filter(([id]) => GUARD[role].test(id));
  return new Map(guards.map(([id, { Properties }]) => [JSON.stringify(Properties?.Name), id]));
}
