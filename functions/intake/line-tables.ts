import { DynamoDbControl } from '../../src/store/dynamodb/control.js';
import { DynamoDbGroups } from '../../src/store/dynamodb/groups.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { IntakeDeps } from './intake-batch.js';
import type { LineTables } from './lines.js';

/** The control table as lines need it: their items, and the leases that may have a run at work. */
export function lineTablesOf({ settings, indexing }: Pick<IntakeDeps, 'settings' | 'indexing'>): LineTables {
  const { clock, random } = indexing;
  const { control } = tablesOf({ client: createDynamoDbClient(), tables: settings.tables, clock, random });
  const items = new DynamoDbControl(control);
  return { lines: new DynamoDbGroups(control), leases: { readAll: () => items.readLeases() } };
}
