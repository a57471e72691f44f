import { App, Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { progressiveQueue, retryQueue, WITHOUT_CODE } from '../support.js';

export const PRIMARY = 'eu-central-1';
export const SECOND = 'eu-west-1';
export const STREAM = `arn:aws:dynamodb:${SECOND}:111111111111:table/Orders/stream/2026-01-01T00:00:00.000`;
export const QUEUES = { orders: retryQueue, prices: progressiveQueue };
/** Properties of the backlog in the primary region. */
export const REGIONS = { queues: QUEUES, primaryRegion: PRIMARY, replicas: [{ region: SECOND }] };

/** The replicas in the other region, as its stack imports them. */
export const replicasIn = (stack: Stack) => ({
  table: TableV2.fromTableAttributes(stack, 'Records', { tableName: 'Orders', tableStreamArn: STREAM }),
  controlTable: TableV2.fromTableName(stack, 'Control', 'OrdersControl'),
});

export type Props = Partial<BacklogProps>;

/** One app with a stack in each region. */
export function twoRegions(propsOf: (stack: Stack) => Props = () => ({})) {
  const app = new App({ context: WITHOUT_CODE, analyticsReporting: false, treeMetadata: false });
  const inRegion = (region: string, tablesIn: (stack: Stack) => Props) => {
    const stack = new Stack(app, `Shop-${region}`, { env: { region } });
    const props = { queues: QUEUES, primaryRegion: PRIMARY, ...tablesIn(stack), ...propsOf(stack) };
    return { stack, backlog: new Backlog(stack, 'Backlog', props) };
  };
  const names = { tableName: 'Orders', controlTableName: 'OrdersControl' };
  const primary = inRegion(PRIMARY, () => ({ ...names, replicas: [{ region: SECOND }] }));
  return { app, primary, second: inRegion(SECOND, replicasIn) };
}
