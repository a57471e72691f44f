import { exit } from 'node:process';
import { backlogHandler, Pending } from 'dynamo-backlog/lambda';

/** Ends its process, and with it the run, when the destination answers 418. An approval waits for its end from outside. */
export const handler = backlogHandler({
  queue: 'fragile',
  attemptTimeout: 5,
  process: async ({ id, payload }, { signal }) => {
    if (payload === 'approval') throw new Pending({ timeout: '1h' });
    const { status } = await fetch(process.env.ERP_URL ?? '', {
      method: 'POST',
      headers: { 'idempotency-key': id },
      body: JSON.stringify(payload),
      signal,
    });
    if (status === 418) exit(1);
    if (status !== 200) throw new Error(`HTTP ${status}`);
  },
});
