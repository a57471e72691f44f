import { App, Stack, TimeZone } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const app = new App();
const stack = new Stack(app, 'Recurring');

new Backlog(stack, 'Backlog', {
  queues: {
    reports: { deliverTo: app.node.tryGetContext('deliverTo') ?? 'https://reports.example.com/runs' },
  },
  recurring: {
    'nightly-report': {
      schedule: 'cron(0 3 * * ? *)',
      timeZone: TimeZone.EUROPE_BERLIN,
      queue: 'reports',
      payload: { kind: 'daily' },
    },
    heartbeat: {
      schedule: 'rate(5 minutes)',
      queue: 'reports',
      payload: { kind: 'heartbeat' },
      missed: 'skip',
    },
  },
});
