import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Backlog } from 'dynamo-backlog/cdk';

const stack = new Stack(new App(), 'Approvals');

export const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    payments: {
      entry: fileURLToPath(new URL('payments.ts', import.meta.url)),
      retry: { type: 'fibonacci', maxAttempts: 5 },
    },
  },
});

// The service with which people approve payments.
const desk = new Role(stack, 'ApprovalDesk', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
backlog.grantRead(desk);
backlog.grantComplete(desk);
