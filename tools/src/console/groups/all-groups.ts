import type { Group } from 'dynamo-backlog';
import {
  type Clock,
  describeGroup,
  GROUPS_SCAN,
  type GroupHead,
  type GroupPage,
  scannedItem,
} from 'dynamo-backlog/engine';
import type { GroupTables } from './open-items.js';

/** The bounds of a look: beyond them groups may be missing. 20,000 read units are 160 MB of the control table, and $0.0025. */
const MAX_READ_UNITS = 20_000;
const MAX_GROUPS = 10_000;

/** A group that goes on. */
export interface ListedGroup extends Group {
  /** A dead member keeps it from ending. */
  readonly holdsDead: boolean;
}

/** The groups that go on, as a look at the control table has found them. */
export interface GroupsLook {
  /** Real time of the look, epoch milliseconds. */
  readonly at: number;
  /** Open ones first, and of them the oldest. */
  readonly groups: readonly ListedGroup[];
  /** False: the look has ended early. Groups are missing, and counts are too low. */
  readonly isWhole: boolean;
  readonly readUnits: number;
}

/**
 * The list of the groups that go on. A look reads the whole control table, the ids of members included, so its result is kept: pages of
 * the list read it from here.
 */
export class AllGroups {
  private latest: GroupsLook | undefined;
  private underWay: Promise<GroupsLook> | undefined;

  constructor(
    private readonly open: () => GroupTables,
    private readonly clock: Pick<Clock, 'wall'>,
  ) {}

  /** The latest look. Undefined: there was none. */
  known(): GroupsLook | undefined {
    return this.latest;
  }

  /** Looks again. Pages that ask meanwhile share the look. @throws StoreError */
  look(): Promise<GroupsLook> {
    this.underWay ??= this.read().finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  /** Puts what is known of a group into the list. @param group undefined: it does not go on */
  note(id: string, group: ListedGroup | undefined): void {
    if (this.latest === undefined) return;
    const others = this.latest.groups.filter((one) => one.id !== id);
    this.latest = { ...this.latest, groups: group ? inOrder([...others, group]) : others };
  }

  private async read(): Promise<GroupsLook> {
    const { groups, readUnits } = this.open();
    const at = this.clock.wall();
    const heads = new Map<string, GroupHead>();
    const pages = new Map<string, GroupPage[]>();
    let after: string | undefined;
    do {
      const { items, next } = await groups.scan({ ...GROUPS_SCAN, after });
      for (const item of items) {
        const { id, head, page } = scannedItem(item) ?? {};
        if (id === undefined) continue;
        if (head) heads.set(id, head);
        if (page)
          pages
            .set(id, pages.get(id) ?? [])
            .get(id)
            ?.push(page);
      }
      after = next;
    } while (after !== undefined && readUnits() < MAX_READ_UNITS && heads.size < MAX_GROUPS);
    const listed = [...heads].map(([id, head]) => listedGroup(id, head, pages.get(id) ?? []));
    this.latest = { at, groups: inOrder(listed), isWhole: after === undefined, readUnits: readUnits() };
    return this.latest;
  }
}

/** A group that goes on, for the list. */
export function listedGroup(
  id: string,
  head: GroupHead,
  pages: readonly (GroupPage | undefined)[],
): ListedGroup {
  return { ...describeGroup(id, head, pages), holdsDead: head.holdsDead };
}

function inOrder(groups: readonly ListedGroup[]): ListedGroup[] {
  const text = ({ state, createdAt = '', id }: ListedGroup) =>
    `${state === 'open' ? 0 : 1} ${createdAt} ${id}`;
  return groups
    .map((group) => ({ group, text: text(group) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ group }) => group);
}
