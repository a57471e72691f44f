import * as z from 'zod/mini';
import { parseOptions } from '../../src/validation.js';
import { parseJson, readSettings, type Settings } from '../settings.js';

/** What the intake and the sweep read from their environment. */
export interface IntakeSettings extends Settings {
  /** Names of the functions that attempt records on insertion, by queue. */
  readonly arrivalFunctions: ReadonlyMap<string, string>;
  /** URLs of SQS queues. Missing where nothing is attempted on arrival. */
  readonly returnsUrl: string | undefined;
  readonly givenUpUrl: string | undefined;
}

const environmentSchema = z
  .object({
    BACKLOG_ARRIVAL_FUNCTIONS: z._default(z.string(), '{}'),
    BACKLOG_RETURNS_URL: z.optional(z.url()),
    BACKLOG_GIVEN_UP_URL: z.optional(z.url()),
  })
  .check(
    z.refine(
      (env) => env.BACKLOG_ARRIVAL_FUNCTIONS === '{}' || env.BACKLOG_RETURNS_URL !== undefined,
      'expected BACKLOG_RETURNS_URL beside BACKLOG_ARRIVAL_FUNCTIONS',
    ),
  );

/** By the function, as several queues may share one. */
const name = z.string().check(z.minLength(1));
const functionsSchema = z.record(name, z.array(name));

/** @throws ConfigurationError naming the variable */
export function readIntakeSettings(env: Readonly<Record<string, string | undefined>>): IntakeSettings {
  const variables = parseOptions(environmentSchema, env, '');
  const functions = parseOptions(
    functionsSchema,
    parseJson(variables.BACKLOG_ARRIVAL_FUNCTIONS, 'BACKLOG_ARRIVAL_FUNCTIONS'),
    'BACKLOG_ARRIVAL_FUNCTIONS',
  );
  return {
    ...readSettings(env),
    arrivalFunctions: new Map(
      Object.entries(functions).flatMap(([name, queues]) => queues.map((queue) => [queue, name] as const)),
    ),
    returnsUrl: variables.BACKLOG_RETURNS_URL,
    givenUpUrl: variables.BACKLOG_GIVEN_UP_URL,
  };
}
