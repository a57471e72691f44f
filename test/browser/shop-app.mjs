/** The backlog of the stories in outage.test.ts, refused.test.ts and top.test.ts: one queue that delivers to an ERP. */
import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from '../../dist/cdk/index.js';

const app = new App();
// An address of its own at the ERP: the sample's shop sends nothing there, and leaves the orders to the story.
const deliverTo = `${app.node.getContext('deliverTo')}orders`;
new Backlog(new Stack(app, 'Shop'), 'Backlog', {
  queues: { orders: { deliverTo, retry: { type: 'fibonacci', maxAttempts: 20 } } },
});
