import { App, Duration, type Environment, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, ProjectionType, type TablePropsV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Backlog, type BacklogProps, type QueueProps } from '../../cdk/index.js';

export const URL = 'https://erp.example.com/orders';

/** The functions' code is neither bundled nor copied, which would take most of the time. */
export const WITHOUT_CODE = {
  'aws:cdk:bundling-stacks': [],
  'aws:cdk:disable-asset-staging': true,
  'aws:cdk:disable-stack-trace': true,
};

/** A stack without the code of its functions. */
export function newStack(env: Environment = {}): Stack {
  const app = new App({ context: WITHOUT_CODE, analyticsReporting: false, treeMetadata: false });
  return new Stack(app, 'Test', { env });
}

export function backlogWith(props: BacklogProps): { backlog: Backlog; stack: Stack; template: Template } {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', props);
  return { backlog, stack, template: Template.fromStack(stack) };
}

/** A function of the user's own. */
export function ownFunction(
  stack: Stack,
  timeout = Duration.minutes(2),
  runtime = Runtime.NODEJS_24_X,
): LambdaFunction {
  return new LambdaFunction(stack, 'Own', {
    runtime,
    handler: 'index.handler',
    // CloudFormation takes code in the template of some runtimes only.
    code: runtime.supportsInlineCode
      ? Code.fromInline('exports.handler = async () => {}')
      : Code.fromAsset('test/cdk/fixtures'),
    timeout,
  });
}

const string = (name: string) => ({ name, type: AttributeType.STRING });

/** Props that a table of records must have. */
export const RECORDS_TABLE: TablePropsV2 = {
  partitionKey: string('id'),
  timeToLiveAttribute: 'expiresAt',
  globalSecondaryIndexes: [
    {
      indexName: 'due',
      partitionKey: string('lane'),
      sortKey: string('dueAt'),
      projectionType: ProjectionType.KEYS_ONLY,
    },
  ],
};

export const retryQueue: QueueProps = { retry: { type: 'fibonacci' }, deliverTo: URL };
export const progressiveQueue: QueueProps = { progressive: true, deliverTo: URL };

/** The properties of all resources of a type. */
// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
export function propertiesOf(template: Template, type: string): any[] {
  return Object.values(template.findResources(type)).map((resource) => resource.Properties);
}

/** The rules of queues with their inputs parsed, in the order of their descriptions. */
export function rulesOf(template: Template) {
  return propertiesOf(template, 'AWS::Events::Rule')
    .map((rule) => ({
      description: rule.Description as string,
      schedule: rule.ScheduleExpression as string,
      state: rule.State as string,
      target: rule.Targets[0],
      input: JSON.parse(rule.Targets[0].Input),
    }))
    .filter(({ input }) => input.queue !== undefined)
    .sort((a, b) => (a.description < b.description ? -1 : 1));
}

/** The schedules of queues, in the same way. */
export function schedulesOf(template: Template) {
  return propertiesOf(template, 'AWS::Scheduler::Schedule')
    .map((schedule) => ({
      description: schedule.Description as string,
      schedule: schedule.ScheduleExpression as string,
      timeZone: schedule.ScheduleExpressionTimezone as string | undefined,
      state: schedule.State as string,
      target: schedule.Target,
      input: JSON.parse(schedule.Target.Input),
    }))
    .filter(({ input }) => input.queue !== undefined)
    .sort((a, b) => (a.description < b.description ? -1 : 1));
}

/** Rights of a construct's role, with their resources: names without the stack's prefix and CDK's hashes. */
export function rightsOf(template: Template, construct: string): [string, string[]][] {
  const policy = propertiesOf(template, 'AWS::IAM::Policy').find(({ PolicyName }) =>
    PolicyName.startsWith(construct),
  );
  return policy.PolicyDocument.Statement.map(
    ({ Action, Resource }: { Action: unknown; Resource: unknown }) => [
      [Action].flat().join(', '),
      resourceNames(Resource),
    ],
  );
}

/** Names of resources without the stack's prefix and CDK's hashes, in alphabetical order. */
export function resourceNames(resource: unknown): string[] {
  return [resource].flat().map(resourceName).sort();
}

function resourceName(resource: unknown): string {
  const {
    'Fn::GetAtt': attribute,
    'Fn::Join': join,
    Ref: ref,
  } = (resource ?? {}) as {
    'Fn::GetAtt'?: [string, string];
    'Fn::Join'?: [string, unknown[]];
    Ref?: string;
  };
  if (join) return join[1].map(resourceName).join('');
  if (ref) return ref.replace(/[0-9A-F]{8}$/, '');
  if (!attribute) return String(resource);
  return [attribute[0].replace(/^Backlog/, '').replace(/[0-9A-F]{8}$/, ''), attribute[1]].join('.');
}
