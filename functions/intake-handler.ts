import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { type Placed, placeRecords } from '../src/processor/index.js';
import { StoreError } from '../src/store/index.js';
import { attemptLogger, createLogger } from './logger.js';
import type { LambdaContext } from './make-handler.js';
import { emitIntakeMetrics, type IntakeMetrics } from './metrics.js';
import { once } from './once.js';
import { createParts, type HandlerParts } from './parts.js';
import { readSettings } from './settings.js';
import { parseStreamEvent } from './stream-event.js';

/** What Lambda takes from a handler of a stream: from where on it shall try again. */
export interface StreamResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** A Lambda handler for the stream of the records' table. */
export type IntakeLambdaHandler = (event: unknown, context: LambdaContext) => Promise<StreamResponse>;

/** Everything the handler touches that tests replace. */
export interface IntakeSeams extends Partial<HandlerParts> {
  readonly logger?: Logger | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly emit?: ((metrics: IntakeMetrics, table: string) => void) | undefined;
}

/**
 * Gives each record that was put without `lane` its place in the index, so that the rules find it: with that any
 * service is a producer that can put `{ id, status, payload }`. Runs no code of the user's.
 *
 * May be handed the same records again, and out of turn: it looks at the records themselves.
 */
export function intakeHandler(seams: IntakeSeams = {}): IntakeLambdaHandler {
  const { logger = createLogger(), env = process.env, emit = emitIntakeMetrics } = seams;
  const start = once(() => {
    const settings = readSettings(env);
    return { settings, parts: createParts(settings, seams) };
  });

  const handler = async (input: unknown): Promise<StreamResponse> => {
    try {
      const { settings, parts } = start();
      const changes = parseStreamEvent(input);
      const [first] = changes;
      if (!first) return { batchItemFailures: [] };
      const ids = changes.map(({ id }) => id);
      try {
        const result = await placeRecords(ids, { ...parts, logger: attemptLogger(logger) });
        report(result, settings, { logger, emit });
        return { batchItemFailures: [] };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // The stream hands over all of them again; who has a place by then is left alone.
        logger.error('intake failed, the stream comes again', error);
        return { batchItemFailures: [{ itemIdentifier: first.sequenceNumber }] };
      }
    } catch (error) {
      logger.error('intake failed', error as Error);
      throw error;
    }
  };
  const wrapped = middy<unknown, StreamResponse>({ timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger))
    .handler(handler);
  return (event, context) => wrapped(event, context as Context);
}

function report(
  { placed, skipped, refused }: Placed,
  { tables, queues }: ReturnType<typeof readSettings>,
  { logger, emit }: { logger: Logger; emit: (metrics: IntakeMetrics, table: string) => void },
): void {
  const repaired = placed.filter(({ problems }) => problems.length > 0);
  for (const { id, problems } of repaired) logger.warn('attributes replaced', { id, problems });
  const strangers = placed.filter(({ queue }) => !Object.hasOwn(queues, queue));
  for (const { id, queue } of strangers) logger.warn('no rule serves this queue', { id, queue });
  const metrics = {
    placed: placed.length,
    repaired: repaired.length,
    unknownQueue: strangers.length,
    refused,
  };
  logger.info('intake', { ...metrics, skipped });
  emit(metrics, tables.records);
}
