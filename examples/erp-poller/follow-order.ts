import { backlogHandler, Snooze } from 'dynamo-backlog/lambda';

const ERP_URL = process.env.ERP_URL ?? 'https://erp.example.com';

/** Asks the ERP until the order is shipped: "not yet" is no failure, and the policy says when to ask again. */
export const handler = backlogHandler({
  queue: 'progress',
  process: async ({ payload }, { signal, logger }) => {
    const { order } = payload as { order: string };
    const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(order)}`, { signal });
    if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
    const { state } = (await response.json()) as { state: string };
    if (state !== 'shipped') throw new Snooze({ reason: `the order is ${state}` });
    logger.info('shipped', { order });
  },
});
