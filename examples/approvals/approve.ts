import { BacklogClient } from 'dynamo-backlog';

/** The service for approvals calls it with the answer, and with the token that it was sent. */
export async function answered(backlog: BacklogClient, id: string, token: string, by: string | undefined) {
  const { accepted, reason } =
    by === undefined
      ? await backlog.fail(id, token, 'not approved')
      : await backlog.complete(id, token, { by });
  return accepted ? `${id}: ${by === undefined ? 'refused' : `approved by ${by}`}` : `${id}: ${reason}`;
}

const { BACKLOG_TABLE: table } = process.env;
const [id, token, by] = process.argv.slice(2);
if (table && id && token) {
  process.stdout.write(`${await answered(new BacklogClient({ table }), id, token, by)}\n`);
} else if (table) {
  const backlog = new BacklogClient({ table });
  for (const amount of [20, 5000]) {
    const payment = { id: `pay-${amount}`, queue: 'payments', payload: { amount, to: 'the supplier' } };
    const { inserted } = await backlog.insert(payment);
    process.stdout.write(`${payment.id}: ${inserted ? 'inserted' : 'there already'}\n`);
  }
}
