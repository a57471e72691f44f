import { backlogHandler, Dead, type Process, Snooze } from 'dynamo-backlog/lambda';

const ERP_URL = process.env.ERP_URL ?? 'https://erp.example.com';
/** The ERP is closed from 22:00 to 06:00 UTC, for its nightly jobs. */
const CLOSES = 22;
const OPENS = 6;

/** Seconds until the ERP opens; 0 if it is open. */
export function secondsUntilOpen(now: Date): number {
  const hour = now.getUTCHours();
  if (hour >= OPENS && hour < CLOSES) return 0;
  const opens = new Date(now);
  opens.setUTCHours(hour < OPENS ? OPENS : OPENS + 24, 0, 0, 0);
  return (opens.getTime() - now.getTime()) / 1000;
}

export const sendOrder: Process = async (record, { signal }) => {
  const closed = secondsUntilOpen(new Date());
  if (closed > 0) throw new Snooze(closed, 'the ERP is closed for the night');
  const response = await fetch(`${ERP_URL}/orders/${encodeURIComponent(record.id)}`, {
    method: 'PUT',
    headers: { 'Idempotency-Key': record.id },
    body: JSON.stringify(record.payload),
    signal,
  });
  await response.body?.cancel();
  if (response.status === 422) throw new Dead('the ERP does not take this order');
  if (!response.ok) throw new Error(`the ERP answered ${response.status}`);
};

export const handler = backlogHandler({ queue: 'orders', process: sendOrder });
