import { BacklogClient } from 'dynamo-backlog';
import type { reminder } from './handler.js';
import { welcomeMail } from './mail.js';

const backlog = new BacklogClient({
  table: process.env.BACKLOG_TABLE ?? 'BacklogRecords',
  endpoint: process.env.BACKLOG_ENDPOINT,
});

/** Two hours later, and once a day for one address, however often a user signs up. */
export async function signedUp(to: string): Promise<boolean> {
  const { inserted } = await backlog.insert(welcomeMail, { to }, { delay: '2h', uniqueFor: '1d' });
  return inserted;
}

/** Many in few requests; what the schema refuses is reported, and keeps none of the others. */
export async function welcomeAll(addresses: Iterable<string>) {
  const payloads = Array.from(addresses, (to) => ({ to, language: 'de' as const }));
  return backlog.insertMany(welcomeMail, payloads, { at: '2026-12-24T18:00:00+01:00' });
}

/** A task that is defined elsewhere: `insert` takes its definition. */
export async function remind(task: typeof reminder, subscription: string, urgent: boolean) {
  return backlog.insert(task, { subscription }, urgent ? { priority: 'urgent', maxAttempts: 3 } : {});
}
