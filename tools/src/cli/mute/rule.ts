import { createHash } from 'node:crypto';
import { ConfigurationError } from 'dynamo-backlog';
import { parsePause } from 'dynamo-backlog/engine';
import { muteText as textOf } from 'dynamo-backlog/overview';
import { printable } from '../output.js';

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Schedule.html */
const MAX_MUTE_DAYS = 15;
/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MuteTargets.html */
export const MAX_ALARMS_IN_RULE = 100;

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const DAY_MS = DAY_MINUTES * MINUTE_MS;

/** Characters of a rule's name; CloudWatch takes 255. */
const MAX_TABLE = 128;
const MAX_QUEUE = 64;
const HASH_CHARACTERS = 12;

/** The options of a mute. */
export interface MuteOptions {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
}

/** The rule that mutes the alarms of one queue, as CloudWatch has it. */
export interface Mute {
  /** Its end, epoch milliseconds. Undefined: it was given another schedule by hand. */
  readonly until: number | undefined;
  /** `by ann, "the bank is down"`: what was said of it; may be empty. */
  readonly note: string;
  /** True: its time is over, and it mutes nothing. */
  readonly isOver: boolean;
}

/** One window of time, as rules have it. */
export interface MuteSchedule {
  readonly Expression: string;
  readonly Duration: string;
  readonly Timezone: string;
}

/**
 * Reads the options of a mute as an operator has typed them, by the rules of a pause.
 *
 * @throws ConfigurationError for what is no time ahead, or more than 15 days ahead, and for texts that are too long
 */
export function parseMute(
  options: { readonly until: string; readonly reason?: string | undefined; readonly by?: string | undefined },
  now: number,
): MuteOptions {
  const { until, ...note } = parsePause(options, now, 'mute');
  if (until !== undefined && until <= now + MAX_MUTE_DAYS * DAY_MS) return { until, ...note };
  throw new ConfigurationError(
    `mute.until: expected a time within ${MAX_MUTE_DAYS} days, got ${JSON.stringify(options.until)}`,
  );
}

/**
 * The name of a queue's rule: `dynamo-backlog-TABLE-QUEUE-HASH`. Other signs than letters and digits become hyphens, and long
 * names are cut; the hash keeps the rules of different queues apart.
 */
export function ruleName(table: string, queue: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([table, queue]))
    .digest('hex');
  const names = [plain(table).slice(0, MAX_TABLE), plain(queue).slice(0, MAX_QUEUE)];
  return ['dynamo-backlog', ...names, hash.slice(0, HASH_CHARACTERS)].join('-');
}

function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '-');
}

/** The window from now to `until`. CloudWatch counts in minutes, so it begins with this one and ends with a whole one. */
export function scheduleOf(now: number, until: number): MuteSchedule {
  const start = Math.floor(now / MINUTE_MS);
  const minutes = Math.min(Math.ceil(until / MINUTE_MS) - start, MAX_MUTE_DAYS * DAY_MINUTES);
  const time = new Date(start * MINUTE_MS).toISOString().slice(0, 16);
  return { Expression: `at(${time})`, Duration: isoDuration(minutes), Timezone: 'UTC' };
}

function isoDuration(minutes: number): string {
  const [days, hours, rest] = [minutes / DAY_MINUTES, (minutes % DAY_MINUTES) / 60, minutes % 60].map(
    Math.floor,
  );
  return `P${days}DT${hours}H${rest}M`;
}

/** The end of a window of `scheduleOf`, epoch milliseconds. Undefined: it is another schedule. */
export function endOf({
  Expression = '',
  Duration = '',
  Timezone,
}: Partial<MuteSchedule>): number | undefined {
  const [, start] = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d)\)$/.exec(Expression) ?? [];
  const [, ...parts] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(Duration) ?? [];
  if (start === undefined || parts.length === 0 || (Timezone ?? 'UTC') !== 'UTC') return undefined;
  const [days = 0, hours = 0, minutes = 0] = parts.map((part = '0') => Number(part));
  const end = Date.parse(`${start}Z`) + ((days * 24 + hours) * 60 + minutes) * MINUTE_MS;
  return Number.isNaN(end) ? undefined : end;
}

/** `by ann, "the bank is down"`: the description of a rule. */
export function muteNote({ by, reason }: Pick<MuteOptions, 'by' | 'reason'>): string {
  return [by && `by ${by}`, reason && `"${reason}"`].filter(Boolean).join(', ');
}

/** `until 16:00 UTC, by ann, "the bank is down"` */
export function muteText(mute: Mute, now: number): string {
  return printable(textOf(mute, now));
}
