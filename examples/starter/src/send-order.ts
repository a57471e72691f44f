import { Dead, defineTask, RetryAfter } from 'dynamo-backlog';
import * as z from 'zod';

/** The producer imports it for its payload, the handler for its work. */
export const sendOrder = defineTask({
  name: 'send-order',
  queue: 'orders',
  schema: z.object({ article: z.string().min(1), quantity: z.int().min(1) }),
  perform: async (order, { record, signal, logger }) => {
    const url = new URL(`/orders/${encodeURIComponent(record.id)}`, process.env.ERP_URL);
    const response = await fetch(url, {
      method: 'PUT', // The same order twice is one order: a record can be attempted more than once.
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
      signal, // Aborted when the attempt's time is up.
    });
    await response.body?.cancel();
    // Returning is success, throwing is failure. `Dead` and `RetryAfter` say more.
    if (response.status === 422) throw new Dead('the ERP refuses this order');
    if (response.status === 429) throw new RetryAfter('10m', 'the ERP is busy');
    if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
    logger.info('order sent', { order: record.id });
  },
});
