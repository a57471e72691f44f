import * as z from 'zod/mini';
import { parseOptions } from '../../src/validation.js';
import { parseJson, readSettings, type Settings } from '../settings.js';

/** What the intake and the sweep read from their environment. */
export interface IntakeSettings extends Settings {
  /** Names or ARNs of the functions that attempt records on insertion, by queue. */
  readonly arrivalFunctions: ReadonlyMap<string, string>;
  /** Queues whose runs may have claimed records. Default: those of `arrivalFunctions`. */
  readonly mayBeClaimed?: ReadonlySet<string> | undefined;
  /** Queues that a record may have been in before. Default: those of `queues`. */
  readonly formerQueues?: readonly string[] | undefined;
  /** URLs of SQS queues. Missing where nothing is attempted on arrival. */
  readonly redeliveryUrl: string | undefined;
  readonly eventDlqUrl: string | undefined;
}

const environmentSchema = z
  .object({
    BACKLOG_ARRIVAL_FUNCTIONS: z._default(z.string(), '{}'),
    BACKLOG_REDELIVERY_URL: z.optional(z.url()),
    BACKLOG_EVENT_DLQ_URL: z.optional(z.url()),
  })
  .check(
    z.refine(
      (env) => env.BACKLOG_ARRIVAL_FUNCTIONS === '{}' || env.BACKLOG_REDELIVERY_URL !== undefined,
      'expected BACKLOG_REDELIVERY_URL beside BACKLOG_ARRIVAL_FUNCTIONS',
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
    redeliveryUrl: variables.BACKLOG_REDELIVERY_URL,
    eventDlqUrl: variables.BACKLOG_EVENT_DLQ_URL,
  };
}
