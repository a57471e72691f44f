import { join } from 'node:path';
import { createMissingTables } from '../../../store/dynamodb/create-tables.js';
import { runningRuntimes } from '../discovery.js';
import { DataInUseError, startEmbeddedDynamoDb } from '../embedded-dynamodb.js';
import { onPort } from '../ports.js';
import type { Database, DatabaseOptions } from './database.js';

export interface EmbeddedOptions extends Pick<DatabaseOptions, 'onChange' | 'onFailure'> {
  /** 0 for any that is free. */
  readonly port: number;
  /** Keeps the records in a folder of it; in memory by default. */
  readonly dataDir: string | undefined;
}

/** @throws ConfigurationError if the port is taken, or the data are in use */
export async function embeddedDatabase({
  port,
  dataDir,
  onChange,
  onFailure,
}: EmbeddedOptions): Promise<Database> {
  const dynamodb = await onPort(port, '--dynamodb-port', (free) =>
    startEmbeddedDynamoDb({
      port: free,
      onChange,
      onFailure,
      comparesDocuments: true,
      ...(dataDir ? { dataDir: join(dataDir, 'dynamodb') } : {}),
    }),
  ).catch(async (error: unknown) => {
    throw error instanceof DataInUseError && dataDir ? await withPid(error, dataDir) : error;
  });
  return {
    endpoint: dynamodb.endpoint,
    mayHoldRecords: dataDir !== undefined,
    prepare: async ({ tables }, client) => {
      await createMissingTables(client, tables);
    },
    stop: () => dynamodb.stop(),
  };
}

async function withPid(error: DataInUseError, dataDir: string): Promise<DataInUseError> {
  const runtimes = await runningRuntimes().catch(() => []);
  const other = runtimes.find((one) => one.dataDir === dataDir);
  if (!other) return error;
  return new DataInUseError(
    dataDir,
    error,
    `the local runtime with pid ${other.pid}, started in ${other.cwd}`,
  );
}
