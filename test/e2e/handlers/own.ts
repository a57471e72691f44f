import { backlogHandler } from 'dynamo-backlog/lambda';

/** The code of many queues: which ones, and how they retry, is in its settings. */
export const handler = backlogHandler({
  process: async ({ id, queue, payload }, { signal }) => {
    const { status } = await fetch(`${process.env.ERP_URL}/${queue}`, {
      method: 'POST',
      headers: { 'idempotency-key': id },
      body: JSON.stringify(payload),
      signal,
    });
    if (status !== 200) throw new Error(`HTTP ${status}`);
  },
});
