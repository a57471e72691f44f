import { itemOf } from '../client/new-record.js';
import type { FinishDeps } from './finish.js';
import { GroupItems } from './group-items.js';

/** The id of the record of a group's first death. */
export function firstDeathId(id: string): string {
  return `${id}/first-death`;
}

/** Inserts the record of a group's first death, if one was asked for: once, as its id is always the same. */
export async function tellFirstDeath(id: string, member: string, deps: FinishDeps): Promise<void> {
  const { records, clock, random, indexesAtOnce, logger } = deps;
  const items = new GroupItems(deps);
  const firstDeath = (await items.head(id))?.firstDeath;
  if (firstDeath === undefined) return;
  const payload = { ...(firstDeath.payload as object), group: { id, complete: false, member } };
  const record = { ...firstDeath, id: firstDeathId(id), payload };
  const context = { now: clock.now(), availableAt: undefined, random, indexesAtOnce };
  if ((await records.insert(itemOf(record, context))) === 'inserted')
    logger.info('the first member of a group is dead', { group: id, id: member });
  await items.changeHead(id, (head) => (head.firstDeath === undefined ? undefined : { firstDeath: null }));
}
