import type { BacklogEvent } from '../functions/event.js';
import { ConfigurationError } from '../src/errors.js';
import { caughtUpBy, type TierBand, tierBands } from '../src/policies/index.js';
import type { Worker } from './functions.js';
import type { Queue } from './queue.js';

/** What starts a queue's runs again and again: a rule or a schedule is made of it. */
export interface Tick {
  /** Of the construct; unique in its queue. */
  readonly id: string;
  readonly description: string;
  readonly everySeconds: number;
  /** Constant. */
  readonly event: BacklogEvent;
}

const POLL_SECONDS = 60;

/**
 * The ticks of one queue: one every minute, or one per tier.
 *
 * @throws ConfigurationError for a tier that the function's timeout leaves no ages
 */
export function queueTicks(queue: Queue, { timeoutSeconds }: Worker): Tick[] {
  if (queue.way === 'retry') {
    const description = `Backlog queue ${queue.name}: whatever is due`;
    return [{ id: 'Poll', description, everySeconds: POLL_SECONDS, event: { queue: queue.name } }];
  }
  const bands = tierBands(queue.tiers, timeoutSeconds);
  checkBands(queue, bands);
  return bands.map((band) => ({
    id: `Tier${band.number}`,
    description: describeBand(queue, band),
    everySeconds: band.everySeconds,
    event: { queue: queue.name, tier: band, catchUp: caughtUpBy(band, bands) },
  }));
}

/** A band starts one function timeout after the one before: a short tier may have nothing left. */
function checkBands({ name }: Queue, bands: readonly TierBand[]): void {
  for (const { number, fromAgeSeconds, untilAgeSeconds } of bands) {
    if (untilAgeSeconds <= fromAgeSeconds) {
      throw new ConfigurationError(
        `queues.${name}.progressive.tiers.${number - 1}.untilAgeSeconds: expected more than ${fromAgeSeconds} (the end ` +
          `of the tier before, and one function timeout), got ${untilAgeSeconds}`,
      );
    }
  }
}

function describeBand({ name, tiers }: Queue, { number, untilAgeSeconds }: TierBand): string {
  const from = days(tiers[number - 2]?.untilAgeSeconds ?? 0);
  return `Backlog queue ${name}, tier ${number} of ${tiers.length}: ages ${from} to ${days(untilAgeSeconds)} days`;
}

function days(seconds: number): string {
  return String(Math.round((seconds / 86_400) * 100) / 100);
}
