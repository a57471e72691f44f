import * as z from 'zod/mini';
import { readJson } from '../../src/support/settings-file.js';
import { parseOptions } from '../../src/support/validation.js';
import { readSettings, type Settings } from '../settings.js';

/** Settings of the intake and the sweep, from their environment. */
export interface IntakeSettings extends Settings {
  /** Names or ARNs of the functions that attempt records on insertion, by queue. */
  readonly arrivalFunctions: ReadonlyMap<string, string>;
  /** Names or ARNs of the functions that retry records of a queue, by queue. Default: `arrivalFunctions`. */
  readonly functions?: ReadonlyMap<string, string> | undefined;
  /** Queues whose runs may have claimed records. Default: those of `arrivalFunctions`. */
  readonly mayBeClaimed?: ReadonlySet<string> | undefined;
  /** Queues that a record may have been in before. Default: those of `queues`. */
  readonly previousQueues?: readonly string[] | undefined;
  /** Another region's intake does the work. Default: this one does. */
  readonly isPassive?: boolean | undefined;
  /** URLs of SQS queues. Missing where nothing is attempted on arrival. */
  readonly redeliveryUrl: string | undefined;
  readonly eventDlqUrl: string | undefined;
}

const environmentSchema = z
  .object({
    BACKLOG_ARRIVAL_FUNCTIONS: z.optional(z.string()),
    BACKLOG_ARRIVAL_FUNCTIONS_FILE: z.optional(z.string()),
    BACKLOG_REDELIVERY_URL: z.optional(z.url()),
    BACKLOG_EVENT_DLQ_URL: z.optional(z.url()),
  })
  .check(
    z.refine(
      (env) => !attemptsOnArrival(env) || env.BACKLOG_REDELIVERY_URL !== undefined,
      'expected BACKLOG_REDELIVERY_URL beside BACKLOG_ARRIVAL_FUNCTIONS',
    ),
  );

type Variables = Readonly<Record<string, string | undefined>>;

function attemptsOnArrival(env: Variables): boolean {
  const { BACKLOG_ARRIVAL_FUNCTIONS: text = '{}', BACKLOG_ARRIVAL_FUNCTIONS_FILE: file } = env;
  return text !== '{}' || file !== undefined;
}

/** Queues by their function, as several may share one. In a file, pairs: a function's name may be known at deployment only. */
const name = z.string().check(z.minLength(1));
const functionsSchema = z.record(name, z.array(name));
const pairsSchema = z.array(z.tuple([name, z.array(name)]));

function readFunctions(env: Variables): (readonly [string, readonly string[]])[] {
  const variable = 'BACKLOG_ARRIVAL_FUNCTIONS';
  if (!attemptsOnArrival(env)) return [];
  const found = readJson(env, variable);
  return env[variable] === undefined
    ? parseOptions(pairsSchema, found, `${variable}_FILE`)
    : Object.entries(parseOptions(functionsSchema, found, variable));
}

/** @throws ConfigurationError naming the variable */
export function readIntakeSettings(env: Variables): IntakeSettings {
  const variables = parseOptions(environmentSchema, env, '');
  return {
    ...readSettings(env),
    arrivalFunctions: new Map(
      readFunctions(env).flatMap(([name, queues]) => queues.map((queue) => [queue, name] as const)),
    ),
    redeliveryUrl: variables.BACKLOG_REDELIVERY_URL,
    eventDlqUrl: variables.BACKLOG_EVENT_DLQ_URL,
  };
}
