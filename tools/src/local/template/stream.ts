import { ConfigurationError } from 'dynamo-backlog';
import { parseOptions } from 'dynamo-backlog/engine';
import * as z from 'zod';
import { matcherOf } from '../streams/event-pattern.js';
import type { TemplateResource } from './assembly.js';
import { resolve } from './intrinsics.js';
import type { LocalStream, StackContext } from './local-app.js';
import { destinationOf } from './queue.js';
import { attributeOf, functionBehind } from './referred.js';
import { isTable } from './table.js';

const mappingSchema = z.object({
  BatchSize: z.int().min(1).max(10_000).default(100),
  Enabled: z.union([z.boolean(), z.string()]).default(true),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRecordAgeInSeconds: z.int().min(-1).max(604_800).default(-1),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })).default([]) }).optional(),
});

/**
 * Reads a mapping that delivers the changes of a table of this stack to a function of it. Other sources of events have
 * no meaning on one machine and are left out.
 *
 * @throws ConfigurationError for a filter that the local runtime does not know
 */
export function readStream(
  logicalId: string,
  { Properties = {} }: TemplateResource,
  context: StackContext,
): (LocalStream & { readonly functionId: string }) | undefined {
  const tableId = attributeOf(Properties.EventSourceArn, 'StreamArn');
  const table = tableId === undefined ? undefined : context.resource(tableId);
  const functionId = functionBehind(Properties.FunctionName, context);
  if (tableId === undefined || !table || !isTable(table) || functionId === undefined) return undefined;
  const { BatchSize, Enabled, FilterCriteria, BisectBatchOnFunctionError, MaximumRecordAgeInSeconds } =
    Properties;
  const relevant = resolve(
    { BatchSize, Enabled, FilterCriteria, BisectBatchOnFunctionError, MaximumRecordAgeInSeconds },
    context.references,
    logicalId,
  );
  const mapping = parseOptions(mappingSchema, relevant, logicalId);
  if (String(mapping.Enabled) !== 'true') return undefined;
  const patterns = (mapping.FilterCriteria?.Filters ?? []).map(({ Pattern }) => {
    const where = `${logicalId}.FilterCriteria`;
    return matcherOf(parseJson(Pattern, where), where);
  });
  return {
    id: context.nameOf(logicalId),
    table: context.nameOf(tableId),
    functionName: context.nameOf(functionId),
    functionId,
    batchSize: mapping.BatchSize,
    bisects: mapping.BisectBatchOnFunctionError,
    maxAgeSeconds: mapping.MaximumRecordAgeInSeconds < 0 ? undefined : mapping.MaximumRecordAgeInSeconds,
    failureQueue: destinationOf(Properties.DestinationConfig, context),
    viewType: viewTypeOf(table),
    matches: (event) => patterns.length === 0 || patterns.some((matches) => matches(event)),
  };
}

function viewTypeOf({ Properties = {} }: TemplateResource): string {
  const { StreamViewType } = (Properties.StreamSpecification ?? {}) as { StreamViewType?: unknown };
  return String(StreamViewType ?? 'KEYS_ONLY');
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(`${where}: expected JSON, got ${text.length} characters that are none`);
  }
}
