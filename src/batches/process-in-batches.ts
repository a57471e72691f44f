import type { BacklogRecord } from '../record/index.js';
import { ConfigurationError } from '../support/errors.js';
import type { TaskContext } from '../tasks/index.js';
import type { AttemptContext, RunOptions } from '../worker/index.js';
import type { BatchSettings, InBatches, ProcessBatch } from './batch.js';
import { Collector } from './collector.js';
import type { BatchLimits } from './options.js';

const DEFAULT_MAX_RECORDS = 100;
const DEFAULT_WAIT_SECONDS = 0.02;

/** The limits of a batch, with their defaults filled in. */
export function batchSettingsOf({
  maxRecords: givenMaxRecords,
  maxBytes = Number.POSITIVE_INFINITY,
  maxWait = DEFAULT_WAIT_SECONDS,
  by,
}: BatchLimits<number> & Pick<BatchSettings, 'by'>): BatchSettings {
  const maxRecords = givenMaxRecords ?? DEFAULT_MAX_RECORDS;
  return { maxRecords, givenMaxRecords, maxBytes, maxWaitMs: maxWait * 1000, by };
}

interface Prepared {
  /** Called before each run of a handler. */
  prepare(run: RunOptions): void;
}

/** The function that `inBatches` makes of options that were checked. */
export function processInBatches<Payload>(
  processBatch: ProcessBatch,
  settings: BatchSettings,
): InBatches<Payload> & Prepared {
  const collector = new Collector(processBatch, settings);
  const process = (given: unknown, context: AttemptContext | TaskContext) =>
    collector.add(recordOf(given, context), context);
  const prepare = ({ target, limits }: RunOptions) => {
    const { attemptTimeout } = limits;
    if (settings.maxWaitMs >= attemptTimeout * 1000) {
      const got = `${settings.maxWaitMs / 1000} s`;
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
