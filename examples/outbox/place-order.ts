// npx tsx --env-file=examples/local.env examples/outbox/place-order.ts order-1 mug 2
import { placeOrder } from './order-service.js';

const [id = 'order-1', article = 'mug', quantity = '1'] = process.argv.slice(2);
await placeOrder({ id, article, quantity: Number(quantity) });
process.stdout.write(`placed ${id}\n`);
