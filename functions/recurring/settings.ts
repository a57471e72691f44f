import * as z from 'zod/mini';
import type { Template } from '../../src/recurring/template.js';
import { readJson } from '../../src/support/settings-file.js';
import { parseOptions } from '../../src/support/validation.js';

/** Settings of the function that inserts recurring records, from its environment. */
export interface RecurringSettings {
  /** The recurring records of the CDK app, which has checked them. */
  readonly template: Template;
  /** Records are put into the index at once, as there is no intake. */
  readonly indexesAtOnce: boolean;
}

const NAME = 'BACKLOG_RECURRING';
const definitionsSchema = z.record(z.string(), z.unknown());

/** @throws ConfigurationError naming the variable */
export function readRecurringSettings(env: Readonly<Record<string, string | undefined>>): RecurringSettings {
  const definitions = parseOptions(definitionsSchema, readJson(env, NAME), NAME);
  return {
    template: new Map(Object.entries(definitions)),
    indexesAtOnce: env.BACKLOG_INDEX_AT_ONCE === 'true',
  };
}
