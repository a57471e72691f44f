import { itemOf } from '../client/new-record.js';
import { isOfStore } from '../store/errors.js';
import type { FinishDeps } from './finish.js';
import { GroupItems } from './group-items.js';

/** The id of the record of a group's first death. */
export function firstDeathId(id: string): string {
  return `${id}/first-death`;
}

/**
 * Inserts the record of a group's first death, if one was asked for: once, as its id is always the same. One that the store refuses, or
 * that is damaged, is logged: the end of the group does not depend on it.
 *
 * @throws StoreError if the store has no answer
 */
export async function tellFirstDeath(id: string, member: string, deps: FinishDeps): Promise<void> {
  const { clock, random, indexesAtOnce, records, logger } = deps;
  const items = new GroupItems(deps);
  const firstDeath = (await items.head(id))?.firstDeath;
  if (firstDeath === undefined) return;
  const context = { now: clock.now(), availableAt: undefined, random, indexesAtOnce };
  try {
    const payload = { ...(firstDeath.payload as object), group: { id, complete: false, member } };
    const item = itemOf({ ...firstDeath, id: firstDeathId(id), payload }, context);
    if ((await records.insert(item)) === 'inserted')
      logger.info('the first member of a group is dead', { group: id, id: member });
  } catch (error) {
    if (isOfStore(error)) throw error;
    const reason = (error as Error).message;
    logger.error('the record of a first death could not be inserted', { group: id, id: member, reason });
  }
  await items.changeHead(id, (head) => (head.firstDeath === undefined ? undefined : { firstDeath: null }));
}
