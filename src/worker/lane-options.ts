import * as z from 'zod/mini';
import { MAX_SHARDS } from '../record/index.js';

// The options of a queue's lanes, which the CDK app gives, and not the code of a handler: its intake and its rules know them, too. Each
// is declared here and nowhere else.

/** Options of the lanes that a queue's records wait in. */
export interface LaneOptions {
  /**
   * Lanes that the queue's records are spread over, by their ids: 1 to 32. You can change the number at any time, while records
   * wait.
   *
   * Each lane is a partition of the index: 1,000 write units a second, or 500 records that are indexed and removed. Claims on
   * arrivals are spread, too. Default: 1.
   */
  readonly shards?: number | undefined;
  /**
   * Fairness between records that name a `key`, such as a customer or tenant: a key of which many records come, or fail, does not
   * delay those of others.
   *
   * A key of which more than ten records come, beyond one a second, has its records indexed in a lane of its own, where no run on
   * arrival has room for them. A run then attempts those of all other keys first, and the busy keys take turns. Each run of the rule
   * reads the item of the queue for that: one read unit. Not for a progressive queue, and beside at most 24 shards. Default: false.
   */
  readonly fairness?: boolean | undefined;
}

/** The schema of each option. */
export const laneOptions = {
  shards: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_SHARDS))),
  fairness: z.optional(z.boolean()),
} satisfies Record<keyof LaneOptions, unknown>;
