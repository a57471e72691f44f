import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const stack = new Stack(new App(), 'NoisyCustomer');

export const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    webhooks: {
      entry: fileURLToPath(new URL('webhooks.ts', import.meta.url)),
      // Few, so that a burst is a pile on one machine, too.
      concurrency: 2,
      onInsertConcurrency: 2,
      fairness: process.env.FAIRNESS !== 'off',
      // Metrics of the customers with most waiting webhooks, and an alarm if one has more than 100.
      metricsPerKey: true,
      alarms: { depthPerKey: 100 },
    },
  },
});
