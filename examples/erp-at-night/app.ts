import { fileURLToPath } from 'node:url';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const stack = new Stack(new App(), 'ErpAtNight');

export const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    orders: {
      entry: fileURLToPath(new URL('orders.ts', import.meta.url)),
      environment: { ERP_URL: process.env.ERP_URL ?? 'https://erp.example.com' },
      // 4, 5, 7, 11, ... minutes, an hour at most: the first attempt after an outage comes within the hour.
      retry: { type: 'exponential', maxWait: 3600, maxAge: 14 * 86_400 },
      // The whole night's orders come at six: as many as the ERP takes.
      attemptsPerSecond: 5,
      attemptTimeout: Duration.seconds(10),
      // While the ERP is down, one order a minute is tried, and the others lose no attempt.
      breaker: true,
    },
  },
});
