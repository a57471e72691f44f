import type { OperatorRecordStore } from '../store/operator-store.js';
import { GroupItems, type GroupItemsDeps } from './group-items.js';
import { changeOf } from './member-changes.js';
import { memberText } from './names.js';
import type { MemberState } from './page.js';

export interface ReadStatesDeps extends GroupItemsDeps {
  readonly records: Pick<OperatorRecordStore, 'getItems'>;
}

/** The states of members of a page by their records, read strongly. A member without a record is left out. */
export async function readStates(
  group: string,
  page: number,
  indexes: readonly number[],
  deps: ReadStatesDeps,
): Promise<Map<number, MemberState>> {
  const ids = await new GroupItems(deps).ids(group, page);
  const found = await deps.records.getItems(indexes.flatMap((index) => ids[index] ?? []));
  const states = new Map(
    found.flatMap(({ record }) => {
      const change = changeOf(record);
      return change ? [[memberText(change.place), change.state] as const] : [];
    }),
  );
  return new Map(
    indexes.flatMap((index): [number, MemberState][] => {
      const state = states.get(memberText({ group, page, index }));
      return state === undefined ? [] : [[index, state]];
    }),
  );
}
