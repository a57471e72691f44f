import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const entry = fileURLToPath(new URL('rows.ts', import.meta.url));

export const backlog = new Backlog(new Stack(new App(), 'Groups'), 'Backlog', {
  queues: {
    rows: { entry, retry: { type: 'fibonacci', unit: 60, maxAttempts: 3 } },
    reports: { entry },
  },
  // The function that counts the ends of members.
  groups: true,
});
