import { StoreError } from 'dynamo-backlog';
import { createDynamoDbClient } from 'dynamo-backlog/engine';
import {
  describeTable,
  hasPointInTimeRecovery,
  type TableFacts,
} from '../../../../src/store/dynamodb/inspect.js';
import { ITEM_OVERHEAD, type Stored } from '../../cost/measured-bill.js';
import type { StackParts } from './stack-parts.js';

/** The tables of a stack as DynamoDB describes them. */
export interface DescribedTables {
  /** Undefined: one of them could not be read. */
  readonly stored: Stored | undefined;
  /** Names of the indexes that are known, by table. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** The time since which all of them exist, epoch milliseconds. Undefined: it is not known. */
  readonly createdAt: number | undefined;
  /** Names of those with provisioned capacity. */
  readonly provisioned: readonly string[];
  /** Parts that could not be read, for the user. */
  readonly notRead: readonly string[];
}

/** Asks DynamoDB for the size and the age of the tables. */
export async function describeTables({ records, controls }: StackParts): Promise<DescribedTables> {
  const client = createDynamoDbClient();
  const notRead: string[] = [];
  const found: { facts: TableFacts; hasBackups: boolean | undefined }[] = [];
  try {
    for (const table of [...records.keys(), ...controls]) {
      const facts = await describeTable(client, table);
      found.push({ facts, hasBackups: await hasPointInTimeRecovery(client, table) });
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    notRead.push(`the size and the age of the tables (${error.message})`);
  } finally {
    client.destroy();
  }
  if (found.some(({ hasBackups }) => hasBackups === undefined))
    notRead.push('backups of the tables (dynamodb:DescribeContinuousBackups)');
  const isComplete = found.length === records.size + controls.length;
  const created = found.flatMap(({ facts }) => facts.createdAt ?? []);
  return {
    stored: isComplete ? storedIn(found, records) : undefined,
    indexes: new Map(found.map(({ facts }) => [facts.name, facts.indexes.map(({ name }) => name)])),
    createdAt: isComplete && created.length > 0 ? Math.max(...created) : undefined,
    provisioned: found.flatMap(({ facts }) => (facts.provisioned ? [facts.name] : [])),
    notRead,
  };
}

function storedIn(
  found: readonly { readonly facts: TableFacts; readonly hasBackups: boolean | undefined }[],
  records: StackParts['records'],
): Stored {
  const billed = (parts: readonly Pick<TableFacts, 'bytes' | 'itemCount'>[]) =>
    parts.reduce((sum, { bytes, itemCount }) => sum + bytes + ITEM_OVERHEAD * itemCount, 0);
  const all = found.map(({ facts }) => facts);
  const ofRecords = all.filter(({ name }) => records.has(name));
  const sumOf = (key: 'bytes' | 'itemCount') => ofRecords.reduce((sum, facts) => sum + facts[key], 0);
  const backedUp = found.filter(({ hasBackups }) => hasBackups).map(({ facts }) => facts);
  return {
    bytes: billed([...all, ...all.flatMap(({ indexes }) => indexes)]),
    backedUp: found.some(({ hasBackups }) => hasBackups === undefined) ? undefined : billed(backedUp),
    perRecord: sumOf('itemCount') > 0 ? sumOf('bytes') / sumOf('itemCount') : undefined,
  };
}
