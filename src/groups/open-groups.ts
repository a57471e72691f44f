import { type ConnectionOptions, clientFor } from '../connection.js';
import { DynamoDbOperatorSharedItems } from '../store/dynamodb/operator-shared-items.js';
import { Table } from '../store/dynamodb/table.js';
import type { OperatorSharedItems, SharedItems } from '../store/shared-items.js';
import { systemClock } from '../support/clock.js';
import { systemRandom } from '../support/random.js';
import { firstDeathId } from './first-death.js';
import { GroupItems } from './group-items.js';
import type { GroupHead } from './head.js';
import type { GroupPage } from './page.js';

/**
 * Options of `openGroups`: those of a `BacklogOperator`.
 *
 * @inline
 */
export interface OpenGroupsOptions extends ConnectionOptions {
  /** Name of the control table. */
  readonly controlTable: string;
}

/** The items of groups, with the read units that they have cost so far: calls at the same time do not share them. */
export function openGroups(options: OpenGroupsOptions): {
  /** The items in the control table. */
  readonly groups: OperatorSharedItems;
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
  return { groups: new DynamoDbOperatorSharedItems(table), readUnits: () => readUnits };
}

/** Strong reads of the items of one group. */
export interface GroupReads {
  /** Its head. Undefined: there is none, or it is damaged. */
  head(id: string): Promise<GroupHead | undefined>;
  /** Its pages, by number. Undefined: it is not there, or damaged. */
  allPages(id: string, head: Pick<GroupHead, 'pages'>): Promise<(GroupPage | undefined)[]>;
  /** The ids of a page's members, by their places. Empty: they are not there, or damaged. */
  ids(id: string, page: number): Promise<readonly string[]>;
}

/** Reads items of groups. */
export function groupReads(groups: SharedItems): GroupReads {
  return new GroupItems({ groups, clock: systemClock, random: systemRandom });
}

/** The id of the record of a group's first death. Its own declaration keeps those of the functions that count out of the package. */
export const firstDeathRecordId: (group: string) => string = firstDeathId;
