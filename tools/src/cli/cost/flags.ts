import { InvalidArgumentError } from 'commander';
import { parseDuration } from 'dynamo-backlog/engine';
import { MONTH_SECONDS } from '../../cost/workload.js';

const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  min: 60,
  h: 3_600,
  day: 86_400,
  month: MONTH_SECONDS,
};
const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1_000, M: 1_000_000 };
const MAX_PER_SECOND = 100_000;
/** DynamoDB's limit of an item. */
const MAX_BYTES = 409_600;
const MAX_ATTEMPT_MS = 900_000;
/** CloudWatch keeps hours for so long. */
const MAX_OVER_SECONDS = 455 * 86_400;

/** Readers of the flags of `backlog cost`. */
export const costFlags = {
  /** `10/s`, `600/min`, `1M/month`, in records per second. */
  rate(text: string): number {
    const [, amount, factor = '', unit = ''] =
      /^(\d+(?:\.\d+)?)([kM]?)\/(s|min|h|day|month)$/.exec(text) ?? [];
    const perSecond = (Number(amount) * (FACTORS[factor] ?? 1)) / (SECONDS[unit] ?? 1);
    if (perSecond > 0 && perSecond <= MAX_PER_SECOND) return perSecond;
    throw new InvalidArgumentError(
      `Expected records by time, such as 10/s, 600/min, 5k/h or 1M/month, up to ${MAX_PER_SECOND}/s.`,
    );
  },

  /** `800B`, `1KB`, in bytes. */
  size(text: string): number {
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(B|KB)$/i.exec(text) ?? [];
    const bytes = Math.ceil(Number(amount) * (unit.toUpperCase() === 'KB' ? 1_024 : 1));
    if (bytes >= 1 && bytes <= MAX_BYTES) return bytes;
    throw new InvalidArgumentError('Expected the size of a record from 1B to 400KB, such as 800B or 2KB.');
  },

  /** `5%` or `0.05`. */
  failing(text: string): number {
    const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
    const share = Number(amount) / (percent === '%' ? 100 : 1);
    if (share >= 0 && share <= 0.99) return share;
    throw new InvalidArgumentError('Expected a share of the attempts from 0% to 99%, such as 5% or 0.05.');
  },

  /** A length of time up to 15 minutes, in milliseconds. */
  attempt(text: string): number {
    const milliseconds = secondsOf(text) * 1000;
    if (milliseconds > 0 && milliseconds <= MAX_ATTEMPT_MS) return milliseconds;
    throw new InvalidArgumentError('Expected a duration up to 15m, such as 200ms or 2s.');
  },

  /** A length of time from an hour to 455 days, in seconds. */
  over(text: string): number {
    const seconds = secondsOf(text);
    if (seconds >= 3_600 && seconds <= MAX_OVER_SECONDS) return seconds;
    throw new InvalidArgumentError('Expected a duration from 1h to 455d, such as 7d.');
  },

  /** A length of time up to 5 minutes, in seconds. */
  window(text: string): number {
    const seconds = secondsOf(text);
    if (seconds >= 0 && seconds <= 300) return seconds;
    throw new InvalidArgumentError('Expected a duration from 0s to 5m, such as 5s.');
  },
};

/** Seconds of a duration with a unit; NaN for what is none. */
function secondsOf(text: string): number {
  try {
    return parseDuration(text, 'duration');
  } catch {
    return Number.NaN;
  }
}
