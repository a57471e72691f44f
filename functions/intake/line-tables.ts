import { DynamoDbControl } from '../../src/store/dynamodb/control.js';
import { DynamoDbSharedItems } from '../../src/store/dynamodb/shared-items.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Clock } from '../../src/support/clock.js';
import type { Random } from '../../src/support/random.js';
import type { LineTables } from './lines.js';
import type { IntakeSettings } from './settings.js';

/** The control table as lines need it: their items, and the leases of runs. */
export function lineTablesOf({
  settings: { tables },
  clock,
  random,
}: {
  readonly settings: Pick<IntakeSettings, 'tables'>;
  readonly clock: Clock;
  readonly random: Random;
}): LineTables {
  const { control } = tablesOf({ client: createDynamoDbClient(), tables, clock, random });
  return { lines: new DynamoDbSharedItems(control), control: new DynamoDbControl(control) };
}
