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
      // A refusal is final: the label of the answer is the name of the error.
      deadOn: ['Reject'],
      // An incoming webhook of your chat.
      environment: { CHAT_WEBHOOK: process.env.CHAT_WEBHOOK ?? 'http://127.0.0.1:3000' },
    },
  },
  // People answer by links, without rights of AWS.
  completionUrl: true,
});

// A service of your own may answer as well, by the token.
const desk = new Role(stack, 'ApprovalDesk', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
backlog.grantRead(desk);
backlog.grantComplete(desk);
