import { createHash } from 'node:crypto';
import { detailTypeOf, type RecordEventDetail } from '../../src/record/index.js';
import { jsonOf } from '../../src/support/json.js';
import { MAX_DETAIL_BYTES, type OutgoingEvent } from '../events/publish.js';
import { asText } from '../service-limits.js';

/** The event about the end of a record as it goes to others: without its payload, if it would be too large. */
export function outgoingOf(detail: RecordEventDetail): OutgoingEvent {
  const { id, end, endedAt } = detail;
  return {
    type: detailTypeOf(end),
    detail: fitting(detail),
    group: hash([id]),
    deduplicationId: hash([id, end, endedAt]),
  };
}

function fitting(detail: RecordEventDetail): string {
  const text = asText(detail, jsonOf);
  if (Buffer.byteLength(text) <= MAX_DETAIL_BYTES) return text;
  const { payload: _, ...rest } = detail;
  return asText({ ...rest, omitted: ['payload'] }, jsonOf);
}

/** Names parts for a FIFO topic or queue: ids have up to 2 KB, and any character. */
export function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
