import {
  type BacklogRecord,
  ConfigurationError,
  type RedactPayload,
  type Selection,
  type Status,
} from 'dynamo-backlog';
import {
  type PayloadMatch,
  parseDuration,
  parseSelection,
  QUEUE_PATTERN,
  STATUSES,
} from 'dynamo-backlog/engine';
import { parseExactly } from '../../cli/exact-json.js';
import { shownPayload } from '../../shown-payload.js';
import { link } from '../parts.js';

/** A filter as the address has it, each part as text. Empty: not filtered by that. */
export interface FilterText {
  readonly queue: string;
  /** A status, or empty for all that are not finished: `NEW`, `ERROR` and `DEAD`. */
  readonly status: string;
  /** Part of the last error's name, message, or the reason of the death. */
  readonly error: string;
  /** Inserted within this duration, such as `3h`. */
  readonly younger: string;
  /** Inserted longer ago than this duration. */
  readonly older: string;
  /** The beginning of the id. */
  readonly id: string;
  /** The key, a customer or tenant: the whole of it. */
  readonly key: string;
  /** `path=value` in the payload, such as `customer.id=7`. */
  readonly where: string;
  /** Failed last within this duration. */
  readonly failedWithin: string;
  /** Failed last longer ago than this duration. */
  readonly failedBefore: string;
  /** The pattern of the last error's message: see src/operate/message-pattern.ts. */
  readonly pattern: string;
  /** The last error's class, or its cause: `HttpError 503`, `HttpError 503 erp.example.com`. */
  readonly errorName: string;
}

/** A filter that was checked. */
export interface RecordFilter {
  readonly text: FilterText;
  readonly queue: string | undefined;
  readonly statuses: readonly Status[];
  /** The same as a selection, which jobs store. */
  readonly selection: Selection;
  /** Nothing but a queue and a state is filtered by. */
  readonly isByState: boolean;
  /** Each record has to be read to know if it matches: the index knows only queue, and dead or not. */
  readonly examines: boolean;
  readonly matches: (record: BacklogRecord, now: number) => boolean;
}

const NAMES = [
  'queue',
  'status',
  'error',
  'younger',
  'older',
  'id',
  'key',
  'where',
  'failedWithin',
  'failedBefore',
  'pattern',
  'errorName',
] as const satisfies readonly (keyof FilterText)[];

/** The states of records that are not finished. */
export const OPEN: readonly Status[] = ['NEW', 'ERROR', 'DEAD'];
const MAX_CHARACTERS = 2_100;

/** Reads the filter of an address. @param value gives a part of the query */
export function readFilter(value: (name: string) => string | undefined): FilterText {
  const entries = NAMES.map((name) => {
    const text = value(name) ?? '';
    // A key may begin or end with a space.
    return [name, (name === 'key' ? text : text.trim()).slice(0, MAX_CHARACTERS)];
  });
  return Object.fromEntries(entries) as Record<keyof FilterText, string>;
}

/**
 * Checks a filter.
 *
 * @param redact then it looks into what is shown of a payload: hidden values cannot be guessed by it
 * @throws ConfigurationError that says which part is invalid
 */
export function parseFilter(text: FilterText, redact?: RedactPayload): RecordFilter {
  const selection = selectionOf(text);
  const { matches: matchesShown } = parseSelection(selection, { actsOn: STATUSES }, 'filter');
  const matches = (record: BacklogRecord, now: number) =>
    matchesShown(
      text.where === '' || redact === undefined ? record : { ...record, payload: payloadOf(record, redact) },
      now,
    );
  const isByState = NAMES.every((name) => name === 'queue' || name === 'status' || text[name] === '');
  // One lane has both: the index does not tell NEW and ERROR apart.
  const isHalfLane = text.status === 'NEW' || text.status === 'ERROR';
  return {
    text,
    queue: text.queue || undefined,
    statuses: selection.status,
    selection,
    isByState,
    examines: !isByState || isHalfLane,
    matches,
  };
}

/** The address of a filter with some parts changed. */
export function filterLink(path: string, text: FilterText, changes: Partial<FilterText> = {}): string {
  return link(path, { ...text, ...changes });
}

type OfStatuses = Selection & { readonly status: readonly Status[] };

function selectionOf(text: FilterText): OfStatuses {
  const { queue, status, error, id, key, errorName, pattern } = text;
  if (queue && !QUEUE_PATTERN.test(queue))
    throw new ConfigurationError('Queue: there is no queue of such a name');
  const known = STATUSES.find((one) => one === status);
  if (status && !known) throw new ConfigurationError(`State: expected ${STATUSES.join(', ')}`);
  return {
    ...{ queue: queue || undefined, status: known ? [known] : OPEN, errorName: errorName || undefined },
    ...{ errorContains: error || undefined, messagePattern: pattern || undefined, idPrefix: id || undefined },
    key: key || undefined,
    youngerThan: durationOf(text.younger, 'Inserted within'),
    olderThan: durationOf(text.older, 'Inserted before'),
    failedWithin: durationOf(text.failedWithin, 'Failed within'),
    failedBefore: durationOf(text.failedBefore, 'Failed before'),
    payload: parseWhere(text.where),
  };
}

function durationOf(text: string, name: string): string | undefined {
  if (text === '') return undefined;
  parseDuration(text, name);
  return text;
}

function parseWhere(text: string): PayloadMatch | undefined {
  if (text === '') return undefined;
  const at = text.indexOf('=');
  if (at < 1) throw new ConfigurationError('Payload: expected a path and a value, such as customer.id=7');
  const [path, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  return { path, equals: jsonOrText(value) };
}

/** Reads a value as the command line does: `7` is a number, `"7"` a text, and so is `x`. */
function jsonOrText(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

/** The payload as it is shown. Undefined, which no filter can ask for, where it is hidden. */
function payloadOf(record: BacklogRecord, redact: RedactPayload): unknown {
  const shown = shownPayload(record, redact);
  return shown.hidden === undefined ? shown.value : undefined;
}
