import { fileURLToPath } from 'node:url';
import { Annotations, App, Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Backlog } from 'dynamo-backlog/cdk';

const PRIMARY = 'eu-central-1';
const SECOND = 'eu-west-1';
// Fixed names: the tables have them in both regions, and the second stack knows them before they exist.
const tableName = 'Orders';
const controlTableName = 'OrdersControl';

/** The parts that both stacks have. */
const common = {
  primaryRegion: PRIMARY,
  queues: {
    orders: {
      retry: { type: 'fibonacci', maxAttempts: 20 },
      entry: fileURLToPath(new URL('orders.ts', import.meta.url)),
      environment: { ERP_URL: process.env.ERP_URL ?? 'https://erp.example.com' },
    },
  },
} as const;

export const app = new App();

const primary = new Stack(app, `Shop-${PRIMARY}`, { env: { region: PRIMARY } });
new Backlog(primary, 'Backlog', {
  ...common,
  tableName,
  controlTableName,
  replicas: [{ region: SECOND }],
});

// Each replica has a stream of its own. CloudFormation does not tell its ARN to another region.
const recordsStreamArn: string | undefined = app.node.tryGetContext('recordsStreamArn');

if (recordsStreamArn) {
  const second = new Stack(app, `Shop-${SECOND}`, { env: { region: SECOND } });
  second.addStackDependency(primary);
  new Backlog(second, 'Backlog', {
    ...common,
    table: TableV2.fromTableAttributes(second, 'Records', { tableName, tableStreamArn: recordsStreamArn }),
    controlTable: TableV2.fromTableName(second, 'Control', controlTableName),
  });
} else {
  Annotations.of(primary).addInfo(
    `Shop-${SECOND} is left out until it is known where to read the replica's stream. Deploy Shop-${PRIMARY}, look the stream up, ` +
      `and pass its ARN with -c recordsStreamArn=ARN: aws dynamodb describe-table --region ${SECOND} --table-name ${tableName} ` +
      '--query Table.LatestStreamArn --output text',
  );
}
