import type { BacklogRecord, Group } from 'dynamo-backlog';
import { endedGroup, firstDeathRecordId, type GroupHead, groupReads, Tables } from 'dynamo-backlog/engine';
import type { ConsoleDeps } from '../deps.js';
import { listedGroup } from './all-groups.js';
import { endRecordOf, type GroupEndRecord } from './end-state.js';
import { type MembersAsk, type MembersPage, readMembers } from './members.js';
import { openGroupItems } from './open-items.js';

/** A group as its page shows it. */
export interface ReadGroup {
  readonly group: Group;
  /** Undefined: it has ended, and its items are removed. */
  readonly head: GroupHead | undefined;
  /** The record of its end. Undefined: it is gone. */
  readonly record: BacklogRecord | undefined;
  readonly end: GroupEndRecord;
  /** The record of its first death, and the member that it names. Undefined: there is none. */
  readonly firstDeath: { readonly id: string; readonly member: string | undefined } | undefined;
  /** Undefined: the members of a group that has ended are not kept. */
  readonly members: MembersPage | undefined;
  readonly readUnits: number;
}

/**
 * Reads a group: its head, its pages, the ids of the members that are shown, and the records of its end and of its first death.
 *
 * @param id as `checkGroupId` has taken it
 * @returns undefined: there is no such group
 * @throws StoreError
 */
export async function readGroup(
  { backlog }: ConsoleDeps,
  id: string,
  ask: MembersAsk,
  now: number,
): Promise<ReadGroup | undefined> {
  const { groups, readUnits } = openGroupItems(backlog);
  const { store, units } = new Tables(backlog).open();
  const items = groupReads(groups);
  const deathId = firstDeathRecordId(id);
  const [head, found] = await Promise.all([items.head(id), store.records.getItems([id, deathId])]);
  const byId = new Map(found.map(({ record }) => [record.id, record]));
  const record = byId.get(id);
  const end = endRecordOf(id, record, now);
  const firstDeath = firstDeathOf(id, byId.get(deathId));
  const cost = () => readUnits() + units().readUnits;
  if (!head) {
    const group = record && endedGroup(id, record);
    return group && { group, head, record, end, firstDeath, members: undefined, readUnits: cost() };
  }
  const pages = await items.allPages(id, head);
  const group = listedGroup(id, head, pages);
  const members = await readMembers(items, { group, pages }, ask);
  return { group, head, record, end, firstDeath, members, readUnits: cost() };
}

/** Any service may have written a record with this id. */
function firstDeathOf(group: string, record: BacklogRecord | undefined): ReadGroup['firstDeath'] {
  if (record === undefined) return undefined;
  const { payload } = record as {
    readonly payload?: { readonly group?: Readonly<Record<string, unknown>> } | null;
  };
  const named = typeof payload === 'object' ? payload?.group : undefined;
  if (named?.id !== group) return undefined;
  return { id: record.id, member: typeof named.member === 'string' ? named.member : undefined };
}
