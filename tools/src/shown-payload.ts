import { types } from 'node:util';
import type { BacklogRecord, RedactPayload } from 'dynamo-backlog';
import { DEFAULT_QUEUE, isPlainObject, jsonOf, RECURRING_QUEUE } from 'dynamo-backlog/engine';
import { parseExactly } from './cli/exact-json.js';
import { withoutToken } from './outside-wait.js';

/** The part of a payload or a result that an operator sees, or why it is hidden. The reason does not quote it. */
export type ShownPayload = VisiblePayload | { readonly hidden: string };

interface VisiblePayload {
  readonly hidden?: undefined;
  readonly json: string;
  /** The same as a value, to look into. */
  readonly value: unknown;
  /** The payload is shown in part, or changed: the table has another one. */
  readonly isRedacted: boolean;
}

type Shown = Pick<BacklogRecord, 'id' | 'queue' | 'payload'>;

/** Names of errors that a page says. An error that a module throws may have anything in its message and its name. */
const NAMES = new Set<unknown>([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'URIError',
]);

/** @param redact default: all of a payload is shown */
export function shownPayload({ id, queue, payload }: Shown, redact?: RedactPayload): ShownPayload {
  const whole = jsonOf(payload);
  if (redact === undefined || payload === undefined)
    return { json: whole, value: payload, isRedacted: false };
  try {
    // What the hook changes in its argument, now or later, is not the record's.
    const json = jsonOf(redacted(parseExactly(whole), { id, queue }, redact));
    // The filter looks into what is on the page: an object can say one thing as JSON, and hold another.
    return { json, value: parseExactly(json), isRedacted: json !== whole };
  } catch (error) {
    return { hidden: `The payload is hidden: its redaction failed (${reasonOf(error)}).` };
  }
}

/** The answer of the hook. A schedule has the payload of its records in it, which is asked for as theirs. */
function redacted(payload: unknown, of: Parameters<RedactPayload>[1], redact: RedactPayload): unknown {
  const ask = (part: unknown, queue: string) => {
    const answer = redact(part, { ...of, queue });
    refusePromises(answer);
    return checked(answer);
  };
  const isSchedule = of.queue === RECURRING_QUEUE && isPlainObject(payload) && 'schedule' in payload;
  if (!isSchedule) return ask(payload, of.queue);
  const { queue = DEFAULT_QUEUE, payload: own } = payload;
  return own === undefined ? payload : { ...payload, payload: ask(own, String(queue)) };
}

/** The text in place of a result that may hold what the redaction keeps out of the payload. */
const HIDDEN_RESULT = 'The result is hidden, as a redaction of payloads is set.';

/** The result of a record as JSON; undefined: it has none. */
export function shownResult({ result }: BacklogRecord, redact?: RedactPayload): ShownPayload | undefined {
  if (result === undefined) return undefined;
  if (redact !== undefined) return { hidden: HIDDEN_RESULT };
  return { json: jsonOf(result), value: result, isRedacted: false };
}

/**
 * A record as JSON, in one line. A payload that is hidden is absent, and `payloadHidden` says why. Where a redaction is set, the
 * result is absent, too. The token of a wait for an end from outside is shown where it is asked for.
 */
export function recordJson(
  given: BacklogRecord,
  redact: RedactPayload | undefined,
  showsToken = false,
): string {
  const record = showsToken ? given : withoutToken(given);
  if (redact === undefined) return jsonOf(record);
  const shown = shownPayload(record, redact);
  const part = shown.hidden === undefined ? { payload: shown.value } : { payloadHidden: shown.hidden };
  return jsonOf({ ...record, result: undefined, payload: undefined, ...part });
}

/** The reason why a payload that is shown in part cannot be edited; undefined: it can be. */
export function editRefusal(shown: ShownPayload): string | undefined {
  if (shown.hidden !== undefined) return `${shown.hidden} It cannot be edited here.`;
  return shown.isRedacted ? 'Parts of the payload are hidden, so it cannot be edited here.' : undefined;
}

class NoAnswer extends Error {}

/**
 * Refuses promises, which JSON cannot hold, however deep they are in the answer. All of them are handled first: one
 * that is rejected would end the process.
 */
function refusePromises(answer: unknown): void {
  const seen = new Set<unknown>();
  const left = [answer];
  let has = false;
  for (let value = left.pop(); value !== undefined || left.length > 0; value = left.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (types.isPromise(value)) {
      has = true;
      value.catch(() => {});
    } else if (!ArrayBuffer.isView(value)) {
      // One by one: a call takes some 100,000 arguments at most.
      for (const one of value instanceof Set ? value : Object.values(value)) left.push(one);
    }
  }
  if (has) throw new NoAnswer('it answered with a promise');
}

function checked(answer: unknown): unknown {
  const { then } = Object(answer) as { readonly then?: unknown };
  if (typeof then === 'function') throw new NoAnswer('it answered with a promise');
  if (answer === undefined) throw new NoAnswer('it returned nothing');
  if (typeof answer === 'function' || typeof answer === 'symbol') {
    throw new NoAnswer(`it returned a ${typeof answer}`);
  }
  return answer;
}

function reasonOf(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  const name = nameOf(error);
  return `it threw ${NAMES.has(name) ? name : 'an error'}`;
}

function nameOf(error: unknown): unknown {
  try {
    return (error as Error).name;
  } catch {
    return undefined;
  }
}
