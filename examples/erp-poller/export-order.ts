import { backlogHandler, Dead, RetryAfter } from 'dynamo-backlog/lambda';

const ERP_URL = process.env.ERP_URL ?? 'https://erp.example.com';

export const handler = backlogHandler({
  queue: 'export',
  process: async ({ id, payload }, { signal }) => {
    const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(id)}`, {
      method: 'PUT', // the same order twice is one order: attempts are at-least-once
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(payload),
      signal,
    });
    await response.body?.cancel();
    if (response.status === 422) throw new Dead('the ERP does not know this article');
    if (response.status === 429) throw new RetryAfter(600, 'the ERP wants to be left alone');
    if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
  },
});
