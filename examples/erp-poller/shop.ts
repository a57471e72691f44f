// npx tsx --env-file=examples/local.env examples/erp-poller/shop.ts 10
import { BacklogClient } from 'dynamo-backlog';

const backlog = new BacklogClient({ table: process.env.BACKLOG_TABLE ?? 'BacklogRecords' });
const count = Number(process.argv[2] ?? 10);

for (let i = 1; i <= count; i++) {
  const order = `order-${i}`;
  const article = i % 5 === 0 ? 'yeti' : 'mug';
  await backlog.insert({ id: order, queue: 'export', payload: { article, quantity: i } });
  await backlog.insert({ id: `${order}/progress`, queue: 'progress', payload: { order } });
}
process.stdout.write(`placed ${count} orders\n`);
