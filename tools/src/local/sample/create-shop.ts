import { BacklogClient } from 'dynamo-backlog';
import { type Clock, type createDynamoDbClient, systemRandom } from 'dynamo-backlog/engine';
import type { AppQueue } from '../app-queues.js';
import { SampleShop } from './sample-shop.js';

export interface SampleDeps {
  readonly queues: readonly AppQueue[];
  readonly deliverTo: string | undefined;
  readonly client: ReturnType<typeof createDynamoDbClient>;
  readonly clock: Clock;
  /** True if no intake looks after the app's tables. */
  readonly indexAtOnce: boolean;
}

/**
 * The shop of the sample. It fills only queues that deliver to the sample's ERP, or to where the user said: one that
 * retries per record gets the orders, a progressive one the product updates. Undefined if the app has none.
 */
export function createShop({ queues, deliverTo, ...deps }: SampleDeps): SampleShop | undefined {
  const ours = queues.filter((queue) => deliverTo !== undefined && queue.deliverTo === deliverTo);
  const orders = ours.find(({ retryMode }) => retryMode === 'perRecord');
  const products = ours.find(({ retryMode }) => retryMode === 'progressive');
  const targets = [orders, products].filter((queue) => queue !== undefined);
  if (targets.length === 0) return undefined;
  const clients = targets.map(({ name, table }) => ({
    name,
    backlog: new BacklogClient({ ...deps, table }),
  }));
  return new SampleShop({
    orders: orders?.name,
    products: products?.name,
    random: systemRandom,
    insert: async (records) => {
      for (const { name, backlog } of clients) {
        await backlog.insertMany(records.filter(({ queue }) => queue === name));
      }
    },
  });
}
