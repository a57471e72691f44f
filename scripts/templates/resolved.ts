import { createHash } from 'node:crypto';
import { resolver } from '../../test/cloudwatch/intrinsics.js';

/** A template, by `Template.toJSON()` or from a synthesized file. */
export interface CloudFormationTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string }>>;
}

export interface Resource {
  readonly Type: string;
  readonly Properties?: Properties;
}

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
type Properties = any;

/** The partition, region and account of a stack. */
export interface Deployment {
  readonly stackName: string;
  readonly account?: string;
  readonly region?: string;
  readonly partition?: string;
}

/** Names as long as those of any partition and region. */
const LONGEST = { account: '111111111111', region: 'ap-southeast-7', partition: 'aws-us-gov' };
/** Letters and digits at the end of a name that CloudFormation generates: they make it unique. */
const SUFFIX = 13;
const UUID = '12345678-1234-1234-1234-123456789012';

/** Names that CloudFormation generates have as many characters at most as the service takes. */
const MAX_NAME: Readonly<Record<string, number>> = {
  'AWS::CloudWatch::Alarm': 255,
  'AWS::CloudWatch::CompositeAlarm': 255,
  'AWS::CloudWatch::Dashboard': 255,
  'AWS::DynamoDB::GlobalTable': 255,
  'AWS::DynamoDB::Table': 255,
  'AWS::Events::Rule': 64,
  'AWS::IAM::ManagedPolicy': 128,
  'AWS::IAM::Policy': 128,
  'AWS::IAM::Role': 64,
  'AWS::IAM::User': 64,
  'AWS::Lambda::Function': 64,
  'AWS::Lambda::LayerVersion': 64,
  'AWS::Logs::LogGroup': 512,
  'AWS::Logs::QueryDefinition': 255,
  'AWS::SNS::Topic': 256,
  'AWS::SQS::Queue': 80,
  'AWS::SSM::Parameter': 1_011,
  'AWS::Scheduler::Schedule': 64,
  'AWS::Scheduler::ScheduleGroup': 64,
};

/** The property with the name that a resource is given. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::SSM::Parameter': 'Name',
};

/**
 * A template as CloudFormation deploys it: all its references are replaced by texts. Names that it generates are as long as
 * they can be.
 *
 * @param imported values of other stacks, by the names of their exports or outputs
 * @throws Error for a reference or a function that is not known here
 */
export function resolvedTemplate(
  template: CloudFormationTemplate,
  deployment: Deployment,
  imported: ReadonlyMap<string, string> = new Map(),
): CloudFormationTemplate {
  const walk = walkerOf(template, deployment, imported);
  const resources = Object.entries(template.Resources).map(([id, resource]) => [
    id,
    { ...resource, Properties: walk(resource.Properties ?? {}) },
  ]);
  return {
    Resources: Object.fromEntries(resources),
    Outputs: walk(template.Outputs ?? {}) as Record<string, unknown>,
  };
}

/** The values that a template hands to others, by the names of its exports or outputs. */
export function outputsOf(template: CloudFormationTemplate, deployment: Deployment): [string, string][] {
  const outputs = walkerOf(template, deployment, new Map())(template.Outputs ?? {}) as Outputs;
  return Object.entries(outputs).map(([name, { Value, Export }]) => [Export?.Name ?? name, Value]);
}

type Outputs = Readonly<
  Record<string, { readonly Value: string; readonly Export?: { readonly Name: string } }>
>;

/** Replaces the references in a part of the template. */
function walkerOf(
  { Resources, Mappings = {}, Parameters = {} }: CloudFormationTemplate,
  deployment: Deployment,
  imported: ReadonlyMap<string, string>,
): (value: unknown) => unknown {
  const at = { ...LONGEST, ...deployment };
  const pseudo: Record<string, string> = {
    'AWS::AccountId': at.account,
    'AWS::Partition': at.partition,
    'AWS::Region': at.region,
    'AWS::StackId': `arn:${at.partition}:cloudformation:${at.region}:${at.account}:stack/${at.stackName}/${UUID}`,
    'AWS::StackName': at.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const nameOf = (id: string, attribute: string | undefined): string => {
    const known = pseudo[id] ?? Parameters[id]?.Default;
    if (known !== undefined) return known;
    const resource = Resources[id];
    if (!resource) throw new Error(`the template has no ${id}`);
    const given = resource.Properties?.[NAMED_BY[resource.Type] ?? ''];
    const name = given === undefined ? generatedName(id, resource, at.stackName) : String(walk(given));
    return attribute === undefined
      ? referenceTo(resource, name, at)
      : attributeOf(resource, name, attribute, at);
  };
  const text = resolver(nameOf);
  const walk = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(walk);
    const entries = Object.entries(value).filter(([, one]) => one?.Ref !== 'AWS::NoValue');
    const inner: Properties = Object.fromEntries(entries.map(([name, one]) => [name, walk(one)]));
    const [name = ''] = Object.keys(inner);
    if (entries.length !== 1 || !(name === 'Ref' || name.startsWith('Fn::'))) return inner;
    if (name === 'Fn::GetAZs') return ['a', 'b', 'c'].map((zone) => at.region + zone);
    if (name === 'Fn::FindInMap') return inMap(Mappings, inner[name]);
    if (name === 'Fn::ImportValue') return importedValue(String(inner[name]), imported);
    if (name === 'Fn::GetStackOutput') return importedValue(String(inner[name].OutputName), imported);
    // `text` would make one text of the list.
    if (name === 'Fn::Split') return String(inner[name][1]).split(inner[name][0]);
    const found = text(inner);
    if (found.startsWith('{"Fn::')) throw new Error(`${name} is not known here`);
    return found;
  };
  return walk;
}

function inMap(
  mappings: NonNullable<CloudFormationTemplate['Mappings']>,
  [map, key, name]: readonly [string, string, string],
): unknown {
  const value = mappings[map]?.[key]?.[name];
  if (value === undefined) throw new Error(`the mapping ${map} has no ${key}.${name}`);
  return value;
}

function importedValue(name: string, imported: ReadonlyMap<string, string>): string {
  const value = imported.get(name);
  if (value === undefined) throw new Error(`no stack has the output ${name}`);
  return value;
}

function generatedName(id: string, { Type }: Resource, stackName: string): string {
  const suffix = createHash('sha256').update(id).digest('hex').slice(0, SUFFIX);
  const rest = `${stackName}-${id}`.slice(0, (MAX_NAME[Type] ?? 255) - SUFFIX - 1);
  return `${rest}-${suffix}`;
}

type At = Required<Deployment>;

function arn({ partition, region, account }: At, service: string, resource: string): string {
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

const ARNS: Readonly<Record<string, (at: At, name: string) => string>> = {
  'AWS::CloudWatch::Alarm': (at, name) => arn(at, 'cloudwatch', `alarm:${name}`),
  'AWS::CloudWatch::CompositeAlarm': (at, name) => arn(at, 'cloudwatch', `alarm:${name}`),
  'AWS::DynamoDB::GlobalTable': (at, name) => arn(at, 'dynamodb', `table/${name}`),
  'AWS::DynamoDB::Table': (at, name) => arn(at, 'dynamodb', `table/${name}`),
  'AWS::Events::EventBus': (at, name) => arn(at, 'events', `event-bus/${name}`),
  'AWS::Events::Rule': (at, name) => arn(at, 'events', `rule/${name}`),
  'AWS::IAM::ManagedPolicy': (at, name) => arn({ ...at, region: '' }, 'iam', `policy/${name}`),
  'AWS::IAM::Role': (at, name) => arn({ ...at, region: '' }, 'iam', `role/${name}`),
  'AWS::IAM::User': (at, name) => arn({ ...at, region: '' }, 'iam', `user/${name}`),
  'AWS::KMS::Key': (at) => arn(at, 'kms', `key/${UUID}`),
  'AWS::Lambda::Function': (at, name) => arn(at, 'lambda', `function:${name}`),
  'AWS::Lambda::EventSourceMapping': (at) => arn(at, 'lambda', `event-source-mapping:${UUID}`),
  'AWS::Lambda::LayerVersion': (at, name) => arn(at, 'lambda', `layer:${name}:1`),
  'AWS::Logs::LogGroup': (at, name) => arn(at, 'logs', `log-group:${name}:*`),
  'AWS::SNS::Topic': (at, name) => arn(at, 'sns', name),
  'AWS::SQS::Queue': (at, name) => arn(at, 'sqs', name),
  'AWS::SSM::Parameter': (at, name) => arn(at, 'ssm', `parameter${name}`),
  'AWS::SecretsManager::Secret': (at, name) => arn(at, 'secretsmanager', `secret:${name}-AbCdEf`),
  'AWS::Scheduler::ScheduleGroup': (at, name) => arn(at, 'scheduler', `schedule-group/${name}`),
};

/** Types whose `Ref` is the ARN. */
const BY_ARN = [
  'AWS::IAM::ManagedPolicy',
  'AWS::Lambda::LayerVersion',
  'AWS::SNS::Topic',
  'AWS::SecretsManager::Secret',
];
/** Types whose `Ref` is the beginning of their ids. */
const BY_ID: Readonly<Record<string, string>> = {
  'AWS::EC2::SecurityGroup': 'sg-12345678901234567',
  'AWS::EC2::Subnet': 'subnet-12345678901234567',
  'AWS::EC2::VPC': 'vpc-12345678901234567',
  'AWS::KMS::Key': UUID,
  'AWS::Lambda::EventSourceMapping': UUID,
};

function referenceTo({ Type }: Resource, name: string, at: At): string {
  if (Type === 'AWS::SQS::Queue') return `https://sqs.${at.region}.amazonaws.com/${at.account}/${name}`;
  return BY_ARN.includes(Type) ? (ARNS[Type]?.(at, name) ?? name) : (BY_ID[Type] ?? name);
}

function attributeOf({ Type }: Resource, name: string, attribute: string, at: At): string {
  const found = ARNS[Type]?.(at, name);
  if (attribute === 'QueueName') return name;
  if (attribute === 'GroupId' || attribute === 'VpcId') return BY_ID[Type] ?? name;
  if (attribute === 'StreamArn' && found) return `${found}/stream/2026-11-24T00:00:00.000`;
  if (!/Arn$/.test(attribute) || !found) throw new Error(`${attribute} of ${Type} is not known here`);
  return found;
}
