import * as z from 'zod/mini';
import { duration } from '../support/duration.js';
import type { Collect } from './batch.js';

const DEFAULT_MAX_RECORDS = 100;
const DEFAULT_WAIT_SECONDS = 0.02;

/** The options of a batch that can also be given as data. */
export const batchShape = {
  maxRecords: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
  maxBytes: z.optional(z.int().check(z.minimum(1))),
  maxWait: z.optional(duration({ most: 60 })),
};

/** The limits of a batch, with their defaults filled in. */
export function collectBy({
  maxRecords: asked,
  maxBytes = Number.POSITIVE_INFINITY,
  maxWait = DEFAULT_WAIT_SECONDS,
  by,
}: { [Name in keyof typeof batchShape]?: number | undefined } & Pick<Collect, 'by'>): Collect {
  return { maxRecords: asked ?? DEFAULT_MAX_RECORDS, asked, maxBytes, maxWaitMs: maxWait * 1000, by };
}
