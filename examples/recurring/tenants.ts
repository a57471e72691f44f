import { RecurringRecords } from 'dynamo-backlog';

/** Gives each tenant an invoice run of its own, on the first of the month in its time zone. */
export async function scheduleInvoices(
  recurring: RecurringRecords,
  tenants: readonly { readonly id: string; readonly timeZone: string }[],
): Promise<void> {
  for (const { id, timeZone } of tenants) {
    await recurring.put(`invoices/${id}`, {
      schedule: 'cron(0 6 1 * ? *)',
      timeZone,
      queue: 'reports',
      payload: { kind: 'invoices', tenant: id },
      // Not all at once.
      jitter: '30m',
    });
  }
}

const { BACKLOG_TABLE: table } = process.env;
if (table) {
  const tenants = [
    { id: 'acme', timeZone: 'America/New_York' },
    { id: 'globex', timeZone: 'Asia/Tokyo' },
  ];
  await scheduleInvoices(new RecurringRecords({ table }), tenants);
}
