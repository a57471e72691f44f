import type { BacklogRecord } from 'dynamo-backlog';
import {
  detailTypeOf,
  EVENT_SOURCE,
  GROUP_EVENT_TYPE,
  groupEvent,
  jsonOf,
  recordEvent,
} from 'dynamo-backlog/engine';

/**
 * The event about the end of a record as EventBridge hands it to its targets, without what events have only if it is asked for.
 * Undefined: it has not ended.
 */
export function eventJson(record: BacklogRecord, table: string): string | undefined {
  const detail = recordEvent(record, { table, include: new Set() });
  return detail && jsonOf({ source: EVENT_SOURCE, 'detail-type': detailTypeOf(detail.end), detail });
}

/** The event about the end of a group, by the record of its end. Undefined: it has not ended, or that is another record. */
export function groupEventJson(record: BacklogRecord, table: string): string | undefined {
  const detail = groupEvent(record, { table });
  return detail && jsonOf({ source: EVENT_SOURCE, 'detail-type': GROUP_EVENT_TYPE, detail });
}
