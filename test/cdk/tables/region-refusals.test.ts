import type { Environment, Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { newStack } from '../support.js';
import {
  PRIMARY,
  type Props,
  QUEUES,
  REGIONS,
  replicasIn,
  SECOND,
  STREAM,
  twoRegions,
} from './two-regions.js';

describe('a primary region is refused', () => {
  const refusal = (propsOf: (stack: Stack) => Props, env: Environment = { region: PRIMARY }) => {
    const stack = newStack(env);
    return () => new Backlog(stack, 'Backlog', { ...REGIONS, ...propsOf(stack) });
  };

  it.each(['Frankfurt', 'eu-central', 'eu-central-1a', 'EU-CENTRAL-1', ''])('as "%s"', (primaryRegion) => {
    expect(refusal(() => ({ primaryRegion }))).toThrow(
      `Backlog.primaryRegion: expected a region such as "eu-central-1", got "${primaryRegion}"`,
    );
  });

  it.each(['us-gov-west-1', 'us-iso-east-1', 'eusc-de-east-1', 'cn-northwest-1'])(
    'and not as %s',
    (region) => {
      expect(refusal(() => ({ primaryRegion: region }), { region })).not.toThrow();
    },
  );

  it('as a token', () => {
    expect(refusal((stack) => ({ primaryRegion: stack.region }), {})).toThrow(
      'Backlog.primaryRegion: expected a region that is known at synthesis, such as "eu-central-1", not a token',
    );
  });

  it('in a stack that does not name its region', () => {
    expect(refusal(() => ({}), {})).toThrow(
      'Backlog.primaryRegion: expected a stack that names its region, got one that may be in any: give the stack "env", such as ' +
        'env: { region: "eu-central-1" }',
    );
  });

  it('without replicas of the tables', () => {
    const message = (of: string) =>
      `Backlog.replicas: expected the replicas of ${of}, as "primaryRegion" says that the backlog is in several regions: ` +
      "replicas: [{ region: 'eu-west-1' }]";
    expect(refusal(() => ({ replicas: undefined }))).toThrow(message('both tables'));
    const given = refusal((stack) => ({ replicas: undefined, table: replicasIn(stack).table }));
    expect(given).toThrow(message('the control table, which needs them in the regions of "table"'));
    expect(refusal((stack) => ({ replicas: undefined, ...replicasIn(stack) }))).not.toThrow();
  });

  it('with replicas of two tables that are given', () => {
    expect(refusal((stack) => replicasIn(stack))).toThrow(
      'Backlog.replicas: expected nothing beside "controlTable", which is made elsewhere',
    );
  });

  it('in another region without the replicas there', () => {
    const inSecond = (propsOf: (stack: Stack) => Props) => refusal(propsOf, { region: SECOND });
    const advice =
      `: expected the replica in ${SECOND}, as the tables are made in the primary region (${PRIMARY}): ` +
      "table: TableV2.fromTableAttributes(this, 'Records', { tableName, tableStreamArn }), " +
      "controlTable: TableV2.fromTableName(this, 'Control', controlTableName); got ";
    expect(inSecond(() => ({ replicas: undefined }))).toThrow(`Backlog.table${advice}no "table"`);
    expect(inSecond(() => ({}))).toThrow(`Backlog.table${advice}no "table"`);
    expect(inSecond((stack) => ({ replicas: undefined, table: replicasIn(stack).table }))).toThrow(
      `Backlog.controlTable${advice}no "controlTable"`,
    );
  });

  it('with the tables of the primary region in another one', () => {
    const { primary } = twoRegions();
    const { table, controlTable } = primary.backlog;
    const second = newStack({ region: SECOND });
    expect(
      () => new Backlog(second, 'Backlog', { queues: QUEUES, primaryRegion: PRIMARY, table, controlTable }),
    ).toThrow(`got a table or a stream in ${PRIMARY}`);
  });

  it('with the stream of the primary region in another one', () => {
    const second = newStack({ region: SECOND });
    const tableStreamArn = STREAM.replace(SECOND, PRIMARY);
    const table = TableV2.fromTableAttributes(second, 'Wrong', { tableName: 'Orders', tableStreamArn });
    const props = { queues: QUEUES, primaryRegion: PRIMARY, ...replicasIn(second), table };
    expect(() => new Backlog(second, 'Backlog', props)).toThrow(`got a table or a stream in ${PRIMARY}`);
  });

  it('beside a shared Backlog, whose control table has it', () => {
    const stack = newStack({ region: PRIMARY });
    const sharedBacklog = Backlog.fromStack(stack, 'Shared', { stackName: 'Platform' });
    const add = (props: Props) => () =>
      new Backlog(stack, Object.keys(props).join(), { queues: QUEUES, sharedBacklog, ...props });
    expect(add({ primaryRegion: PRIMARY })).toThrow(
      'Backlog.primaryRegion: expected nothing beside "sharedBacklog", as it belongs to the Backlog that has the tables',
    );
    expect(add({ replicaKeyArns: {} })).toThrow('Backlog.replicaKeyArns: expected nothing beside');
  });
});
