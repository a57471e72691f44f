import { App } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { BacklogStack } from '../../cdk/backlog-stack.js';
import { CONTEXT } from '../../cdk/context.js';

it.each(['rules', 'scheduler'] as const)(
  'the stack of the app with trigger: "%s" passes the AWS Solutions and the Serverless checks of cdk-nag',
  (trigger) => {
    const app = new App({ context: CONTEXT, analyticsReporting: false });
    new BacklogStack(app, 'DynamoBacklog', { deliverTo: 'https://erp.example.com/orders', trigger });
    for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
      expect(pack.validateScope(app).violations).toEqual([]);
    }
  },
);
