import * as z from 'zod/mini';
import type { BacklogRecord } from '../record/index.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import type { BatchSettings, InBatches, ProcessBatch } from './batch.js';
import { type BatchLimits, batchShape } from './options.js';
import { batchSettingsOf, processInBatches } from './process-in-batches.js';

/** Options of `inBatches`. */
export interface BatchOptions<Payload = unknown> extends BatchLimits {
  /** Names the batch that a record belongs to, as a string, such as the customer whose credentials the call uses. Default: any. */
  readonly by?: ((record: BacklogRecord<Payload>) => string) | undefined;
}

const optionsSchema = z.strictObject({
  ...batchShape,
  by: z.optional(
    z.custom<BatchSettings['by']>((value) => typeof value === 'function', 'expected a function'),
  ),
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
  return processInBatches(processBatch as ProcessBatch, batchSettingsOf(parsed));
}
