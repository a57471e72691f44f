import { ConfigurationError } from 'dynamo-backlog';
import { parseOptions } from 'dynamo-backlog/engine';
import * as z from 'zod';
import type { TemplateResource } from './assembly.js';
import { resolve } from './intrinsics.js';
import type { LocalTable, StackContext } from './local-app.js';

const keySchema = z
  .array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))
  .min(1)
  .transform((keys) => keys.map(({ AttributeName, KeyType }) => ({ name: AttributeName, type: KeyType })));

const tableSchema = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .default([]),
  LocalSecondaryIndexes: z.array(z.unknown()).default([]),
});

export function isTable({ Type }: TemplateResource): boolean {
  return Type === 'AWS::DynamoDB::GlobalTable' || Type === 'AWS::DynamoDB::Table';
}

/** Keys and indexes of a table. Billing, encryption, backups and replicas mean nothing to the embedded DynamoDB. */
export function readTable(logicalId: string, resource: TemplateResource, context: StackContext): LocalTable {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
    resource.Properties ?? {};
  const relevant = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes };
  const table = parseOptions(tableSchema, resolve(relevant, context.references, logicalId), logicalId);
  if (table.LocalSecondaryIndexes.length > 0) {
    throw new ConfigurationError(`${logicalId}: the local runtime has no local secondary indexes`);
  }
  return {
    name: context.nameOf(logicalId),
    logicalId,
    keys: table.KeySchema,
    attributes: table.AttributeDefinitions.map(({ AttributeName, AttributeType }) => ({
      name: AttributeName,
      type: AttributeType,
    })),
    indexes: table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema: keys, Projection }) => ({
      name: IndexName,
      keys,
      projection: Projection.ProjectionType,
      include: Projection.NonKeyAttributes,
    })),
  };
}
