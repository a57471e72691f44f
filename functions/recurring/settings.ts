import * as z from 'zod/mini';
import { checkName, type Definition, parseDefinition } from '../../src/recurring/function.js';
import { readJson } from '../../src/support/settings-file.js';
import { parseOptions } from '../../src/support/validation.js';

/** Settings of the function that inserts recurring records, from its environment. */
export interface RecurringSettings {
  /** The recurring records of the CDK app, by name. */
  readonly template: ReadonlyMap<string, Definition>;
  /** Records are put into the index at once, as there is no intake. */
  readonly indexesAtOnce: boolean;
}

const NAME = 'BACKLOG_RECURRING';
const definitionsSchema = z.record(z.string(), z.unknown());

/** @throws ConfigurationError naming the variable, and the recurring record in it */
export function readRecurringSettings(env: Readonly<Record<string, string | undefined>>): RecurringSettings {
  const definitions = parseOptions(definitionsSchema, readJson(env, NAME), NAME);
  const template = Object.entries(definitions).map(([name, definition]) => {
    checkName(name, NAME);
    return [name, parseDefinition(definition, `${NAME}.${name}`)] as const;
  });
  return { template: new Map(template), indexesAtOnce: env.BACKLOG_INDEX_AT_ONCE === 'true' };
}
