import type { ProcessBatch } from '../../src/batches/index.js';
import { processInBatches } from '../../src/batches/process-in-batches.js';
import type { Random } from '../../src/support/random.js';
import type { Process } from '../../src/worker/index.js';
import type { Actor } from './actor.js';

/** Records that have each call refused as a whole in which they are not alone. */
function breaksBatches(id: string): boolean {
  return Number(id.slice(1)) % 9 === 4;
}

/** The process of one actor that does the same work in batches. Each ends when the last of its records has. */
export function inBatchesOf(process: Process, actor: Actor, random: Random): Process {
  const processBatch: ProcessBatch = (records, { attemptOf }) => {
    if (records.length > 1 && records.some(({ id }) => breaksBatches(id))) throw new Error('no batch');
    return Promise.allSettled(records.map(async (record) => process(record, attemptOf(record))));
  };
  return processInBatches(processBatch, {
    maxRecords: 7,
    maxBytes: Number.POSITIVE_INFINITY,
    maxWaitMs: 50,
    sleep: actor.clock.sleep,
    now: actor.clock.wall,
    random,
  });
}
