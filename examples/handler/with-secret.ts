import secretsManager from '@middy/secrets-manager';
import { backlogHandler } from 'dynamo-backlog/lambda';

const ERP_URL = process.env.ERP_URL ?? 'https://erp.example.com';
let token = '';

export const handler = backlogHandler({
  queue: 'orders',
  process: async ({ id, payload }, { signal }) => {
    const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(id)}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(payload),
      signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
  },
})
  // Read at most every five minutes, and by a run alone: not at the import, which tests do as well.
  .use(
    secretsManager({ fetchData: { token: 'shop/erp-token' }, cacheExpiry: 300_000, disablePrefetch: true }),
  )
  .before(async ({ internal }) => {
    token = String(await internal.token);
  });
