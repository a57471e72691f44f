// npm run produce: a shop that places an order every second, and the ERP that they are sent to.
import { setTimeout as sleep } from 'node:timers/promises';
import { BacklogClient } from 'dynamo-backlog';
import { placeOrder } from '../src/place-order.js';
import { startErp } from './erp.js';

const { BACKLOG_TABLE = '', ERP_PORT, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
const say = (line: string) => process.stdout.write(`${line}\n`);

startErp(Number(ERP_PORT), (line) => say(`ERP   ${line}`)).on('error', (error) => {
  say(`cannot be the ERP: ${error.message}`);
  process.exit(1);
});

const backlog = new BacklogClient({ table: BACKLOG_TABLE });
const articles = ['mug', 'plate', 'yeti', 'spoon'];

for (let i = 0; ; i++) {
  const id = `order-${Date.now()}`;
  const article = articles[i % articles.length] ?? 'mug';
  try {
    await placeOrder({ id, article, quantity: 1 + (i % 5) }, backlog);
    say(`shop  placed ${id}: ${article}`);
  } catch (error) {
    say(`shop  cannot place ${id}: ${(error as Error).message}`);
    say(`      Is the app running at ${endpoint}? Start it with "npm start" in another terminal.`);
  }
  await sleep(1000);
}
