import { App, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Backlog } from 'dynamo-backlog/cdk';

const app = new App();
const stack = new Stack(app, 'SignedWebhooks');

// Its value is put in after the deployment: whsec_ and base64, the same that the receiver has.
const secret = new Secret(stack, 'WebhookSecret');

export const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    webhooks: {
      retry: { type: 'fibonacci', maxAttempts: 20 },
      deliverTo: {
        url: app.node.tryGetContext('deliverTo') ?? 'https://hooks.example.com/orders',
        secret,
        // 410 Gone: the receiver has unsubscribed, and does not want the delivery again.
        answers: { success: [410] },
      },
    },
  },
});
