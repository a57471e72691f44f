import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const entry = fileURLToPath(new URL('events.ts', import.meta.url));

export const backlog = new Backlog(new Stack(new App(), 'Order'), 'Backlog', {
  queues: {
    events: { entry, order: 'key', retry: { type: 'fibonacci', unit: 60, maxAttempts: 3 } },
  },
});
