import type { OperatorRecordStore } from '../store/operator-store.js';
import { GroupItems, type GroupItemsDeps } from './group-items.js';
import { changeOf } from './member-changes.js';
import { idsKey, memberText } from './names.js';
import type { MemberState } from './page.js';

/** Records that are read at once: one BatchGetItem. */
const RECORDS_AT_ONCE = 100;

export interface ReadStatesDeps extends GroupItemsDeps {
  readonly records: Pick<OperatorRecordStore, 'getItems'>;
}

/**
 * The states of members of a page by their records, read strongly. A member without a record is left out.
 *
 * @throws Error if the ids of the page cannot be read: its members are not lost for that
 */
export async function readStates(
  group: string,
  page: number,
  indexes: readonly number[],
  deps: ReadStatesDeps,
): Promise<Map<number, MemberState>> {
  const ids = await new GroupItems(deps).ids(group, page);
  const wanted = indexes.flatMap((index) => ids[index] ?? []);
  if (wanted.length < indexes.length)
    throw new Error(
      `group ${group}: the ids of page ${page} are not there, or damaged: ${idsKey(group, page)}`,
    );
  const states = new Map<string, MemberState>();
  // Few records are in memory at once: each may have 400 KB.
  for (let start = 0; start < wanted.length; start += RECORDS_AT_ONCE) {
    for (const { record } of await deps.records.getItems(wanted.slice(start, start + RECORDS_AT_ONCE))) {
      const change = changeOf(record);
      if (change) states.set(memberText(change.place), change.state);
    }
  }
  return new Map(
    indexes.flatMap((index): [number, MemberState][] => {
      const state = states.get(memberText({ group, page, index }));
      return state === undefined ? [] : [[index, state]];
    }),
  );
}
