import * as z from 'zod/mini';
import { duration } from '../support/duration.js';

/** The options of a batch that can also be given as data. */
export const batchShape = {
  maxRecords: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
  maxBytes: z.optional(z.int().check(z.minimum(1))),
  maxWait: z.optional(duration({ most: 60 })),
};
