import { caughtUpBy, DEFAULT_TIERS, LANES_AT_ONCE, resolvePolicy, tierBands } from 'dynamo-backlog/engine';
import type { BacklogEvent } from '../../../functions/event.js';
import type { WorkedQueue } from './queues.js';

/** A job that the worker repeats, as a rule does for a function. */
export interface Job {
  /** The name of the queue, with the tier or the part of its shards where it has several. */
  readonly name: string;
  readonly queue: string;
  readonly event: BacklogEvent;
  /** Time from the end of one run to the start of the next; of a tier, between its ticks. */
  readonly everyMs: number;
  /** The job runs at multiples of the interval, as a tier's rule does: a worker that is started again keeps its times. */
  readonly isTier: boolean;
}

/**
 * The jobs of a queue, with the events that the CDK app gives to its rules.
 *
 * @param everyMs time between looks at a queue that retries per record
 * @param timeoutSeconds of the functions, which the age bands depend on
 */
export function jobsOf(queue: WorkedQueue, everyMs: number, timeoutSeconds: number): Job[] {
  const { name, settings } = queue;
  if (settings.retryMode === 'perRecord') {
    return partsOf(settings.shards).map((part) => ({
      name: part ? `${name}/${part.number}` : name,
      queue: name,
      event: { queue: name, ...(part && { part }) },
      everyMs,
      isTier: false,
    }));
  }
  const { tiers = DEFAULT_TIERS } = settings.retry ? resolvePolicy(settings.retry) : {};
  const bands = tierBands(tiers, queue.timeoutSeconds ?? timeoutSeconds);
  return bands.flatMap((tier) => {
    const catchUp = caughtUpBy(tier, bands);
    return partsOf(settings.shards).map((part) => ({
      name: `${name}#${tier.number}${part ? `/${part.number}` : ''}`,
      queue: name,
      event: { queue: name, tier, ...(catchUp && { catchUp }), ...(part && { part }) },
      everyMs: tier.every * 1000,
      isTier: true,
    }));
  });
}

/** The parts of a queue's shards: each has as many as one run drains at a time. */
function partsOf(shards = 1): (BacklogEvent['part'] | undefined)[] {
  const of = Math.ceil(shards / LANES_AT_ONCE);
  return of === 1 ? [undefined] : Array.from({ length: of }, (_, number) => ({ number, of }));
}
