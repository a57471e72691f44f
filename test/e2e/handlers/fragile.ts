import { exit } from 'node:process';
import { backlogHandler, completionUrl, Pending } from 'dynamo-backlog/lambda';

/** Ends its process, and with it the run, when the destination answers 418. An approval waits for its end from outside, and sends a link. */
export const handler = backlogHandler({
  queue: 'fragile',
  attemptTimeout: 5,
  process: async ({ id, payload }, { signal, token }) => {
    const isApproval = payload === 'approval';
    const link = isApproval ? await completionUrl(id, token, { question: 'Pay?', by: 'finance' }) : undefined;
    const { status } = await fetch(process.env.ERP_URL ?? '', {
      method: 'POST',
      headers: { 'idempotency-key': id },
      body: JSON.stringify(isApproval ? { link } : payload),
      signal,
    });
    if (status === 418) exit(1);
    if (status !== 200) throw new Error(`HTTP ${status}`);
    if (isApproval) throw new Pending({ timeout: '1h', reason: 'above 1,000' });
  },
});
