import { forgetArrivals, scanImages } from '../../store/dynamodb/emulator.js';
import type { DynamoDBClient } from '../../store/index.js';
import type { AppQueue } from './app-queues.js';
import type { Snapshot } from './streams/beginning.js';
import type { LocalApp } from './template/local-app.js';

/** What a runtime before this one may not have handed over any more: the items of each table whose stream is read. */
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

/** Its sandboxes have ended with it: what they had begun on arrival need not be waited for. */
export async function endFormerRuns(queues: readonly AppQueue[], client: DynamoDBClient): Promise<void> {
  const tables = new Set(queues.flatMap(({ controlTable }) => controlTable ?? []));
  for (const table of tables) await forgetArrivals(client, table);
}
