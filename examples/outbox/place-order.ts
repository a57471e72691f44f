// npx tsx --env-file=examples/local.env examples/outbox/place-order.ts order-1 mug 2
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type Order, placeOrder } from './order-service.js';

const [id = 'order-1', article = 'mug', quantity = '1'] = process.argv.slice(2);
const order: Order = { id, article, quantity: Number(quantity) };

try {
  await placeOrder(order);
  process.stdout.write(`placed ${id}\n`);
} catch (error) {
  if (!isThereAlready(error)) throw error;
  process.stderr.write(`not placed: ${id} is there already\n`);
  process.exitCode = 1;
}

/** A transaction has other reasons to be cancelled, such as one beside it: then it may be repeated. */
function isThereAlready(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  return error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed') ?? false;
}
