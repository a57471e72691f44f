import * as z from 'zod/mini';
import type { QueueCounts } from '../operate/queue-stats.js';
import { type RetryPolicy, resolvePolicy } from '../policies/index.js';
import { type Item, MAX_SHARDS, type RetryMode } from '../record/index.js';

/**
 * The monitor's note of a queue in the control table, for screens and commands: counts that would cost much if each
 * of them counted, and what only the app knows.
 */
export interface Reading {
  /** The backlog's time at which the records were counted, ISO-8601. */
  readonly at: string;
  /** The counts. */
  readonly counts: QueueCounts;
  /** Estimate of the waiting records that have failed. */
  readonly inRetry?: number | undefined;
  /** Lanes that may hold the queue's records: those of its shards, and earlier ones that are not empty yet. */
  readonly shards: number;
  /** Its retry mode. */
  readonly retryMode: RetryMode;
  /** The policy that the app gives. Default: that of its retry mode. */
  readonly retry?: RetryPolicy | undefined;
  /** False: its runs make no probes. Default: they do. */
  readonly probes?: boolean | undefined;
}

const time = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  z.refine((text) => !Number.isNaN(Date.parse(text))),
);
const count = z.int().check(z.gte(0));
const seconds = z.number().check(z.gte(0));
const readingSchema = z.object({
  at: time,
  shards: z.int().check(z.gte(1), z.lte(MAX_SHARDS)),
  retryMode: z.enum(['perRecord', 'progressive']),
  retry: z.optional(z.unknown()),
  probes: z.optional(z.boolean()),
  inRetry: z.optional(count),
  counts: z.object({
    pending: count,
    dead: count,
    oldestDueAt: z.optional(z.string()),
    lagSeconds: z.optional(seconds),
    due: z.optional(z.object({ now: count, minute: count, hour: count, day: count })),
    ages: z.optional(
      z.array(z.object({ fromAgeSeconds: seconds, untilAgeSeconds: z.optional(seconds), count })),
    ),
    delayed: z.optional(count),
  }),
});

/** Turns a reading into an item, without what is undefined. */
export function readingItem(reading: Reading): Item {
  return JSON.parse(JSON.stringify(reading)) as Item;
}

/** Reads an item back. Undefined: there is none, or the library has not written it. */
export function parseReading(item: Item | undefined): Reading | undefined {
  const parsed = readingSchema.safeParse(item);
  if (!parsed.success) return undefined;
  const { retry, counts, ...reading } = parsed.data;
  const { oldestDueAt, ...others } = counts;
  const ages = others.ages?.map(({ untilAgeSeconds, ...band }) => ({ ...band, untilAgeSeconds }));
  return {
    ...reading,
    counts: { ...others, oldestDueAt, ages },
    ...(isPolicy(retry) ? { retry } : {}),
  };
}

function isPolicy(retry: unknown): retry is RetryPolicy {
  if (retry === undefined) return false;
  try {
    resolvePolicy(retry);
    return true;
  } catch {
    return false;
  }
}
