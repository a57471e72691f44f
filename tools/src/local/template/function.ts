import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import { BUNDLE_METADATA, type BundleDescription } from 'dynamo-backlog/engine';
import { resolve, resolveText } from './intrinsics.js';
import type { LocalFunction, StackContext } from './local-app.js';
import { failureQueueOf } from './queue.js';

/** Lambda's own defaults. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

/**
 * A function that a rule starts.
 *
 * @throws ConfigurationError if it is not Node.js, or its code is no asset
 */
export function readFunction(logicalId: string, context: StackContext): LocalFunction {
  const resource = context.resource(logicalId);
  const properties = resource?.Properties ?? {};
  const runtime = String(properties.Runtime ?? '');
  if (resource?.Type !== 'AWS::Lambda::Function' || !runtime.startsWith('nodejs')) {
    throw new ConfigurationError(
      `${logicalId}: the local runtime runs Node.js functions only, this is ${runtime || resource?.Type}`,
    );
  }
  return {
    name: context.nameOf(logicalId),
    handler: resolveText(properties.Handler, context.references, `${logicalId}.Handler`),
    ...codeOf(logicalId, properties.Code, context),
    bundle: resource.Metadata?.[BUNDLE_METADATA] as BundleDescription | undefined,
    timeoutSeconds: numberOr(properties.Timeout, DEFAULT_TIMEOUT_SECONDS),
    memoryMb: numberOr(properties.MemorySize, DEFAULT_MEMORY_MB),
    environment: inLayers(
      readEnvironment(logicalId, properties.Environment, context),
      layerFolders(properties.Layers, context),
    ),
    failureQueue: failureQueueOf(logicalId, context),
  };
}

/** Tells whether it is a function that can be run: Node.js, with code from an asset. */
export function runsHere(logicalId: string, context: StackContext): boolean {
  const { Type, Properties = {} } = context.resource(logicalId) ?? {};
  const isNode = String(Properties.Runtime ?? '').startsWith('nodejs');
  return Type === 'AWS::Lambda::Function' && isNode && keyOf(Properties.Code) !== undefined;
}

function codeOf(logicalId: string, code: unknown, context: StackContext) {
  if (keyOf(code) === undefined) {
    throw new ConfigurationError(
      `${logicalId}: the local runtime runs code from assets only (Code.fromAsset, NodejsFunction), not inline code or images`,
    );
  }
  const { folder, objectKey } = assetOf(code, context, logicalId, 'Code');
  return { folder, codeKey: objectKey };
}

function keyOf(asset: unknown): unknown {
  return (asset as { S3Key?: unknown } | undefined)?.S3Key;
}

function assetOf(asset: unknown, context: StackContext, logicalId: string, property: string) {
  const objectKey = resolveText(keyOf(asset), context.references, `${logicalId}.${property}.S3Key`);
  const folder = context.stack.assetPath(objectKey);
  if (folder === undefined) {
    throw new ConfigurationError(`${logicalId}: the synthesized app has no asset "${objectKey}"`);
  }
  return { folder, objectKey };
}

/** The folders of the layers that the stack makes. Others are not on this machine. */
function layerFolders(layers: unknown, context: StackContext): string[] {
  const ids = (Array.isArray(layers) ? layers : []).map((layer) => (layer as { Ref?: unknown } | null)?.Ref);
  return ids.flatMap((id) => {
    const { Type, Properties = {} } = context.resource(String(id)) ?? {};
    const isAsset = Type === 'AWS::Lambda::LayerVersion' && keyOf(Properties.Content) !== undefined;
    return isAsset ? assetOf(Properties.Content, context, String(id), 'Content').folder : [];
  });
}

/** Lambda unpacks layers into /opt. Here, variables that name a file in it name the file where it is. */
function inLayers(
  environment: Readonly<Record<string, string>>,
  folders: readonly string[],
): Record<string, string> {
  const placeOf = (value: string) => {
    if (!value.startsWith('/opt/')) return value;
    const places = folders.map((folder) => join(folder, value.slice('/opt/'.length)));
    // Of two layers with the same file, Lambda takes the later one.
    return places.findLast((place) => existsSync(place)) ?? value;
  };
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, placeOf(value)]));
}

/**
 * Variables that the functions go without. This machine is the only region there is, and has no event bus: the console shows
 * incidents, and the log the events of records.
 */
const NOT_LOCAL = [
  'BACKLOG_PRIMARY_REGION',
  'BACKLOG_INCIDENT_BUS',
  'BACKLOG_RECORD_EVENTS_BUS',
  'BACKLOG_RECORD_EVENTS_TOPIC',
  'BACKLOG_RECORD_EVENTS_QUEUE',
];

function readEnvironment(logicalId: string, environment: unknown, context: StackContext) {
  const variables = (environment as { Variables?: Record<string, unknown> } | undefined)?.Variables ?? {};
  return Object.fromEntries(
    Object.entries(variables)
      .filter(([name]) => !NOT_LOCAL.includes(name))
      .map(([name, value]) => {
        const where = `${logicalId}.Environment.${name}`;
        const resolved = resolve(value, context.references, where);
        return [
          name,
          typeof resolved === 'string' ? resolved : resolveText(resolved, context.references, where),
        ];
      }),
  );
}

function numberOr(value: unknown, fallback: number): number {
  const number = Number(value ?? fallback);
  return Number.isFinite(number) ? number : fallback;
}
