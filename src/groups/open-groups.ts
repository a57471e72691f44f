import { type ConnectionOptions, clientFor } from '../connection.js';
import { DynamoDbOperatorGroups } from '../store/dynamodb/operator-groups.js';
import { Table } from '../store/dynamodb/table.js';
import type { OperatorGroupStore } from '../store/group-store.js';
import { systemClock } from '../support/clock.js';
import { systemRandom } from '../support/random.js';

/** Options of `openGroups`: those of a `BacklogOperator`. */
export interface OpenGroupsOptions extends ConnectionOptions {
  /** Name of the control table. */
  readonly controlTable: string;
}

/** The items of groups, with the read units that they have cost so far: calls at the same time do not share them. */
export function openGroups(options: OpenGroupsOptions): {
  /** The items in the control table. */
  readonly groups: OperatorGroupStore;
  /** The read units so far. */
  readonly readUnits: () => number;
} {
  let readUnits = 0;
  const { controlTable: name, clock = systemClock, random = systemRandom } = options;
  const table = new Table({
    ...{ client: clientFor(options), name, keyName: 'key', clock, random },
    onConsumed: ({ kind, units }) => {
      if (kind === 'read') readUnits += units;
    },
  });
  return { groups: new DynamoDbOperatorGroups(table), readUnits: () => readUnits };
}
