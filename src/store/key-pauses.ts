import { isKey } from '../record/key.js';
import { parseIso } from '../support/clock.js';
import { isPauseText } from './pause-text.js';

/** The pause of one key of a queue. No run attempts its records; those of other keys go on. */
export interface KeyPause {
  /** The key, a customer or tenant. */
  readonly key: string;
  /** The time at which it began, ISO-8601. */
  readonly since: string;
  /** The time at which it ends by itself, ISO-8601. Absent: an operator ends it. */
  readonly until?: string | undefined;
  /** The reason, as `isPauseText` takes it. */
  readonly reason?: string | undefined;
  /** The name of the operator, in the same form. */
  readonly by?: string | undefined;
}

/** Keys of a queue that are paused at a time: a run reads them with each page. */
export const MAX_PAUSED_KEYS = 20;
/** Characters of the longest text of that many pauses: their names and texts as JSON has them. */
const MAX_TEXT = 100_000;

interface ParsedKeyPauses {
  readonly pauses: readonly KeyPause[];
  /** The text is not as the library writes it: what cannot be read of it counts as none. */
  readonly isDamaged: boolean;
}

/** Reads the paused keys of a queue's item, which any service may have written. */
export function parseKeyPauses(text: string | undefined): ParsedKeyPauses {
  if (text === undefined) return { pauses: [], isDamaged: false };
  const entries = listOf(text);
  if (!entries) return { pauses: [], isDamaged: true };
  const read = entries.slice(0, MAX_PAUSED_KEYS).flatMap((entry) => parseOne(entry) ?? []);
  const pauses = [...new Map(read.map((pause) => [pause.key, pause])).values()];
  return { pauses, isDamaged: pauses.length < entries.length };
}

/** The text of paused keys. Undefined: there are none. */
export function keyPausesText(pauses: readonly KeyPause[]): string | undefined {
  return pauses.length === 0 ? undefined : JSON.stringify(pauses);
}

/** The end of a pause, epoch milliseconds. Infinite: an operator ends it. */
export function endOfKeyPause({ until }: Pick<KeyPause, 'until'>): number {
  return until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
}

/** The pauses of a queue's item that are not over. */
export function keyPausesNow(text: string | undefined, now: number): KeyPause[] {
  return parseKeyPauses(text).pauses.filter((pause) => endOfKeyPause(pause) > now);
}

function listOf(text: string): readonly unknown[] | undefined {
  if (text.length > MAX_TEXT) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** A pause whose end cannot be read is none: it would never end by itself. */
function parseOne(entry: unknown): KeyPause | undefined {
  const { key, since, until, reason, by } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const [begin, end] = [parseIso(since), parseIso(until)];
  if (!isKey(key) || begin === undefined || (until !== undefined && end === undefined)) return undefined;
  return {
    key,
    since: begin,
    ...(end === undefined ? {} : { until: end }),
    ...(isPauseText(reason) ? { reason } : {}),
    ...(isPauseText(by) ? { by } : {}),
  };
}
