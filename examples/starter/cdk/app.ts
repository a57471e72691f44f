import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const app = new App();
const stack = new Stack(app, 'starter');

const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    orders: {
      entry: 'src/handler.ts',
      // The ERP's URL: that of cdk.json when it is deployed, that of --deliver-to on this machine.
      environment: { ERP_URL: app.node.getContext('deliverTo') },
      // A failed order waits 1, 1, 2, 3, 5, 8, ... minutes.
      retry: { type: 'fibonacci', maxAttempts: 20 },
    },
  },
});

// A producer needs this name as BACKLOG_TABLE, and the right to insert: backlog.grantInsert(yourFunction).
new CfnOutput(stack, 'TableName', { value: backlog.table.tableName });
