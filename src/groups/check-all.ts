import { shuffled } from '../support/random.js';
import { checkGroup } from './check-group.js';
import type { FinishDeps } from './finish.js';
import { GroupItems } from './group-items.js';
import { HEAD_PREFIX } from './names.js';

/** The age of a group, in the backlog's time, at which it is removed if the record of its end is gone. */
const MAX_AGE_MS = 400 * 86_400_000;

export interface CheckAllDeps extends FinishDeps {
  /** Tells whether there is time for more. */
  readonly hasTime: () => boolean;
}

/** The result of a look at all groups. */
export interface CheckedAll {
  /** Groups that were checked. */
  readonly checked: number;
  /** Members whose state was corrected. */
  readonly corrected: number;
  /** Groups whose check failed. */
  readonly failed: number;
  /** Groups without a record of their end that were removed. */
  readonly removed: number;
  /** Groups for which there was no time. */
  readonly left: number;
}

/**
 * Checks every group, in random order, as long as there is time: what there is no time for has its turn another day. One that
 * fails does not keep the others from their check.
 *
 * @throws StoreError if the groups cannot be listed
 */
export async function checkAll({ hasTime, ...deps }: CheckAllDeps): Promise<CheckedAll> {
  const { groups, random, logger } = deps;
  const keys = shuffled(await groups.list(HEAD_PREFIX), random);
  const counts = { checked: 0, corrected: 0, failed: 0, removed: 0, left: 0 };
  for (const key of keys) {
    const id = key.slice(HEAD_PREFIX.length);
    if (!hasTime()) {
      counts.left++;
      continue;
    }
    try {
      const { corrected } = await checkGroup(id, { ...deps, hasTime }, 'all', hasTime);
      counts.corrected += corrected;
      if (await isRemoved(id, deps)) counts.removed++;
      counts.checked++;
    } catch (error) {
      counts.failed++;
      logger.error('a group could not be checked', { group: id, reason: (error as Error).message });
    }
  }
  return counts;
}

/** Removes a group that nothing will ever end: the record of its end is gone, and it is older than any timeout. */
async function isRemoved(id: string, deps: Omit<CheckAllDeps, 'hasTime'>): Promise<boolean> {
  const { records, clock, logger } = deps;
  const items = new GroupItems(deps);
  const head = await items.head(id);
  if (!head || clock.now() - head.createdAt < MAX_AGE_MS || (await records.get(id))) return false;
  await items.remove(id, head);
  logger.warn('a group is removed, as the record of its end is gone', { group: id });
  return true;
}
