import { join } from 'node:path';
import { createMissingTables } from '../../store/dynamodb/create-tables.js';
import { startEmbeddedDynamoDb } from '../embedded-dynamodb.js';
import { onPort } from '../ports.js';
import type { Database, DatabaseOptions } from './database.js';

export interface EmbeddedOptions extends Pick<DatabaseOptions, 'onChange'> {
  /** 0 for any that is free. */
  readonly port: number;
  /** Keeps the records in a folder of it; in memory by default. */
  readonly dataDir: string | undefined;
}

/** @throws ConfigurationError if the port is taken, or the data are in use */
export async function embeddedDatabase({ port, dataDir, onChange }: EmbeddedOptions): Promise<Database> {
  const dynamodb = await onPort(port, '--dynamodb-port', (free) =>
    startEmbeddedDynamoDb({
      port: free,
      onChange,
      comparesDocuments: true,
      ...(dataDir ? { dataDir: join(dataDir, 'dynamodb') } : {}),
    }),
  );
  return {
    endpoint: dynamodb.endpoint,
    mayHoldRecords: dataDir !== undefined,
    prepare: async ({ tables }, client) => {
      await createMissingTables(client, tables);
    },
    stop: () => dynamodb.stop(),
  };
}
