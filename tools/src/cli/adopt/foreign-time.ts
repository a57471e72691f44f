/** A time that another program wrote, as epoch milliseconds. */
export interface ForeignTime {
  readonly ms: number;
  /** True if it named no zone. */
  readonly zoneless: boolean;
}

/** Numbers of seconds and of milliseconds do not overlap within these years. */
const FROM_MS = Date.UTC(1990, 0);
const UNTIL_MS = Date.UTC(2100, 0);

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]+(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;
const RFC_2822 = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})$/;

/**
 * Reads epoch seconds and milliseconds (numbers, or strings of digits), ISO-8601 with or without zone, with a blank
 * for its
 * `T`, a bare date, and RFC 2822. What could be read in two ways (`11/12/2026`) is not read: undefined.
 *
 * @param offsetMinutes east of Greenwich, of times that name no zone
 */
export function readForeignTime(value: unknown, offsetMinutes = 0): ForeignTime | undefined {
  const time = readAny(value, offsetMinutes);
  return time && time.ms >= FROM_MS && time.ms < UNTIL_MS ? time : undefined;
}

function readAny(value: unknown, offsetMinutes: number): ForeignTime | undefined {
  if (typeof value === 'string') {
    const text = value.trim();
    if (/^\d{9,13}(\.\d+)?$/.test(text)) return readEpoch(Number(text));
    if (RFC_2822.test(text)) return known(Date.parse(text));
    return readIso(text, offsetMinutes);
  }
  if (typeof value === 'number' || typeof value === 'bigint') return readEpoch(Number(value));
  // A number with more digits than JavaScript's.
  const digits = (value as { value?: unknown } | null | undefined)?.value;
  return typeof digits === 'string' ? readEpoch(Number(digits)) : undefined;
}

function readEpoch(count: number): ForeignTime | undefined {
  return known(count < UNTIL_MS / 1000 ? Math.round(count * 1000) : Math.round(count));
}

function known(ms: number): ForeignTime | undefined {
  return Number.isFinite(ms) ? { ms, zoneless: false } : undefined;
}

function readIso(text: string, offsetMinutes: number): ForeignTime | undefined {
  const [whole, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone] =
    ISO.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const ms = Date.parse(written);
  // February 30th is read as March 2nd.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== written) return undefined;
  const offset = zone === undefined ? offsetMinutes : zoneOffset(zone);
  return offset === undefined ? undefined : { ms: ms - offset * 60_000, zoneless: zone === undefined };
}

function zoneOffset(zone: string): number | undefined {
  return /^[+-]/.test(zone) ? parseOffset(zone) : 0;
}

/** `+02:00`, `+0200` or `+02`, as minutes east of Greenwich. */
export function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
