import { defineTask } from 'dynamo-backlog';
import * as z from 'zod';

const MAIL_URL = process.env.MAIL_URL ?? 'https://mail.example.com';

/** The producer imports it for its payload, the handler for its work. Any Standard Schema library will do. */
export const welcomeMail = defineTask({
  name: 'welcome-mail',
  queue: 'mails',
  schema: z.object({ to: z.email(), language: z.enum(['de', 'en']).default('en') }),
  retry: { type: 'exponential', maxAttempts: 10 },
  attemptTimeout: 10,
  perform: async ({ to, language }, { record, signal }) => {
    const headers = { 'Idempotency-Key': record.id };
    const body = JSON.stringify({ to, text: language === 'de' ? 'Willkommen!' : 'Welcome!' });
    const response = await fetch(MAIL_URL, { method: 'POST', headers, body, signal });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the mail service answered ${response.status}`);
  },
});
