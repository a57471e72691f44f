import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import type { QueueProps } from '../../cdk/index.js';

/** The queues of the app: of a Backlog with rules, of one with schedules, and of two that share the first one's table. */
export interface DeployedQueues {
  readonly queues: Readonly<Record<string, QueueProps>>;
  readonly scheduled: Readonly<Record<string, QueueProps>>;
  /** The queues of two other stacks on the table of the first Backlog. */
  readonly team: Readonly<Record<string, QueueProps>>;
}

const execute = promisify(execFile);

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run npm run test:e2e`);
  return value;
}

async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { stdout } = await execute(program, args, { env: { ...process.env, ...env }, maxBuffer: 50_000_000 });
  return stdout;
}

/** A program of the emulator's Python environment. */
export function tool(name: 'python' | 'aws', args: readonly string[]): Promise<string> {
  return run(join(variable('E2E_BIN'), name), args);
}

/** An app of this folder, and what it reads. */
interface AppToDeploy {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

const inSeconds = (_: string, value: unknown) => (value instanceof Duration ? value.toSeconds() : value);
const appWith = (queues: DeployedQueues): AppToDeploy => ({
  file: 'app.ts',
  env: { E2E_QUEUES: JSON.stringify(queues, inSeconds) },
});
const appOfManyQueues = (url: string): AppToDeploy => ({ file: 'many-queues-app.ts', env: { E2E_URL: url } });

/** The CDK's own command line. */
async function cdk(args: readonly string[], app?: AppToDeploy): Promise<void> {
  const bin = new URL('../../node_modules/aws-cdk/bin/cdk', import.meta.url).pathname;
  const folder = await mkdtemp(join(tmpdir(), 'backlog-e2e-'));
  const command = app ? ['--app', `npx tsx test/e2e/${app.file}`] : [];
  try {
    await run(process.execPath, [bin, ...command, '--output', join(folder, 'cdk.out'), ...args], app?.env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function bootstrap(): Promise<void> {
  return cdk(['bootstrap', `aws://${variable('E2E_ACCOUNT')}/us-east-1`]);
}

/** Returns the outputs of one of the stacks. */
async function deployAll(app: AppToDeploy, stack: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-e2e-'));
  const outputs = join(folder, 'outputs.json');
  try {
    await cdk(['deploy', '--all', '--require-approval', 'never', '--outputs-file', outputs], app);
    const all = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, Record<string, string>>;
    return all[stack] ?? {};
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the outputs of the stack that has the table of most others. */
export function deploy(queues: DeployedQueues): Promise<Record<string, string>> {
  return deployAll(appWith(queues), 'EndToEnd');
}

export function destroy(queues: DeployedQueues): Promise<void> {
  return cdk(['destroy', '--all', '--force'], appWith(queues));
}

/** Deploys the stack of guarded tables under another id of their construct. */
export function deployRenamed(queues: DeployedQueues): Promise<void> {
  const { file, env } = appWith(queues);
  const renamed = { file, env: { ...env, E2E_GUARDED_ID: 'Renamed' } };
  return cdk(['deploy', 'Guarded', '--require-approval', 'never'], renamed);
}

export function deployManyQueues(url: string): Promise<Record<string, string>> {
  return deployAll(appOfManyQueues(url), 'ManyQueues');
}

export function destroyManyQueues(url: string): Promise<void> {
  return cdk(['destroy', '--all', '--force'], appOfManyQueues(url));
}

/** The attributes of a queue of SQS. */
async function queueAttributes(QueueUrl: string) {
  const sqs = new SQSClient({});
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  sqs.destroy();
  return Attributes;
}

/** The number of messages in a queue of SQS. */
export async function messagesIn(QueueName: string): Promise<number> {
  const sqs = new SQSClient({});
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  sqs.destroy();
  return Number((await queueAttributes(QueueUrl)).ApproximateNumberOfMessages);
}

/** Takes the messages out of a queue of SQS. */
export async function takeMessages(QueueName: string): Promise<unknown[]> {
  const sqs = new SQSClient({});
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { ReceiptHandle } of Messages)
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  sqs.destroy();
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}

/** Has a function run once, and waits for its end, good or bad. */
export async function invoke(FunctionName: string): Promise<void> {
  const lambda = new LambdaClient({});
  await lambda.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
  lambda.destroy();
}

/** The key that encrypts a queue of SQS, by the URL of the queue. */
export async function keyOfQueue(url: string): Promise<string | undefined> {
  return (await queueAttributes(url)).KmsMasterKeyId;
}

async function ask<Answer>(...args: string[]): Promise<Answer> {
  return JSON.parse(await tool('aws', [...args, '--output', 'json'])) as Answer;
}

/** The physical ids of a stack's resources of one type, below a construct of the stack. */
export async function idsIn(stack: string, type: string, construct: string): Promise<string[]> {
  const { StackResources } = await ask<{ StackResources: Readonly<Record<string, string>>[] }>(
    ...['cloudformation', 'describe-stack-resources', '--stack-name', stack],
  );
  return StackResources.filter(
    ({ ResourceType, LogicalResourceId }) =>
      ResourceType === type && LogicalResourceId?.startsWith(construct),
  ).map(({ PhysicalResourceId }) => PhysicalResourceId ?? '');
}

/** The key that encrypts a log group, by the name of the group. */
export async function keyOfLogGroup(name: string): Promise<string | undefined> {
  const { logGroups } = await ask<{ logGroups: { readonly kmsKeyId?: string }[] }>(
    ...['logs', 'describe-log-groups', '--log-group-name-prefix', name],
  );
  return logGroups[0]?.kmsKeyId;
}
