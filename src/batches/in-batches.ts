import * as z from 'zod/mini';
import type { BacklogRecord } from '../record/index.js';
import type { Duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import type { TaskContext } from '../tasks/index.js';
import type { AttemptContext, ProcessResult, RunOptions } from '../worker/index.js';
import type { Collect, ProcessBatch } from './batch.js';
import { Collector } from './collector.js';
import { batchShape, collectBy } from './options.js';

/** Options of `inBatches`. */
export interface BatchOptions<Payload = unknown> {
  /**
   * Records of one call at most, 1 to 1,000. A run has no more of them under attempt than its `concurrency`, which is 10 by default.
   * Default: 100.
   */
  readonly maxRecords?: number | undefined;
  /** Bytes of the payloads of one call at most, as JSON. A larger payload goes alone. Default: no limit. */
  readonly maxBytes?: number | undefined;
  /** The longest wait of a record for others, up to 1 minute. It is part of the attempt. Default: 20 ms. */
  readonly maxWait?: Duration | undefined;
  /** Names the batch that a record belongs to, such as the customer whose credentials the call uses. Default: any. */
  readonly by?: ((record: BacklogRecord<Payload>) => string) | undefined;
}

/** A `process`, and a task's `perform`, that does its work in batches. */
export interface InBatches<Payload = unknown> {
  (record: BacklogRecord<Payload>, context: AttemptContext): Promise<ProcessResult>;
  (payload: Payload, context: TaskContext): Promise<ProcessResult>;
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

interface Prepared {
  /** Called before each run of a handler. */
  prepare(run: RunOptions): void;
}

/** The function that `inBatches` makes of options that were checked. */
export function collecting<Payload>(
  processBatch: ProcessBatch,
  collect: Collect,
): InBatches<Payload> & Prepared {
  const collector = new Collector(processBatch, collect);
  const process = (given: unknown, context: AttemptContext | TaskContext) =>
    collector.add(recordOf(given, context), context);
  const prepare = ({ target, limits }: RunOptions) => {
    const { attemptTimeout } = limits;
    if (collect.maxWaitMs >= attemptTimeout * 1000) {
      const got = `${collect.maxWaitMs / 1000} s`;
      throw new ConfigurationError(
        `maxWait of a batch: expected less than the ${attemptTimeout} s of an attempt, got ${got}`,
      );
    }
    collector.expect(target.queue, limits.concurrency);
  };
  return Object.assign(process, { prepare });
}

/** The record of an attempt. A task gets its payload, and the record in the context. */
function recordOf(given: unknown, context: AttemptContext | TaskContext): BacklogRecord {
  return 'record' in context ? { ...context.record, payload: given } : (given as BacklogRecord);
}
