import type { BacklogRecord } from 'dynamo-backlog';
import { detailTypeOf, EVENT_SOURCE, jsonOf, recordEvent } from 'dynamo-backlog/engine';

/**
 * The event about the end of a record as EventBridge hands it to its targets, without what events have only if it is asked for.
 * Undefined: it has not ended.
 */
export function eventJson(record: BacklogRecord, table: string): string | undefined {
  const detail = recordEvent(record, { table, include: new Set() });
  return detail && jsonOf({ source: EVENT_SOURCE, 'detail-type': detailTypeOf(detail.end), detail });
}
