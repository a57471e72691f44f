import { ConfigurationError } from 'dynamo-backlog';
import { createMissingTables } from '../../../../src/store/dynamodb/create-tables.js';
import { describeTable } from '../../../../src/store/dynamodb/inspect.js';
import { runningRuntimes } from '../discovery.js';
import { TableReader } from '../streams/table-reader.js';
import { createStreamsClient, requireStreams, TableStream } from '../streams/table-stream.js';
import type { LocalApp } from '../template/local-app.js';
import type { Database, DatabaseOptions } from './database.js';
import { localEndpoint } from './local-endpoint.js';
import { checkTable } from './table-check.js';

/**
 * A DynamoDB that the user runs on this machine or near it, such as DynamoDB Local. Its streams are read.
 *
 * @throws ConfigurationError if it is AWS, or another runtime works on it
 */
export async function givenDatabase(
  url: string,
  { onChange, onTrouble }: Pick<DatabaseOptions, 'onChange' | 'onTrouble'>,
): Promise<Database> {
  const endpoint = localEndpoint(url);
  await refuseAnother(endpoint);
  const streams = createStreamsClient(endpoint);
  try {
    await requireStreams(streams);
  } catch (error) {
    streams.destroy();
    throw unusable(endpoint, error as Error);
  }
  const readers = new Map<string, TableReader>();
  const readStream = async (table: string, arn: string) => {
    const reader = new TableReader({
      source: new TableStream(streams, arn),
      onChange: (change) => onChange({ table, ...change }),
      onTrouble: (error) => onTrouble(table, error),
    });
    readers.set(table, reader);
    await reader.begin();
  };
  return {
    endpoint,
    mayHoldRecords: true,
    prepare: async (app, client) => {
      const viewTypes = viewTypesOf(app);
      await createMissingTables(client, app.tables, viewTypes);
      for (const table of app.tables) {
        const found = await describeTable(client, table.name);
        checkTable(table, found, viewTypes.get(table.name));
        const { stream } = found;
        if (!stream || !viewTypes.has(table.name) || readers.has(table.name)) continue;
        await readStream(table.name, stream.arn);
      }
    },
    stop: async () => {
      for (const reader of readers.values()) reader.stop();
      streams.destroy();
    },
  };
}

/** View types that the app needs of the streams that it reads, by table. */
function viewTypesOf({ streams }: LocalApp): Map<string, string> {
  return new Map(streams.map(({ table, viewType }) => [table, viewType]));
}

/** Refuses an endpoint of another runtime: each of the two would attempt every record. */
async function refuseAnother(endpoint: string): Promise<void> {
  const other = (await runningRuntimes()).find(
    (one) => new URL(one.endpoint).href === new URL(endpoint).href,
  );
  if (!other) return;
  throw new ConfigurationError(
    `--dynamodb-endpoint ${endpoint}: the local runtime with pid ${other.pid}, started in ${other.cwd}, works on it; two would attempt the same records at once`,
  );
}

function unusable(
  endpoint: string,
  error: Error & { code?: string; $metadata?: { httpStatusCode?: number } },
) {
  const answered = error.$metadata?.httpStatusCode !== undefined;
  const what = answered
    ? 'it has no DynamoDB Streams, which bring new records'
    : 'no DynamoDB answers there; start it first';
  const reason = [error.name, error.code, error.message].filter(Boolean).join(' ');
  return new ConfigurationError(`--dynamodb-endpoint ${endpoint}: ${what} (${reason})`, { cause: error });
}
