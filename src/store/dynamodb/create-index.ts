import { type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../support/clock.js';
import { StoreError } from '../errors.js';
import { isValidationError, translated } from './errors.js';
import { describeTable, type TableFacts } from './inspect.js';
import { DUE_INDEX } from './pages.js';

const FIRST_LOOK_MS = 250;
const LOOK_EVERY_MS = 10_000;

/** The request of UpdateTable that adds the index, as the AWS command line takes it, too. */
export function dueIndexRequest({ name, provisioned }: Pick<TableFacts, 'name' | 'provisioned'>) {
  return {
    TableName: name,
    AttributeDefinitions: [
      { AttributeName: 'lane', AttributeType: 'S' as const },
      { AttributeName: 'dueAt', AttributeType: 'S' as const },
    ],
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: DUE_INDEX,
          KeySchema: [
            { AttributeName: 'lane', KeyType: 'HASH' as const },
            { AttributeName: 'dueAt', KeyType: 'RANGE' as const },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' as const },
          ...(provisioned && {
            ProvisionedThroughput: {
              ReadCapacityUnits: provisioned.reads,
              WriteCapacityUnits: provisioned.writes,
            },
          }),
        },
      },
    ],
  };
}

/**
 * Adds the index `due` to a table that is there already, and waits until it is complete: for a large table that takes
 * hours. May be interrupted; DynamoDB goes on.
 *
 * @throws StoreError if DynamoDB refuses
 */
export async function createDueIndex(
  client: DynamoDBClient,
  facts: TableFacts,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<'ready' | 'interrupted'> {
  const { name } = facts;
  const request = new UpdateTableCommand(dueIndexRequest(facts));
  await translated('UpdateTable', name, () => client.send(request)).catch((error: unknown) => {
    const { cause } = error as StoreError;
    throw isValidationError(cause) ? refused(name, (cause as Error).message, { cause }) : error;
  });
  for (let waitMs = FIRST_LOOK_MS; !signal.aborted; waitMs = Math.min(LOOK_EVERY_MS, waitMs * 2)) {
    const { dueIndex } = await describeTable(client, name);
    if (!dueIndex) throw refused(name, 'it is not there');
    if (dueIndex.ready) return 'ready';
    await clock.sleep(waitMs, signal);
  }
  return 'interrupted';
}

function refused(table: string, reason: string, options?: ErrorOptions): StoreError {
  return new StoreError(
    `UpdateTable (table ${table}): no index was made: ${reason} (an embedded DynamoDB cannot add one: create the table again with it)`,
    options,
  );
}
