import type { Logger } from '@aws-lambda-powertools/logger';
import type { BatchResponse } from '../intake/intake-handler.js';
import { parseStreamPlaces } from '../intake/stream-event.js';
import type { LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, logFailure } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import type { CountGroupsSeams } from './count-groups.js';
import type { DeliverSeams } from './deliver.js';
import type { Part } from './part.js';

/** The parts of the handler that tests replace. */
export interface RecordEventsSeams extends DeliverSeams, CountGroupsSeams {
  readonly logger?: Logger | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Reads the table's stream for what goes beyond attempts: tells others of the ends of records and groups, and counts the members
 * of groups.
 * Each part is loaded only if its setting is there. What a part fails with does not keep the other one from its work, which does
 * the same work again when the batch comes again.
 */
export function recordEventsHandler(overrides: RecordEventsSeams = {}): LambdaHandler<BatchResponse> {
  const { logger = createLogger(), env = process.env } = overrides;
  const parts = partsOf(env, logger, overrides);
  // An invocation reports what it fails with; there may be none.
  for (const part of parts) part.catch(() => {});
  const handle = async (input: unknown): Promise<BatchResponse> => {
    const done = await Promise.allSettled(parts.map(async (part) => (await part)(input)));
    const failure = done.find((one) => one.status === 'rejected');
    if (failure) throw failure.reason;
    const again = new Set(done.map((one) => (one.status === 'fulfilled' ? one.value : undefined)));
    // The stream comes again from the first of them on.
    const first = parseStreamPlaces(input).find((place) => again.has(place));
    return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] };
  };
  return lambdaHandler(logger, handle, [logFailure(logger, 'events of records failed')]);
}

function partsOf(
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
  seams: RecordEventsSeams,
): Promise<Part>[] {
  const parts: Promise<Part>[] = [];
  const countsGroups = env.BACKLOG_GROUPS === 'true';
  const sendsEvents =
    !countsGroups || env.BACKLOG_RECORD_EVENTS !== undefined || env.BACKLOG_RECORD_EVENTS_FILE !== undefined;
  if (sendsEvents)
    parts.push(import('./send-events.js').then(({ sendEvents }) => sendEvents(env, logger, seams)));
  if (env.BACKLOG_GROUP_EVENTS === 'true')
    parts.push(
      import('./send-group-events.js').then(({ sendGroupEvents }) => sendGroupEvents(env, logger, seams)),
    );
  if (countsGroups)
    parts.push(import('./count-groups.js').then(({ countGroups }) => countGroups(env, logger, seams)));
  return parts;
}
