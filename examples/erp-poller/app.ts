import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const environment = { ERP_URL: process.env.ERP_URL ?? 'https://erp.example.com' };

const stack = new Stack(new App(), 'ErpPoller');
export const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    // Every 5 minutes on the first day, less and less often later: the ERP may be closed for a weekend.
    export: { progressive: true, entry: here('export-order.ts'), environment },
    // An hour, 7 hours, 16, 20, ... 24: an order ships on the day it is placed, or within days.
    progress: {
      retry: { type: 'arctan', maxAge: 60 * 86_400 },
      entry: here('follow-order.ts'),
      environment,
      // The ERP is small.
      concurrency: 3,
      attemptsPerSecond: 5,
    },
  },
});
