import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const stack = new Stack(new App(), 'Shop');

export const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    // Your code, polled every minute; each failed order waits 1, 1, 2, 3, 5, 8, ... minutes.
    orders: { retry: { type: 'fibonacci', maxAttempts: 20 }, entry: 'examples/handler/orders.ts' },
    // No code: every payload is POSTed there, every 5 minutes at first, every 8 days at last.
    'price-list': { progressive: true, deliverTo: 'https://erp.example.com/prices' },
  },
});
// backlog.grantInsert(orderService) lets a producer insert.
