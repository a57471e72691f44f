import { BacklogClient, Done } from 'dynamo-backlog';
import { backlogHandler, type Process } from 'dynamo-backlog/lambda';

const INVOICES_URL = process.env.INVOICES_URL ?? 'https://invoices.example.com';
const backlog = new BacklogClient({ table: process.env.BACKLOG_TABLE ?? 'BacklogRecords' });

/** Has an invoice made, starts the mail that brings it, and keeps its number for those who wait for it. */
export const makeInvoice: Process = async ({ id, payload }, { signal }) => {
  const url = `${INVOICES_URL}/${encodeURIComponent(id)}`;
  const response = await fetch(url, { method: 'PUT', body: JSON.stringify(payload), signal });
  if (!response.ok) throw new Error(`the invoice service answered ${response.status}`);
  const { number } = (await response.json()) as { number: string };
  // The id is the same at each attempt, so the mail is inserted once, however often this one is attempted.
  await backlog.insert({ id: `${id}:mail`, queue: 'mails', payload: { number } });
  return new Done({ result: { number } });
};

export const handler = backlogHandler({ queue: 'invoices', process: makeInvoice });
