import type { BatchSettings } from '../../src/batches/batch.js';
import type { BatchContext, ProcessBatch } from '../../src/batches/index.js';
import { processInBatches } from '../../src/batches/process-in-batches.js';
import type { BacklogRecord } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { seededRandom } from '../simulation/random.js';
import type { Harness } from '../worker/harness.js';

/** The calls of a function that does its work in batches: the ids of each. */
export class Calls {
  readonly ids: string[][] = [];

  constructor(private readonly harness: Harness) {}

  /** A process in batches on the virtual time of a harness, each call of which is noted. */
  process(processBatch: ProcessBatch, options: Partial<BatchSettings> = {}): Process {
    const { clock } = this.harness;
    const noted: ProcessBatch = (records, context) => {
      this.ids.push(records.map(({ id }) => id));
      return processBatch(records, context);
    };
    return processInBatches(noted, {
      maxRecords: 100,
      maxBytes: Number.POSITIVE_INFINITY,
      maxWaitMs: 20,
      sleep: clock.sleep,
      now: clock.wall,
      random: seededRandom(1),
      ...options,
    });
  }

  get sizes(): number[] {
    return this.ids.map(({ length }) => length);
  }
}

export const allSucceed: ProcessBatch = () => ({ batchItemFailures: [] });

/** A destination that refuses a whole request for one record that it does not like. */
export function breaksAt(...bad: readonly string[]): ProcessBatch {
  return (records: readonly BacklogRecord[], _: BatchContext) => {
    const found = records.filter(({ id }) => bad.includes(id));
    if (found.length > 0) throw new Error('HTTP 400');
    return { batchItemFailures: [] };
  };
}

export const numbered = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(3, '0')}`);
