import { type App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { afterEach, expect, it, vi } from 'vitest';
import { propertiesOf, WITHOUT_CODE } from '../support.js';

const STREAM = 'arn:aws:dynamodb:eu-west-1:111111111111:table/Orders/stream/2026-01-01T00:00:00.000';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

async function stacksWith(context: Record<string, string>): Promise<Stack[]> {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ ...WITHOUT_CODE, ...context }));
  const { app }: { app: App } = await import('../../../examples/two-regions/app.js');
  return app.node.children.filter(Stack.isStack);
}

it('the example of two regions has the primary stack alone at first, and says how to get the other one', async () => {
  const [primary, ...others] = await stacksWith({});
  expect(others).toEqual([]);
  expect(primary?.region).toBe('eu-central-1');
  const command =
    'aws dynamodb describe-table --region eu-west-1 --table-name Orders --query Table.LatestStreamArn --output text';
  Annotations.fromStack(primary as Stack).hasInfo('*', Match.stringLikeRegexp(command));
});

it('the example of two regions has both stacks, once the stream of the replica is known', async () => {
  const [primary, second] = (await stacksWith({ recordsStreamArn: STREAM })) as [Stack, Stack];
  expect([primary.region, second.region]).toEqual(['eu-central-1', 'eu-west-1']);
  expect(second.dependencies).toEqual([primary]);
  const sources = propertiesOf(Template.fromStack(second), 'AWS::Lambda::EventSourceMapping');
  expect(sources.map(({ EventSourceArn }) => EventSourceArn)).toContain(STREAM);
});
