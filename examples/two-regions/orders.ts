import { backlogHandler } from 'dynamo-backlog/lambda';

const { ERP_URL } = process.env;

/** The same code in both regions. In the passive one it is not called. */
export const handler = backlogHandler({
  queue: 'orders',
  process: async ({ id, payload }, { signal }) => {
    // The same order twice is one order: after a failover, a record may be attempted once more.
    const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(id)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'idempotency-key': id },
      body: JSON.stringify(payload),
      signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
  },
});
