import { DynamoDbControl } from '../../src/store/dynamodb/control.js';
import { DynamoDbGroups } from '../../src/store/dynamodb/groups.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { LinesGiven, LineTables } from './lines.js';

/** The control table as lines need it: their items, and the leases of runs. */
export function lineTablesOf({ settings, indexing }: Pick<LinesGiven, 'settings' | 'indexing'>): LineTables {
  const { clock, random } = indexing;
  const { control } = tablesOf({ client: createDynamoDbClient(), tables: settings.tables, clock, random });
  return { lines: new DynamoDbGroups(control), control: new DynamoDbControl(control) };
}
