import { mkdir } from 'node:fs/promises';
import { ConfigurationError } from 'dynamo-backlog';
import type { RuntimeOptions } from '../runtime-options.js';
import type { Database, DatabaseOptions } from './database.js';

/**
 * The database of a runtime: an embedded one, or the one that its options name.
 *
 * @throws ConfigurationError if the options contradict each other, or the folder cannot be made
 */
export async function openDatabase(
  { dynamodbPort, dynamodbEndpoint }: RuntimeOptions,
  dataDir: string | undefined,
  reported: DatabaseOptions,
): Promise<Database> {
  if (dynamodbEndpoint === undefined) {
    if (dataDir !== undefined) await makeFolder(dataDir);
    const { embeddedDatabase } = await import('./embedded.js');
    return embeddedDatabase({ port: dynamodbPort, dataDir, ...reported });
  }
  if (dataDir === undefined) {
    const { givenDatabase } = await import('./given.js');
    return givenDatabase(dynamodbEndpoint, reported);
  }
  throw new ConfigurationError(
    '--data-dir keeps the records of the embedded DynamoDB, and the time that belongs to them; with ' +
      '--dynamodb-endpoint they are elsewhere: leave one of the two out',
  );
}

async function makeFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' || code === 'ENOTDIR' ? 'there is a file of that name' : message;
    throw new ConfigurationError(`--data-dir: ${dataDir} cannot be a folder: ${reason}`, { cause: error });
  }
}
