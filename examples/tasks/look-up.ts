import { BacklogClient } from 'dynamo-backlog';

const backlog = new BacklogClient({
  table: process.env.BACKLOG_TABLE ?? 'BacklogRecords',
  endpoint: process.env.BACKLOG_ENDPOINT,
});

/** Was it sent? Beside the status there are `attempts`, `dueAt`, `lastError`, `deadReason` and `history`. */
export async function wasSent(id: string): Promise<boolean> {
  const order = await backlog.get(id); // undefined: there is none
  return order?.status === 'SUCCESS';
}

/** Records that were given up, with the reason; an operator can redrive them. */
export async function deadReasons(queue: string): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for await (const { id, deadReason = '' } of backlog.list({ queue, status: 'DEAD' }))
    reasons.set(id, deadReason);
  return reasons;
}

/** The number that its attempt has kept as its result, if it succeeds within ten seconds; otherwise a `WaitTimeoutError`. */
export async function invoiceNumber(id: string): Promise<string | undefined> {
  const invoice = await backlog.wait(id, { timeout: '10s' });
  return (invoice?.result as { number: string } | undefined)?.number;
}

export async function withdraw(id: string): Promise<string> {
  const { cancelled, reason } = await backlog.cancel(id, { reason: 'the customer withdrew' });
  if (reason === 'cancelRequested') return 'its attempt is asked to end'; // `wait` says what became of it
  return cancelled ? 'it will not be sent' : `too late: ${reason}`;
}
