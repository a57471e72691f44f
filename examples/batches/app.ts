import { fileURLToPath } from 'node:url';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const { SHOP_URL = 'http://127.0.0.1:3000' } = process.env;

export const backlog = new Backlog(new Stack(new App(), 'Batches'), 'Backlog', {
  queues: {
    // A handler: the shop's API for stock has a form of its own.
    stock: {
      entry: fileURLToPath(new URL('stock.ts', import.meta.url)),
      environment: { SHOP_URL },
    },
    // A delivery without code, of up to 50 prices in one request.
    prices: {
      deliverTo: {
        url: `${SHOP_URL}/prices`,
        batch: { maxRecords: 50, maxWait: Duration.seconds(1) },
      },
      concurrency: 50,
    },
  },
});
