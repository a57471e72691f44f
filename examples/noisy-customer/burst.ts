import { setTimeout } from 'node:timers/promises';
import { BacklogClient, type NewRecord } from 'dynamo-backlog';

/** Webhooks of one customer: the key says whose they are. */
function webhooks(customer: string, count: number): NewRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    queue: 'webhooks',
    key: customer,
    payload: { customer, event: 'order.placed', number: i + 1 },
  }));
}

const { BACKLOG_TABLE: table } = process.env;
if (table) {
  const backlog = new BacklogClient({ table });
  const count = Number(process.argv[2] ?? 250);
  await backlog.insertMany(webhooks('big', count));
  process.stdout.write(`big: ${count} webhooks\n`);
  for (const customer of ['ann', 'ben', 'cem', 'dia', 'eve']) {
    const [webhook] = webhooks(customer, 1);
    if (!webhook) continue;
    const { id } = await backlog.insert(webhook);
    const delivered = await backlog.wait(id, { timeout: '10m' });
    if (!delivered) continue;
    const { insertedAt, lastAttemptAt = '' } = delivered;
    const seconds = (Date.parse(lastAttemptAt) - Date.parse(insertedAt)) / 1000;
    process.stdout.write(`${customer}: delivered after ${seconds.toFixed(1)} s\n`);
    await setTimeout(500);
  }
}
