// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const S3_BUCKET = { 'Fn::Sub': 'cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}' };

export const tableResource = {
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'lane', AttributeType: 'S' },
      { AttributeName: 'dueAt', AttributeType: 'S' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'due',
        KeySchema: [
          { AttributeName: 'lane', KeyType: 'HASH' },
          { AttributeName: 'dueAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    Replicas: [{ Region: { Ref: 'AWS::Region' } }],
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  },
};

export const functionResource = {
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { S3Bucket: S3_BUCKET, S3Key: 'abc123.zip' },
    Handler: 'index.handler',
    Runtime: 'nodejs24.x',
    Timeout: 300,
    MemorySize: 512,
    Environment: { Variables: { BACKLOG_TABLE: { Ref: 'Records0A1B2C3D' }, LEVEL: 'INFO' } },
  },
};

export const ruleResource = {
  Type: 'AWS::Events::Rule',
  Properties: {
    ScheduleExpression: 'rate(1 minute)',
    State: 'ENABLED',
    Targets: [
      { Arn: { 'Fn::GetAtt': ['Worker11112222', 'Arn'] }, Id: 'Target0', Input: '{"queue":"default"}' },
    ],
  },
};

export const scheduleResource = {
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    GroupName: { Ref: 'Group' },
    Target: {
      Arn: { 'Fn::GetAtt': ['Worker11112222', 'Arn'] },
      RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Input: '{"queue":"default"}',
    },
  },
};

const resources: Record<string, unknown> = {
  Records0A1B2C3D: tableResource,
  Worker11112222: functionResource,
  PollAAAA0000: ruleResource,
  Topic: { Type: 'AWS::SNS::Topic', Properties: { Name: { 'Fn::ImportValue': 'nobody resolves this' } } },
};

/** Writes a cloud assembly with one stack and one asset, as `cdk synth` lays it out. */
export async function writeAssembly(
  changes: Record<string, unknown> = {},
  handler = 'export const handler = async (event) => event;',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-assembly-'));
  await mkdir(join(folder, 'asset.abc123'));
  await writeFile(join(folder, 'asset.abc123', 'index.mjs'), handler);
  const write = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));
  await write('manifest.json', {
    version: '48.0.0',
    artifacts: {
      'Shop.assets': { type: 'cdk:asset-manifest', properties: { file: 'Shop.assets.json' } },
      Shop: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Shop.template.json' } },
      Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } },
    },
  });
  await write('Shop.assets.json', {
    version: '48.0.0',
    files: {
      abc123: {
        source: { path: 'asset.abc123', packaging: 'zip' },
        destinations: { 'current_account-current_region': { bucketName: 'b', objectKey: 'abc123.zip' } },
      },
    },
  });
  await write('Shop.template.json', { Resources: { ...resources, ...changes } });
  return folder;
}
