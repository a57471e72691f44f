import * as z from 'zod/mini';
import type { BacklogRecord } from '../record/index.js';
import type { Duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import type { Collect, InBatches, ProcessBatch } from './batch.js';
import { collectBy, collecting } from './collecting.js';
import { batchShape } from './options.js';

/** Options of `inBatches`. */
export interface BatchOptions<Payload = unknown> {
  /**
   * Records of one call at most, 1 to 1,000. A run has no more of them under attempt than its `concurrency`, which is 10 by default.
   * Default: 100.
   */
  readonly maxRecords?: number | undefined;
  /** Bytes of the payloads of one call at most, as JSON. A larger payload goes alone. Default: no limit. */
  readonly maxBytes?: number | undefined;
  /** The longest wait of a record for others, up to 1 minute and below `attemptTimeout`. Default: 20 ms. */
  readonly maxWait?: Duration | undefined;
  /** Names the batch that a record belongs to, as a string, such as the customer whose credentials the call uses. Default: any. */
  readonly by?: ((record: BacklogRecord<Payload>) => string) | undefined;
}

const optionsSchema = z.strictObject({
  ...batchShape,
  by: z.optional(z.custom<Collect['by']>((value) => typeof value === 'function', 'expected a function')),
});

/**
 * Makes the `process` of a handler, or the `perform` of a task, that does the work of several records in one call, for destinations
 * with a bulk API:
 *
 *     backlogHandler({ process: inBatches(async (records) => { … }, { maxRecords: 100 }), concurrency: 100 })
 *
 * Each record is attempted, counted, limited and retried by itself, as ever. Where a call throws and had several records, two of them
 * are tried alone. If one of these succeeds, the rest is halved until the records are found that break a batch.
 *
 * @throws ConfigurationError naming the option that is invalid
 */
export function inBatches<Payload = unknown>(
  processBatch: ProcessBatch<Payload>,
  options: BatchOptions<Payload> = {},
): InBatches<Payload> {
  if (typeof processBatch !== 'function') {
    throw new ConfigurationError(
      `inBatches: expected a function of records and a context, got ${show(processBatch)}`,
    );
  }
  const parsed = parseOptions(optionsSchema, options, 'inBatches');
  return collecting(processBatch as ProcessBatch, collectBy(parsed));
}
