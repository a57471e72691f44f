import { BacklogClient, type NewRecord } from 'dynamo-backlog';

/** Changes of stock, one of which the shop cannot read, and changes of prices. */
export function changes(): NewRecord[] {
  const numbers = Array.from({ length: 200 }, (_, i) => i);
  const stock = numbers.map((i) => ({
    id: `stock-${i}`,
    queue: 'stock',
    payload: { article: `A${i}`, pieces: i === 77 ? -1 : i },
  }));
  const prices = numbers.map((i) => ({ id: `price-${i}`, queue: 'prices', payload: { cents: 100 * i } }));
  return [...stock, ...prices];
}

const { BACKLOG_TABLE: table } = process.env;
if (table) {
  const { inserted } = await new BacklogClient({ table }).insertMany(changes());
  process.stdout.write(`${inserted} changes inserted\n`);
}
