import { createHash } from 'node:crypto';
import type { BatchContext, ProcessBatch } from '../batches/index.js';
import { batchSettingsOf, processInBatches } from '../batches/process-in-batches.js';
import type { BacklogRecord } from '../record/index.js';
import { jsonOf } from '../support/json.js';
import type { Process, ProcessResult, RunOptions } from '../worker/index.js';
import { resultsOfAnswer } from './batch-results.js';
import type { DeliveryBatch } from './options.js';
import type { Sender } from './sender.js';

/** The longest answer that is read: a result for each of many records. */
const MAX_RESPONSE_BYTES = 1_048_576;

const CONTENT_TYPES = { json: 'application/json', ndjson: 'application/x-ndjson' } as const;

interface BatchDelivery {
  deliver(...given: Parameters<Process>): Promise<ProcessResult>;
  /** Notes how many records a run sends at once. */
  expect(run: RunOptions): void;
}

/**
 * Sends several records in one request: `[{ "id", "attempt", "payload" }]`, or a line for each. A status other than 2xx is about the
 * whole request. The answer to another one has a result for each record.
 */
export function batchDelivery(
  sender: Sender,
  { format = 'json', ...limits }: DeliveryBatch<number>,
  maxResponseBytes = MAX_RESPONSE_BYTES,
): BatchDelivery {
  const send: ProcessBatch = async (records, context) => {
    const body = bodyOf(records, context, format);
    const answered = await sender.send(
      {
        body,
        contentType: CONTENT_TYPES[format],
        key: keyOf(body),
        headers: {},
        keepBytes: maxResponseBytes,
      },
      context,
    );
    if (answered.outcome) throw answered.outcome;
    // Cut off, as the attempt was ended.
    if (!answered.received.isComplete) context.signal.throwIfAborted();
    return resultsOfAnswer(records, answered);
  };
  const deliver = processInBatches(send, batchSettingsOf(limits));
  return { deliver, expect: deliver.prepare };
}

/** Each record with its id, by which a receiver knows what it has had, and by which the answer names it. */
function bodyOf(
  records: readonly BacklogRecord[],
  { attemptOf }: BatchContext,
  format: keyof typeof CONTENT_TYPES,
): string {
  const entries = records.map((record) => {
    const { attempt, traceparent } = attemptOf(record);
    return jsonOf({ id: record.id, attempt, traceparent, payload: record.payload ?? null });
  });
  return format === 'json' ? `[${entries.join(',')}]` : `${entries.join('\n')}\n`;
}

/** The same for the same request alone: a batch has other records at the next attempt. */
function keyOf(body: string): string {
  return `batch-${createHash('sha256').update(body).digest('hex').slice(0, 32)}`;
}
