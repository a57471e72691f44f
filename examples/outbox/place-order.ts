// npx tsx --env-file=examples/local.env examples/outbox/place-order.ts order-1 mug 2
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, type Order, placeOrder, puts } from './order-service.js';

const [id = 'order-1', article = 'mug', quantity = '1'] = process.argv.slice(2);
const order: Order = { id, article, quantity: Number(quantity) };

try {
  await place();
  process.stdout.write(`placed ${id}\n`);
} catch (error) {
  if (!isThereAlready(error)) throw error;
  process.stderr.write(`not placed: ${id} is there already\n`);
  process.exitCode = 1;
}

/** A transaction has other reasons to be cancelled, such as one beside it: then it may be repeated. */
function isThereAlready(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    return error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed') ?? false;
  }
  return error instanceof ConditionalCheckFailedException;
}

async function place(): Promise<void> {
  try {
    await placeOrder(order);
  } catch (error) {
    if ((error as Error).name !== 'UnknownOperationException') throw error;
    // The embedded DynamoDB of the local runtime. What ends between the two would lose the webhook.
    process.stderr.write('no transactions here: one put after the other\n');
    for (const put of puts(order)) await dynamodb.send(new PutCommand(put));
  }
}
