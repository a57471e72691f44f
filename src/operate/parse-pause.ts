import { parseTime } from '../client/delay.js';
import { parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import { pauseSchema } from './option-schemas.js';

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d) ?(?:Z|UTC)$/;
const DAY_MS = 86_400_000;

/** @inline */
export interface ParsedPause {
  /** The announced end, epoch milliseconds. */
  readonly until: number | undefined;
  /** The reason, on one line. */
  readonly reason: string | undefined;
  /** The name of the operator. */
  readonly by: string | undefined;
}

/**
 * The options of a pause, or of something else that an operator begins with a reason: `until` in epoch milliseconds.
 *
 * @param name of the options in messages
 * @throws ConfigurationError for wrong ones
 */
export function parsePause(options: unknown, now: number, name: string): ParsedPause {
  const { until, reason, by } = parseOptions(pauseSchema, options, name);
  return { until: until === undefined ? undefined : pauseEnd(until, now, `${name}.until`), reason, by };
}

/**
 * The announced end of a pause, in epoch milliseconds: a `Date`, ISO-8601, the next `16:00Z`, or `2h` from now.
 *
 * @throws ConfigurationError for what is none of these, or does not lie ahead
 */
function pauseEnd(value: unknown, now: number, name: string): number {
  const end = endOf(value, now);
  if (end !== undefined && end > now) return end;
  throw new ConfigurationError(
    `${name}: expected a time that lies ahead, such as "16:00Z", "2h" or "2026-12-24T18:00:00Z", got ${show(value)}`,
  );
}

function endOf(value: unknown, now: number): number | undefined {
  const [, hours, minutes] = (typeof value === 'string' && TIME_OF_DAY.exec(value)) || [];
  if (hours !== undefined) {
    const today = Math.floor(now / DAY_MS) * DAY_MS + (Number(hours) * 60 + Number(minutes)) * 60_000;
    return today > now ? today : today + DAY_MS;
  }
  return parsed(() => parseTime(value, '')) ?? parsed(() => now + parseDuration(value as string, '') * 1000);
}

function parsed(parse: () => number): number | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
