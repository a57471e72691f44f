import { ConfigurationError } from 'dynamo-backlog';
import { readAlarms } from './alarms.js';
import type { Stack, TemplateResource } from './assembly.js';
import { readFunction } from './function.js';
import { readFunctionUrl } from './function-url.js';
import { givenTables } from './given-tables.js';
import { type References, resolveText } from './intrinsics.js';
import type {
  LocalAlarms,
  LocalApp,
  LocalFunction,
  LocalFunctionUrl,
  LocalQueue,
  LocalQueueReader,
  LocalRule,
  LocalSecret,
  LocalStream,
  LocalTable,
  StackContext,
} from './local-app.js';
import { isQueue, readQueue, readQueueReader } from './queue.js';
import { readRule } from './rule.js';
import { readSchedule } from './schedule.js';
import { readSecret } from './secret.js';
import { readStream } from './stream.js';
import { isTable, readTable } from './table.js';

/** Something that starts a function of this logical id. */
interface Starts {
  readonly functionId: string;
}

/**
 * Takes the tables, the scheduled rules and schedules, the streams, the queues, the function URLs, the functions behind
 * them, and the secrets from synthesized stacks. Everything else in them has no meaning on one machine and is left out.
 *
 * @param functionUrlBase the URL that those of functions begin with. Default: they are not served
 * @throws ConfigurationError naming the resource that the local runtime cannot run
 */
export function readApp(stacks: readonly Stack[], functionUrlBase?: string): LocalApp {
  const tables: LocalTable[] = [];
  const functions = new Map<string, LocalFunction>();
  const rules: (LocalRule & Starts)[] = [];
  const streams: (LocalStream & Starts)[] = [];
  const queues: LocalQueue[] = [];
  const queueReaders: (LocalQueueReader & Starts)[] = [];
  const functionUrls: (LocalFunctionUrl & Starts)[] = [];
  const secrets: LocalSecret[] = [];
  const alarms: LocalAlarms[] = [];
  const names = localNames(stacks);
  for (const stack of stacks) {
    const context = stackContext(stack, { names, stacks, functionUrls: functionUrlBase });
    alarms.push(readAlarms(context));
    for (const [logicalId, resource] of Object.entries(stack.template.Resources ?? {})) {
      if (isTable(resource)) tables.push(readTable(logicalId, resource, context));
      if (isQueue(resource)) queues.push(readQueue(logicalId, resource, context));
      const secret = readSecret(logicalId, resource, context);
      if (secret) secrets.push(secret);
      const found = startsOf(logicalId, resource, context);
      rules.push(...found.rules);
      streams.push(...found.streams);
      queueReaders.push(...found.queueReaders);
      functionUrls.push(...found.functionUrls);
      for (const { functionId, functionName } of Object.values(found).flat()) {
        if (!functions.has(functionName)) functions.set(functionName, readFunction(functionId, context));
      }
    }
  }
  const all = [...functions.values()];
  return {
    stacks: stacks.map(({ name }) => name),
    tables: [...tables, ...givenTables(all, tables)],
    functions: all,
    rules: rules.map(({ functionId: _, ...rule }) => rule),
    streams: streams.map(({ functionId: _, ...stream }) => stream),
    queues,
    queueReaders: queueReaders.map(({ functionId: _, ...reader }) => reader),
    functionUrls: functionUrls.map(({ functionId: _, ...url }) => url),
    secrets,
    alarms,
  };
}

/** Reads what starts functions from a resource. */
function startsOf(logicalId: string, resource: TemplateResource, context: StackContext) {
  const isMapping = resource.Type === 'AWS::Lambda::EventSourceMapping';
  const stream = isMapping ? readStream(logicalId, resource, context) : undefined;
  const reader = isMapping ? readQueueReader(logicalId, resource, context) : undefined;
  const url = readFunctionUrl(resource, context);
  return {
    rules: rulesOf(logicalId, resource, context),
    streams: stream ? [stream] : [],
    queueReaders: reader ? [reader] : [],
    functionUrls: url ? [url] : [],
  };
}

function rulesOf(logicalId: string, resource: TemplateResource, context: StackContext) {
  switch (resource.Type) {
    case 'AWS::Events::Rule':
      return readRule(logicalId, resource, context);
    case 'AWS::Scheduler::Schedule':
      return readSchedule(logicalId, resource, context);
    default:
      return [];
  }
}

/** Facts about the whole app. */
interface Known {
  readonly names: Names;
  readonly stacks: readonly Stack[];
  readonly functionUrls: string | undefined;
}

function stackContext(stack: Stack, known: Known): StackContext {
  const resources = stack.template.Resources ?? {};
  const resource = (logicalId: string) =>
    Object.hasOwn(resources, logicalId) ? resources[logicalId] : undefined;
  const nameOf = (logicalId: string) => known.names.get(nameKey(stack, logicalId)) ?? logicalId;
  const references: References = {
    ref: (logicalId) => {
      const found = resource(logicalId);
      if (found) return isQueue(found) ? queueUrl(nameOf(logicalId)) : nameOf(logicalId);
      const parameter = stack.template.Parameters?.[logicalId];
      return parameter?.Default === undefined ? undefined : String(parameter.Default);
    },
    attribute: (logicalId, attribute) => {
      const found = resource(logicalId);
      if (!found) return undefined;
      const name = nameOf(logicalId);
      if (attribute === 'QueueName') return name;
      const url = attribute === 'FunctionUrl' ? readFunctionUrl(found, context)?.url : undefined;
      if (url !== undefined) return url;
      return attribute === 'Arn' ? localArn(found.Type, name) : `${name}.${attribute}`;
    },
    imported: (name) => exported(name, known),
  };
  const context = { stack, references, functionUrls: known.functionUrls, nameOf, resource };
  return context;
}

/** Returns the value that a stack of the app exports under this name. */
function exported(name: string, known: Known): string | undefined {
  for (const stack of known.stacks) {
    const output = Object.values(stack.template.Outputs ?? {}).find(({ Export }) => Export?.Name === name);
    if (output) return resolveText(output.Value, stackContext(stack, known).references, name);
  }
  return undefined;
}

/** Builds an ARN. No code on one machine looks it up; it only has to be recognizable, and the same everywhere. */
function localArn(type: string, name: string): string {
  const [, service = 'local', kind = ''] = type.toLowerCase().split('::');
  return `arn:aws:${service}:us-east-1:000000000000:${kind}/${name}`;
}

/** Builds a URL in the form of SQS. The local runtime reads only the name at the end. */
function queueUrl(name: string): string {
  return `http://127.0.0.1/000000000000/${name}`;
}

type Names = ReadonlyMap<string, string>;

const nameKey = (stack: Stack, logicalId: string) => `${stack.name}/${logicalId}`;

/**
 * Readable names that are the same at every start: a physical name where the template has one, else the logical id
 * without the hash that CDK appends, unless two would be called the same.
 */
function localNames(stacks: readonly Stack[]): Names {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const stack of stacks) {
    for (const [logicalId, resource] of Object.entries(stack.template.Resources ?? {})) {
      const wishes = [
        physicalName(resource),
        logicalId.replace(/[0-9A-F]{8}$/, ''),
        logicalId,
        `${stack.name}-${logicalId}`,
      ];
      const name = wishes.find((wish) => wish && !taken.has(wish));
      if (name === undefined) throw new ConfigurationError(`${logicalId}: two stacks have the same name`);
      taken.add(name);
      names.set(nameKey(stack, logicalId), name);
    }
  }
  return names;
}

const SECRETS = ['AWS::SecretsManager::Secret', 'AWS::SSM::Parameter'];

function physicalName({ Type, Properties = {} }: TemplateResource): string | undefined {
  const secret = SECRETS.includes(Type) ? Properties.Name : undefined;
  const name = secret ?? Properties.TableName ?? Properties.FunctionName ?? Properties.QueueName;
  return typeof name === 'string' ? name : undefined;
}
