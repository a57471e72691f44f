import type { Logger } from '@aws-lambda-powertools/logger';
import {
  GROUP_EVENT_TYPE,
  type GroupEventDetail,
  groupEvent,
  waitsForGroup,
} from '../../src/groups/group-event.js';
import { END_ATTRIBUTE } from '../../src/groups/names.js';
import type { OutgoingEvent } from '../events/publish.js';
import { parseVersions, type VersionedChange } from '../intake/stream-event.js';
import { asText } from '../service-limits.js';
import { type DeliverSeams, deliverTo, type Sent } from './deliver.js';
import { hash } from './outgoing.js';
import type { Part } from './part.js';
import { readRecordEventsSettings } from './settings.js';

/**
 * Tells others of the ends of groups, from the table's stream: sends an event for the change by which the record of a group's end
 * stops waiting. What is not taken comes again.
 *
 * @throws ConfigurationError naming the variable
 */
export function sendGroupEvents(
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
  seams: DeliverSeams = {},
): Part {
  const settings = readRecordEventsSettings(env);
  const deliver = deliverTo(settings, logger, seams);
  return (input) =>
    deliver(parseVersions(input, Date.now()).flatMap((change) => sentFor(change, settings.table, logger)));
}

function sentFor(change: VersionedChange, table: string, logger: Logger): Sent[] {
  const { id, before, after } = change;
  if (!before || !after) return [];
  if (!before.record || !after.record) {
    if ([before, after].some(({ item }) => item === undefined || item[END_ATTRIBUTE] !== undefined))
      logger.error('the end of a group has no event, as its record cannot be read', { id });
    return [];
  }
  const detail = waitsForGroup(before.record) ? groupEvent(after.record, { table }) : undefined;
  return detail ? [{ change, event: outgoingOf(detail) }] : [];
}

/** The event about the end of a group as it goes to others. */
function outgoingOf(detail: GroupEventDetail): OutgoingEvent {
  const { id, createdAt, complete } = detail;
  return {
    type: GROUP_EVENT_TYPE,
    detail: asText(detail),
    group: hash([id]),
    deduplicationId: hash(['group', id, createdAt, String(complete)]),
  };
}
