import { readFileSync } from 'node:fs';
import { type App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { beforeAll, expect, it, vi } from 'vitest';
import { parseQueues } from '../../../functions/settings.js';
import { propertiesOf, rightsOf, WITHOUT_CODE } from '../support.js';

let app: App;
let template: Template;
// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
let container: any;

beforeAll(async () => {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify(WITHOUT_CODE));
  ({ app } = await import('../../../examples/fargate/app.js'));
  vi.unstubAllEnvs();
  const stack = app.node.children.find(Stack.isStack) as Stack;
  template = Template.fromStack(stack);
  const [task] = propertiesOf(template, 'AWS::ECS::TaskDefinition');
  [container] = task.ContainerDefinitions;
  expect(task).toMatchObject({ RuntimePlatform: { CpuArchitecture: 'ARM64' }, NetworkMode: 'awsvpc' });
});

it('the example with Fargate runs two processes, which no address leads to', () => {
  const [service] = propertiesOf(template, 'AWS::ECS::Service');
  expect(service).toMatchObject({
    DesiredCount: 2,
    DeploymentConfiguration: {
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      MinimumHealthyPercent: 50,
    },
    NetworkConfiguration: { AwsvpcConfiguration: { AssignPublicIp: 'DISABLED' } },
  });
  const groups = propertiesOf(template, 'AWS::EC2::SecurityGroup');
  expect(groups.flatMap(({ SecurityGroupIngress = [] }) => SecurityGroupIngress)).toEqual([]);
  const endpoints = propertiesOf(template, 'AWS::EC2::VPCEndpoint');
  expect(JSON.stringify(endpoints.map(({ ServiceName }) => ServiceName))).toContain('dynamodb');
});

it('its container has the variables of a function, ends by SIGTERM with time to spare, and writes no file', () => {
  const { Environment, StopTimeout, ReadonlyRootFilesystem, LogConfiguration, User } = container;
  const variables = Object.fromEntries(
    Environment.map(({ Name, Value }: Record<string, unknown>) => [Name, Value]),
  );
  expect(Object.keys(parseQueues(JSON.parse(variables.BACKLOG_QUEUES)))).toEqual(['imports', 'thumbnails']);
  expect(variables).toMatchObject({ BACKLOG_OWNER: 'Imports', BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300' });
  expect([StopTimeout, ReadonlyRootFilesystem, User]).toEqual([60, true, undefined]);
  expect(LogConfiguration.LogDriver).toBe('awslogs');
});

it('its command and its health check are those of the Dockerfile', () => {
  const lines = readFileSync('examples/fargate/worker/Dockerfile', 'utf8').split('\n');
  const listIn = (line: string | undefined) => JSON.parse(line?.slice(line.indexOf('[')) ?? '');
  const [check, command] = lines.filter((line) => /^ *CMD /.test(line));
  expect(container.HealthCheck.Command).toEqual(['CMD', ...listIn(check)]);
  const own: string[] = listIn(command);
  expect(container.Command.slice(0, own.length)).toEqual(own);
  expect(container.Command.slice(own.length)).toEqual(['--queue', 'thumbnails,8', '--queue', 'imports,1']);
});

it('its role may do what the function of a queue may, and nothing else', () => {
  expect(rightsOf(template, 'WorkerTaskRole')).toEqual([
    ['dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:UpdateItem, dynamodb:PartiQLUpdate', ['Records.Arn']],
    ['dynamodb:Query', ['Records.Arn/index/due']],
    ['dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:UpdateItem', ['Control.Arn']],
  ]);
});

/** Findings of cdk-nag in the example, with the reasons why they are no concern here. */
const FINDINGS: Readonly<Record<string, string>> = {
  'AwsSolutions-VPC7': 'flow logs are a matter of the account’s own network, not of an example',
  'AwsSolutions-ECS2': 'the variables are names and settings, and no secret',
  'AwsSolutions-ECS4':
    'Container Insights are billed by the metric; the alarms of the backlog say what a process does not do',
  'AwsSolutions-IAM5': 'ECS asks for a token of ECR, a right that has no resource',
};

it('it passes the AWS Solutions and the Serverless checks of cdk-nag, except for what is said here', () => {
  const violations = [new AwsSolutionsChecks(app), new ServerlessChecks(app)].flatMap(
    (pack) => pack.validateScope(app).violations,
  );
  const found = violations.map(({ ruleName }) => ruleName.replace(/\[.*$/, ''));
  expect([...new Set(found)].sort()).toEqual(Object.keys(FINDINGS).sort());
});
