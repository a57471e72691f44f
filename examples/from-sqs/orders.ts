import { backlogHandler, type Process } from 'dynamo-backlog/lambda';

const ERP_URL = process.env.ERP_URL ?? 'https://erp.example.com';

/** The work that the handler of the SQS queue did for one message: it throws for a failure, and ends for a success. */
export const sendOrder: Process = async ({ id, payload }, { signal }) => {
  const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(id)}`, {
    method: 'PUT',
    headers: { 'Idempotency-Key': id },
    body: JSON.stringify(payload),
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
};

export const handler = backlogHandler({ queue: 'orders', process: sendOrder });
