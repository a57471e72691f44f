import * as z from 'zod/mini';
import { type Duration, duration } from '../support/duration.js';

/**
 * Limits of batches.
 *
 * @typeParam Length how lengths of time are written: in seconds, as text, or as the CDK's `Duration`
 */
export interface BatchLimits<Length = Duration> {
  /**
   * Records of one call or request at most, 1 to 1,000. A run has no more of them under attempt than its `concurrency`, which is 10
   * by default. Default: 100.
   */
  readonly maxRecords?: number | undefined;
  /** Bytes of their payloads at most, as JSON. A larger payload goes alone. Default: no limit; of a delivery 900,000. */
  readonly maxBytes?: number | undefined;
  /** The longest wait of a record for others, up to 1 minute and below `attemptTimeout`. Default: 20 ms. */
  readonly maxWait?: Length | undefined;
}

/** The schema of `BatchLimits`. */
export const batchShape = {
  maxRecords: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
  maxBytes: z.optional(z.int().check(z.minimum(1))),
  maxWait: z.optional(duration({ most: 60 })),
};
