import { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { show } from '../../src/support/validation.js';

/** The properties of a table, as CloudFormation gets them. */
interface Made {
  readonly keySchema?: readonly KeyPart[];
  readonly attributeDefinitions?: readonly {
    readonly attributeName?: string;
    readonly attributeType?: string;
  }[];
  readonly globalSecondaryIndexes?: readonly {
    readonly indexName?: string;
    readonly keySchema?: readonly KeyPart[];
  }[];
  readonly timeToLiveSpecification?: { readonly attributeName?: string; readonly enabled?: boolean };
}

interface KeyPart {
  readonly attributeName?: string;
  readonly keyType?: string;
}

/**
 * Checks tables of the user's own, as far as they are made in this app. An imported one has a name only. At synthesis, as an
 * index can be added to a table later on.
 */
export function checkGivenTables(
  scope: Construct,
  {
    table,
    controlTable,
  }: { readonly table?: ITable | undefined; readonly controlTable?: ITable | undefined },
): void {
  scope.node.addValidation({
    validate: () =>
      [table && recordsTrouble(table), controlTable && controlTrouble(controlTable)].flatMap(
        (trouble) => trouble ?? [],
      ),
  });
}

function recordsTrouble(table: ITable): string | undefined {
  const made = madeHere(table);
  if (!made) return undefined;
  const keyTrouble = troubleOfKey(made, made.keySchema, ['id'], 'Backlog.table', 'the key');
  if (keyTrouble !== undefined) return keyTrouble;
  const index = made.globalSecondaryIndexes?.find(({ indexName }) => indexName === 'due');
  if (!index) {
    const others = (made.globalSecondaryIndexes ?? []).map(({ indexName }) => indexName);
    return (
      'Backlog.table: expected an index "due" (partition key "lane", sort key "dueAt", both strings, keys only), got ' +
      (others.length === 0 ? 'a table without an index' : `the indexes ${others.map(show).join(', ')}`)
    );
  }
  const indexTrouble = troubleOfKey(
    made,
    index.keySchema,
    ['lane', 'dueAt'],
    'Backlog.table',
    'the index "due" with the key',
  );
  if (indexTrouble !== undefined) return indexTrouble;
  const { attributeName, enabled } = made.timeToLiveSpecification ?? {};
  if (enabled === true && attributeName === 'expiresAt') return undefined;
  return (
    'Backlog.table: expected TTL on "expiresAt" (timeToLiveAttribute), as records that are done would stay for ever, got ' +
    (attributeName === undefined ? 'a table without TTL' : `TTL on ${show(attributeName)}`)
  );
}

function controlTrouble(table: ITable): string | undefined {
  const made = madeHere(table);
  if (!made) return undefined;
  const keyTrouble = troubleOfKey(made, made.keySchema, ['key'], 'Backlog.controlTable', 'the key');
  if (keyTrouble !== undefined) return keyTrouble;
  const { attributeName, enabled } = made.timeToLiveSpecification ?? {};
  if (enabled !== true || attributeName === 'expiresAt') return undefined;
  // Leases and the state of queues could be gone.
  return `Backlog.controlTable: expected TTL on "expiresAt", or none, got TTL on ${show(attributeName)}`;
}

function madeHere(table: ITable): Made | undefined {
  const { defaultChild } = table.node;
  if (defaultChild === undefined || !('keySchema' in defaultChild)) return undefined;
  const { keySchema, attributeDefinitions, globalSecondaryIndexes, timeToLiveSpecification } =
    defaultChild as Made;
  return Stack.of(table).resolve({
    keySchema,
    attributeDefinitions,
    globalSecondaryIndexes,
    timeToLiveSpecification,
  }) as Made;
}

function troubleOfKey(
  { attributeDefinitions = [] }: Made,
  keySchema: readonly KeyPart[] = [],
  names: readonly string[],
  path: string,
  what: string,
): string | undefined {
  const typeOf = (name: string | undefined) =>
    attributeDefinitions.find(({ attributeName }) => attributeName === name)?.attributeType;
  const isRight =
    keySchema.length === names.length &&
    names.every((name, i) => keySchema[i]?.attributeName === name && typeOf(name) === 'S');
  if (isRight) return undefined;
  const expected = names.map((name) => `"${name}" (S)`).join(' and ');
  const got = keySchema
    .map(({ attributeName }) => `"${attributeName}" (${typeOf(attributeName)})`)
    .join(' and ');
  return `${path}: expected ${what} ${expected}, got ${got}`;
}
