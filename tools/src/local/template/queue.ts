import { parseOptions } from 'dynamo-backlog/engine';
import * as z from 'zod';
import type { TemplateResource } from './assembly.js';
import { resolve } from './intrinsics.js';
import type { LocalQueue, LocalQueueReader, StackContext } from './local-app.js';
import { attributeOf, functionBehind } from './referred.js';

const QUEUE = 'AWS::SQS::Queue';
const DEFAULT_BATCH = 10;
/** Deliveries of a message without a dead-letter queue: it comes again until SQS forgets it. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

const redriveSchema = z.object({ maxReceiveCount: z.coerce.number(), deadLetterTargetArn: z.unknown() });

const mappingSchema = z.object({
  BatchSize: z.int().min(1).default(DEFAULT_BATCH),
  Enabled: z.union([z.boolean(), z.string()]).default(true),
});

export function isQueue({ Type }: TemplateResource): boolean {
  return Type === QUEUE;
}

export function readQueue(
  logicalId: string,
  { Properties = {} }: TemplateResource,
  context: StackContext,
): LocalQueue {
  const redrive = redriveSchema.safeParse(Properties.RedrivePolicy);
  const deadLetters = redrive.success ? queueOf(redrive.data.deadLetterTargetArn, context) : undefined;
  return {
    name: context.nameOf(logicalId),
    maxReceives: redrive.success ? redrive.data.maxReceiveCount : NO_LIMIT,
    deadLetterQueue: deadLetters,
  };
}

/** Reads a mapping that delivers the messages of a queue of this stack to a function of it. */
export function readQueueReader(
  logicalId: string,
  { Properties = {} }: TemplateResource,
  context: StackContext,
): (LocalQueueReader & { readonly functionId: string }) | undefined {
  const queue = queueOf(Properties.EventSourceArn, context);
  const functionId = functionBehind(Properties.FunctionName, context);
  if (queue === undefined || functionId === undefined) return undefined;
  const { BatchSize, Enabled } = Properties;
  const relevant = resolve({ BatchSize, Enabled }, context.references, logicalId);
  const mapping = parseOptions(mappingSchema, relevant, logicalId);
  if (String(mapping.Enabled) !== 'true') return undefined;
  return { queue, functionName: context.nameOf(functionId), functionId, batchSize: mapping.BatchSize };
}

/** Returns the queue for asynchronous events that a function fails on, if it is one of the function's stack. */
export function failureQueueOf(functionId: string, context: StackContext): string | undefined {
  for (const { Type, Properties = {} } of Object.values(context.stack.template.Resources ?? {})) {
    if (Type !== 'AWS::Lambda::EventInvokeConfig') continue;
    if (functionBehind(Properties.FunctionName, context) !== functionId) continue;
    return destinationOf(Properties.DestinationConfig, context);
  }
  return undefined;
}

/** The on-failure destination of a function or an event source mapping, if that is a queue of its stack. */
export function destinationOf(config: unknown, context: StackContext): string | undefined {
  const { OnFailure } = (config ?? {}) as { OnFailure?: { Destination?: unknown } };
  return queueOf(OnFailure?.Destination, context);
}

function queueOf(arn: unknown, context: StackContext): string | undefined {
  const id = attributeOf(arn, 'Arn');
  return id !== undefined && context.resource(id)?.Type === QUEUE ? context.nameOf(id) : undefined;
}
