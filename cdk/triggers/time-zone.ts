import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';
import { isExternal } from '../props/external.js';
import type { Queue } from '../props/queue.js';

const HOUR = 3_600;

/**
 * Checks that a time zone has an effect. It moves only the tiers that start by the clock; a rate is the same everywhere.
 *
 * @throws ConfigurationError if it would have no effect
 */
export function checkTimeZone(zone: string | undefined, trigger: string, queues: readonly Queue[]): void {
  if (zone === undefined) return;
  if (trigger !== 'scheduler') {
    throw new ConfigurationError(
      `Backlog.timeZone: expected with trigger "scheduler" only, as rules know UTC alone, got ${show(zone)}`,
    );
  }
  // A process starts its tiers by itself.
  const tiers = queues.flatMap((queue) => (isExternal(queue) ? [] : queue.tiers));
  if (!tiers.some(({ every }) => clockCron(every) !== undefined)) {
    throw new ConfigurationError(
      'Backlog.timeZone: expected a progressive queue with a tier of 2, 3, 4, 6, 8, 12 or 24 hours, which is what it ' +
        `has an effect on, got ${show(zone)} and no such tier`,
    );
  }
}

/**
 * The turns of an interval on the clock on the wall, from midnight on: those of 2 hours up to a day that divide one.
 * A cron expression cannot say the others, and an hourly one would leave out an hour when the clocks go back.
 */
export function clockCron(every: number): string | undefined {
  const hours = every / HOUR;
  if (!Number.isInteger(hours) || hours < 2 || 24 % hours !== 0) return undefined;
  return hours === 24 ? 'cron(0 0 * * ? *)' : `cron(0 0/${hours} * * ? *)`;
}
