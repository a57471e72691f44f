import type { Logger } from '@aws-lambda-powertools/logger';
import { recordEvent } from '../../src/record/index.js';
import { parseStreamEvent, type StreamChange } from '../intake/stream-event.js';
import { type DeliverSeams, deliverTo, type Sent } from './deliver.js';
import { outgoingOf } from './outgoing.js';
import type { Part } from './part.js';
import { type RecordEventsSettings, readRecordEventsSettings } from './settings.js';

/**
 * Tells others of the ends of records: sends an event for each, from the table's stream. What is not taken comes again, so each
 * event comes at least once.
 *
 * @throws ConfigurationError naming the variable
 */
export function sendEvents(
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
  seams: DeliverSeams = {},
): Part {
  const settings = readRecordEventsSettings(env);
  const deliver = deliverTo(settings, logger, seams);
  return (input) => deliver(parseStreamEvent(input).flatMap((change) => sentFor(change, settings, logger)));
}

function sentFor(change: StreamChange, { table, queues }: RecordEventsSettings, logger: Logger): Sent[] {
  const { record, id } = change;
  if (!record) {
    logger.error('a record has no event, as it cannot be read', { id });
    return [];
  }
  const wanted = queues.get(record.queue);
  const detail = wanted && recordEvent(record, { table, include: wanted.include });
  return detail && wanted.on.has(detail.end) ? [{ change, event: outgoingOf(detail) }] : [];
}
