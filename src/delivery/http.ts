import type { BacklogRecord } from '../record/index.js';
import { jsonOf } from '../support/json.js';
import { parseOptions } from '../support/validation.js';
import { whenUsed } from '../support/when-used.js';
import type { AttemptContext, Process, RunOptions } from '../worker/index.js';
import { idempotencyKey } from './headers.js';
import { type HttpDelivery, type HttpDeliveryOptions, optionsSchema } from './options.js';
import { senderOf } from './sender.js';

/**
 * A `process` that sends each record's payload as JSON to one URL, with the id as `Idempotency-Key`.
 *
 *     2xx                                     success
 *     408, 425, 429, 5xx, no answer at all    failure; a Retry-After is honoured
 *     401, 403 to a request with a secret     failure: the secret may be about to change
 *     3xx                                     dead: redirects are not followed
 *     other 4xx                               dead, with the status and first bytes of the answer
 *
 * unless `answers` say otherwise. With `batch`, several records go in one request, and its answer has a result for each.
 *
 * @throws ConfigurationError naming the option that is invalid
 */
export function deliverByHttp(input: HttpDeliveryOptions): HttpDelivery {
  return httpDelivery(input, 'deliverByHttp');
}

/** @param name what errors call the options */
export function httpDelivery(input: HttpDeliveryOptions, name: string): HttpDelivery {
  const options = parseOptions(optionsSchema, input, name);
  const sender = senderOf(options, name);
  const { batch, maxResponseBytes } = options;
  if (batch) {
    const batches = whenUsed(async () => {
      const { batchDelivery } = await import('./batch-delivery.js');
      return batchDelivery(sender, batch, maxResponseBytes);
    });
    const deliver: Process = (record, context) => batches.deliver(record, context);
    return Object.assign(deliver, {
      prepare: async (run?: RunOptions) => {
        if (run) await batches.expect(run);
        await sender.ready();
      },
    });
  }
  const deliver = async (record: BacklogRecord, context: AttemptContext): Promise<void> => {
    const { attempt, traceparent } = context;
    const { outcome } = await sender.send(
      {
        body: jsonOf(record.payload),
        contentType: 'application/json',
        key: idempotencyKey(record.id),
        headers: { 'backlog-attempt': String(attempt) },
        traceparent,
      },
      context,
    );
    if (outcome) throw outcome;
  };
  return Object.assign(deliver, {
    prepare: async () => {
      await sender.ready();
    },
  });
}
