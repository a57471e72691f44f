import * as z from 'zod/mini';
import type { TierBand } from '../src/policies/index.js';
import { MAX_SHARDS } from '../src/record/index.js';
import { ConfigurationError } from '../src/support/errors.js';
import { parseOptions, show } from '../src/support/validation.js';
import type { Arrivals } from '../src/worker/index.js';
import type { QueueSettings } from './settings.js';

/**
 * The queue that a run is to drain: the constant input of an EventBridge rule, or what the intake sends. In place of `queue`, a
 * rule's input may have `queues`: several of them with their weights, which share all the rest.
 */
export interface BacklogEvent {
  readonly queue: string;
  /** The age band of the rule; on a progressive queue only, and there always. */
  readonly tier?: TierBand | undefined;
  /** The bands of all slower tiers, on the hourly rule: it makes up for their missed runs. */
  readonly catchUp?: readonly TierBand[] | undefined;
  /**
   * The part of the queue's shards that is this run's, if several runs share them: its number, from 0, and the number
   * of parts.
   */
  readonly part?: { readonly number: number; readonly of: number } | undefined;
  /** The time from which on a due time that is kept to the second is attempted, and nothing else: from the intake, epoch milliseconds. */
  readonly exactSince?: number | undefined;
  /** Records that have just come, from the intake. */
  readonly arrivals?: Arrivals | undefined;
}

const band = z
  .strictObject({
    number: z.int().check(z.minimum(1)),
    every: z.number().check(z.positive()),
    fromAge: z.number().check(z.minimum(0)),
    untilAge: z.number().check(z.positive()),
    last: z.boolean(),
  })
  .check(z.refine((tier) => tier.untilAge > tier.fromAge, 'expected untilAge above fromAge'));

const part = z
  .strictObject({
    number: z.int().check(z.minimum(0)),
    of: z.int().check(z.minimum(1), z.maximum(MAX_SHARDS)),
  })
  .check(z.refine(({ number, of }) => number < of, 'expected a number below "of"'));

const text = z.string().check(z.minLength(1));
const work = { tier: z.optional(band), catchUp: z.optional(z.array(band)), part: z.optional(part) };
const eventSchema = z.strictObject({
  queue: text,
  ...work,
  exactSince: z.optional(z.int()),
  arrivals: z.optional(
    z.strictObject({
      batch: text,
      ids: z.array(text).check(z.minLength(1)),
      light: z.optional(z.int().check(z.minimum(0))),
    }),
  ),
});

const sharedSchema = z.strictObject({ queues: z.record(text, z.number().check(z.positive())), ...work });

export type ParsedEvent = BacklogEvent & { readonly settings: QueueSettings };

/** One queue of an event. */
interface QueueEvent {
  /** Its weight among the others. */
  readonly weight: number;
  /** @throws ConfigurationError if the event does not fit the queue; the other queues are none the worse for it */
  parse(): ParsedEvent;
}

/**
 * Reads a rule's event: one for a queue, or one for several that a function serves together.
 *
 * @throws ConfigurationError that says what the rule's input should be
 */
export function eventsIn(event: unknown, queues: Readonly<Record<string, QueueSettings>>): QueueEvent[] {
  const isOfSeveral = typeof event === 'object' && event !== null && 'queues' in event;
  if (!isOfSeveral) return [{ parse: () => parseEvent(event, queues), weight: 1 }];
  const { queues: weights, ...shared } = parseOptions(sharedSchema, event, 'event');
  const each = Object.entries(weights);
  if (each.length === 0) throw new ConfigurationError('event.queues: expected at least one queue, got {}');
  return each.map(([queue, weight]) => ({ parse: () => parseEvent({ ...shared, queue }, queues), weight }));
}

/**
 * Reads a rule's event and checks that it fits the queue it names.
 *
 * @throws ConfigurationError that says what the rule's input should be
 */
export function parseEvent(event: unknown, queues: Readonly<Record<string, QueueSettings>>): ParsedEvent {
  if (isBareScheduledEvent(event)) {
    throw new ConfigurationError(
      'event: this is EventBridge\'s own event: give the rule a constant input such as { "queue": "default" }',
    );
  }
  const parsed = parseOptions(eventSchema, event, 'event');
  const settings = Object.hasOwn(queues, parsed.queue) ? queues[parsed.queue] : undefined;
  if (!settings) {
    const known = Object.keys(queues).map(show).join(', ');
    throw new ConfigurationError(
      `event.queue: expected a queue of BACKLOG_QUEUES (${known}), got ${show(parsed.queue)}`,
    );
  }
  checkTier(parsed, settings);
  return { ...parsed, settings };
}

function checkTier(event: BacklogEvent, { retryMode }: QueueSettings): void {
  if (event.exactSince !== undefined && (retryMode === 'progressive' || event.arrivals)) {
    throw new ConfigurationError(
      `event.exactSince: expected nothing beside arrivals, and on a progressive queue, got it on ${show(event.queue)}`,
    );
  }
  if (event.arrivals) {
    if (!event.tier && !event.catchUp && !event.part) return;
    throw new ConfigurationError(
      'event.arrivals: expected neither tier nor catchUp nor part beside it, got both kinds',
    );
  }
  if (retryMode === 'progressive' && !event.tier) {
    throw new ConfigurationError(
      `event.tier: expected an age band, as the queue ${show(event.queue)} is progressive, got nothing`,
    );
  }
  for (const key of ['tier', 'catchUp'] as const) {
    if (retryMode === 'perRecord' && event[key]) {
      throw new ConfigurationError(
        `event.${key}: expected nothing, as the queue ${show(event.queue)} retries per record, got ${show(event[key])}`,
      );
    }
  }
}

function isBareScheduledEvent(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  return 'detail-type' in event && 'source' in event && !('queue' in event);
}
