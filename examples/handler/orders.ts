import { backlogHandler, Dead, type Process, RetryAfter } from 'dynamo-backlog/lambda';

const ERP_URL = process.env.ERP_URL ?? 'https://erp.example.com';

/** Returning is success, throwing is failure; `Dead` and `RetryAfter` say more. */
export const sendOrder: Process = async (record, { signal, attempt, logger }) => {
  const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(record.id)}`, {
    method: 'PUT', // the same order twice is one order: attempts are at-least-once
    body: JSON.stringify(record.payload),
    signal, // aborted when the attempt's time is up
  });
  await response.body?.cancel();
  if (response.status === 422) throw new Dead('the ERP does not take this order');
  if (response.status === 503) throw new RetryAfter('1h', 'the ERP is closed');
  if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
  logger.info('order sent', { order: record.id, attempt });
};

export const handler = backlogHandler({
  queue: 'orders',
  process: sendOrder,
  retry: { type: 'fibonacci', maxAttempts: 20 },
});
