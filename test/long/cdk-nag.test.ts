import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { BacklogStack } from '../../cdk/app/backlog-stack.js';
import { CONTEXT } from '../../cdk/app/context.js';
import { Backlog } from '../../cdk/index.js';
import { PRIMARY, QUEUES, REGIONS, replicasIn, SECOND } from '../cdk/tables/two-regions.js';

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

it.each([Tracing.ACTIVE, Tracing.PASS_THROUGH])('a backlog with tracing: %s passes them, too', (tracing) => {
  const app = new App({ context: CONTEXT, analyticsReporting: false });
  const stack = new Stack(app, 'Traced');
  new Backlog(stack, 'Backlog', {
    queues: {
      orders: { retry: { type: 'fibonacci' }, deliverTo: 'https://erp.example.com/orders' },
      imports: { retry: { type: 'none' }, entry: 'test/cdk/fixtures/handler.ts' },
    },
    tracing,
    widget: true,
    recordEvents: { to: new EventBus(stack, 'Bus'), queues: { orders: {} } },
    recurring: { report: { schedule: 'rate(1 hour)', queue: 'orders' } },
    groups: true,
    completionUrl: true,
  });
  for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
    expect(pack.validateScope(app).violations).toEqual([]);
  }
});

it('a backlog in a VPC, with a key for its variables and minimal: true, passes them, too', () => {
  const app = new App({ context: CONTEXT, analyticsReporting: false });
  const stack = new Stack(app, 'InVpc', { env: { region: 'eu-central-1' } });
  const vpc = new Vpc(new Stack(app, 'Network', { env: { region: 'eu-central-1' } }), 'Vpc');
  const environmentEncryption = new Key(stack, 'Variables', { enableKeyRotation: true });
  new Backlog(stack, 'Backlog', {
    queues: {
      orders: { retry: { type: 'fibonacci' }, deliverTo: 'https://erp.example.com/orders' },
      imports: { retry: { type: 'none' }, entry: 'test/cdk/fixtures/handler.ts' },
    },
    vpc,
    environmentEncryption,
    minimal: true,
    recurring: {},
    completionUrl: { reservedConcurrentExecutions: 10 },
  });
  for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
    expect(pack.validateScope(stack).violations).toEqual([]);
  }
});

it('a backlog whose settings are in a layer passes them, too', () => {
  const app = new App({ context: CONTEXT, analyticsReporting: false });
  const deliverTo = 'https://erp.example.com/orders';
  const names = Array.from({ length: 100 }, (_, i) => `queue-${i}`);
  new Backlog(new Stack(app, 'Many'), 'Backlog', {
    queues: Object.fromEntries(names.map((name) => [name, { retry: { type: 'fibonacci' }, deliverTo }])),
    trigger: 'scheduler',
    alarms: false,
  });
  for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
    expect(pack.validateScope(app).violations).toEqual([]);
  }
});

it('both stacks of a backlog in two regions pass them, too', () => {
  const app = new App({ context: CONTEXT, analyticsReporting: false });
  new Backlog(new Stack(app, 'Primary', { env: { region: PRIMARY } }), 'Backlog', REGIONS);
  const second = new Stack(app, 'Second', { env: { region: SECOND } });
  new Backlog(second, 'Backlog', { queues: QUEUES, primaryRegion: PRIMARY, ...replicasIn(second) });
  for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
    expect(pack.validateScope(app).violations).toEqual([]);
  }
});

it('a backlog whose data, logs and variables are under one key of yours passes them, too', () => {
  const app = new App({ context: CONTEXT, analyticsReporting: false });
  const stack = new Stack(app, 'Keyed', { env: { region: 'eu-central-1' } });
  const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
  const queues = {
    orders: { retry: { type: 'fibonacci' }, deliverTo: 'https://erp.example.com/orders' },
    imports: { retry: { type: 'none' }, entry: 'test/cdk/fixtures/handler.ts' },
  } as const;
  new Backlog(stack, 'Backlog', {
    ...{ queues, encryptionKey, widget: true, trigger: 'scheduler' },
    recurring: {},
    completionUrl: { reservedConcurrentExecutions: 10 },
  });
  for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
    expect(pack.validateScope(app).violations).toEqual([]);
  }
});
