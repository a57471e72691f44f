import type { RedactPayload } from 'dynamo-backlog';
import { DEFAULT_QUEUE } from 'dynamo-backlog/engine';
import { type ShownPayload, shownPayload } from '../shown-payload.js';
import type { ReadSchedule } from './find-schedules.js';

/** The payload of the records of a schedule, as far as it is shown. Undefined: they have none. */
export function shownOwnPayload(
  { recurring: { id, definition } }: ReadSchedule,
  redact: RedactPayload | undefined,
): ShownPayload | undefined {
  if (definition?.payload === undefined) return undefined;
  const { payload, queue = DEFAULT_QUEUE } = definition;
  return shownPayload({ id, queue, payload }, redact);
}

/** A recurring record for programs. A payload that is hidden is absent, and `payloadHidden` says why. */
export function definitionJson(schedule: ReadSchedule, redact: RedactPayload | undefined) {
  const { recurring } = schedule;
  const shown = shownOwnPayload(schedule, redact);
  if (shown === undefined || recurring.definition === undefined) return recurring;
  const { payload: _, ...definition } = recurring.definition;
  const part = shown.hidden === undefined ? { payload: shown.value } : { payloadHidden: shown.hidden };
  return { ...recurring, definition: { ...definition, ...part } };
}
