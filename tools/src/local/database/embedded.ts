import { join } from 'node:path';
import { createMissingTables } from '../../../../src/store/dynamodb/create-tables.js';
import { runningRuntimes } from '../discovery.js';
import { DataInUseError, startEmbeddedDynamoDb } from '../embedded-dynamodb.js';
import { DYNAMODB_PORT, onWantedPort } from '../ports.js';
import type { Database, DatabaseOptions } from './database.js';

export interface EmbeddedOptions extends Pick<DatabaseOptions, 'onChange' | 'onFailure' | 'onPortTaken'> {
  /** 0 for any that is free. Default: 8000, or the next one that is free. */
  readonly port: number | undefined;
  /** Keeps the records in a folder of it; in memory by default. */
  readonly dataDir: string | undefined;
}

/** @throws ConfigurationError if the port is taken, or the data are in use */
export async function embeddedDatabase({
  port,
  dataDir,
  onChange,
  onFailure,
  onPortTaken,
}: EmbeddedOptions): Promise<Database> {
  const wanted = { ...DYNAMODB_PORT, given: port, onTaken: onPortTaken };
  const dynamodb = await onWantedPort(wanted, (free) =>
    startEmbeddedDynamoDb({
      port: free,
      onChange,
      onFailure,
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
