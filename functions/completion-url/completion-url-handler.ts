import type { Logger } from '@aws-lambda-powertools/logger';
import { handle } from 'hono/aws-lambda';
import * as z from 'zod/mini';
import type { CompletionDeps } from '../../src/client/complete.js';
import { producerRecords } from '../../src/store/dynamodb/producer-records.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Clock } from '../../src/support/clock.js';
import { systemRandom } from '../../src/support/random.js';
import { parseOptions } from '../../src/support/validation.js';
import { clockOf } from '../clock.js';
import type { LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, once } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import { readClock } from '../settings.js';
import { completionApp } from './app.js';
import { type FetchVersion, fetchVersion, signingSecret } from './signing-secret.js';

/** The parts of the handler that tests replace. */
export interface CompletionUrlSeams {
  readonly logger?: Logger | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly records?: CompletionDeps['records'] | undefined;
  readonly fetchSecret?: FetchVersion | undefined;
  readonly clock?: Clock | undefined;
  /** Real time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
}

const text = z.string().check(z.minLength(1));
const environmentSchema = z.object({ BACKLOG_TABLE: text, BACKLOG_COMPLETION_SECRET: text });

/** Ends attempts by signed links: a function with a URL. It changes one record at a time. */
export function completionUrlHandler(overrides: CompletionUrlSeams = {}): LambdaHandler<unknown> {
  const {
    logger = createLogger(),
    env = process.env,
    fetchSecret = fetchVersion,
    now = Date.now,
  } = overrides;
  const start = once(() => {
    const { BACKLOG_TABLE: table, BACKLOG_COMPLETION_SECRET: arn } = parseOptions(environmentSchema, env, '');
    const { BACKLOG_CLOCK: setting } = env;
    const clock = overrides.clock ?? clockOf(setting === undefined ? {} : { clock: readClock(setting) });
    const random = systemRandom;
    const records =
      overrides.records ?? producerRecords({ client: createDynamoDbClient(), table, clock, random });
    const onTrouble = ({ message }: Error) =>
      logger.warn('a secret could not be read again; its previous value stays in use', { reason: message });
    const secrets = signingSecret(arn, ['AWSCURRENT', 'AWSPREVIOUS'], {
      fetch: fetchSecret,
      now,
      onTrouble,
    });
    return handle(completionApp({ secrets, records, clock, random, logger }));
  });
  return lambdaHandler(logger, async (event) => start()(event as never));
}
