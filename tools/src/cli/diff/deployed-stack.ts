import { ConfigurationError } from 'dynamo-backlog';
import { type TableDescription, TOKEN } from 'dynamo-backlog/engine';
import type { PhysicalTables } from './compare.js';
import { type DescribedTemplate, readMetadata } from './read-metadata.js';
import { parseTemplate } from './templates.js';

const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 20_000;

/** A stack as CloudFormation has it. */
export interface DeployedStack {
  readonly deployed: DescribedTemplate;
  /** The names of its tables, where they may be asked for. */
  readonly tables: PhysicalTables;
}

/**
 * Reads the template of a deployed stack, and the names of its tables. Needs `cloudformation:GetTemplate`, and for the names
 * `cloudformation:DescribeStackResource`.
 *
 * @param endpoint of an emulator. Default: AWS, or `AWS_ENDPOINT_URL_CLOUDFORMATION`
 * @throws ConfigurationError if the stack cannot be read
 */
export async function readDeployed(stack: string, endpoint: string | undefined): Promise<DeployedStack> {
  return askCloudFormation(endpoint, async ({ client, sdk }) => {
    const physicalId = async (logicalId: string | undefined) => {
      if (logicalId === undefined) return undefined;
      const request = new sdk.DescribeStackResourceCommand({
        StackName: stack,
        LogicalResourceId: logicalId,
      });
      // No count without the right to ask.
      const found = await client.send(request).catch(() => undefined);
      return found?.StackResourceDetail?.PhysicalResourceId;
    };
    const deployed = await readTemplate(stack, { client, sdk });
    return { deployed, tables: await tableNames(deployed, physicalId) };
  });
}

/**
 * Reads the template of a deployed stack, and the names of all its resources by their logical ids. Needs
 * `cloudformation:GetTemplate` and `cloudformation:ListStackResources`.
 *
 * @throws ConfigurationError if one of them cannot be read
 */
export async function readResources(
  stack: string,
): Promise<{ readonly deployed: DescribedTemplate; readonly names: ReadonlyMap<string, string> }> {
  return askCloudFormation(undefined, async ({ client, sdk }) => {
    const deployed = await readTemplate(stack, { client, sdk });
    const names = new Map<string, string>();
    const pages = sdk.paginateListStackResources({ client }, { StackName: stack });
    try {
      for await (const { StackResourceSummaries = [] } of pages)
        for (const { LogicalResourceId = '', PhysicalResourceId } of StackResourceSummaries)
          if (PhysicalResourceId !== undefined) names.set(LogicalResourceId, PhysicalResourceId);
    } catch (error) {
      const { name, message } = error as Error;
      throw new ConfigurationError(
        `--stack: cannot list the resources of ${stack}: ${message || name} (the rights: docs/permissions.md#operators)`,
        { cause: error },
      );
    }
    return { deployed, names };
  });
}

type Sdk = typeof import('@aws-sdk/client-cloudformation');

interface CloudFormation {
  readonly client: InstanceType<Sdk['CloudFormationClient']>;
  readonly sdk: Sdk;
}

async function askCloudFormation<Answer>(
  endpoint: string | undefined,
  work: (cloudFormation: CloudFormation) => Promise<Answer>,
): Promise<Answer> {
  const sdk = await import('@aws-sdk/client-cloudformation');
  const client = new sdk.CloudFormationClient({
    ...(endpoint === undefined ? {} : emulator(endpoint)),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  try {
    return await work({ client, sdk });
  } finally {
    client.destroy();
  }
}

async function readTemplate(stack: string, { client, sdk }: CloudFormation): Promise<DescribedTemplate> {
  const request = new sdk.GetTemplateCommand({ StackName: stack, TemplateStage: 'Original' });
  const { TemplateBody = '' } = await client.send(request).catch((error: unknown) => refuse(stack, error));
  const where = `deployed stack ${stack}`;
  return readMetadata(parseTemplate(TemplateBody, '--stack', where), where);
}

async function tableNames(
  { backlogs }: DescribedTemplate,
  physicalId: (logicalId: string | undefined) => Promise<string | undefined>,
): Promise<PhysicalTables> {
  const names = [...backlogs].map(async ([path, { records, control }]) => {
    const made = {
      records: await physicalId(records.logicalId),
      control: await physicalId(control.logicalId),
    };
    return [
      path,
      { records: made.records ?? named(records), control: made.control ?? named(control) },
    ] as const;
  });
  return new Map(await Promise.all(names));
}

function named({ name }: TableDescription): string | undefined {
  return name?.startsWith(TOKEN) ? undefined : name;
}

/** Emulators take any credentials, but the client insists on having some; never those of the environment. */
function emulator(endpoint: string) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { endpoint, region: process.env.AWS_REGION ?? 'us-east-1', credentials };
}

function refuse(stack: string, error: unknown): never {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  // What concerns credentials is explained where all commands explain it.
  if (/credential|region is missing/i.test(`${name} ${message}`)) throw error;
  const hint = /does not exist/i.test(message)
    ? '. A stack that was renamed is a new one: its deployment would make new, empty tables'
    : '';
  throw new ConfigurationError(`--stack: cannot read the template of ${stack}: ${message || name}${hint}`, {
    cause: error,
  });
}
