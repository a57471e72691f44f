import type { DynamoDBClient } from 'dynamo-backlog/engine';
import type { AppQueue } from './app-queues.js';
import { forgetArrivals, scanImages } from './emulator.js';
import type { Snapshot } from './streams/beginning.js';
import type { LocalApp } from './template/local-app.js';

/** Reads the items of each table whose stream is read: a runtime before this one may not have delivered all of them. */
export function itemsLeftBehind({ tables, streams }: LocalApp, client: DynamoDBClient): Snapshot[] {
  const read = new Set(streams.map(({ table }) => table));
  return tables
    .filter(({ name }) => read.has(name))
    .map(({ name, keys }) => ({
      table: name,
      keys: keys.map((key) => key.name),
      items: scanImages(client, name),
    }));
}

/** Forgets the runs on arrival of a runtime before this one. Its sandboxes have ended with it. */
export async function endPreviousRuns(queues: readonly AppQueue[], client: DynamoDBClient): Promise<void> {
  const tables = new Set(queues.flatMap(({ controlTable }) => controlTable ?? []));
  for (const table of tables) await forgetArrivals(client, table);
}
