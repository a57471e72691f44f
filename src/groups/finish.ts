import type { RecordStore } from '../store/index.js';
import type { AttemptLogger } from '../support/logger.js';
import { type StartDeps, startEnd } from './end-record.js';
import { GroupItems, type GroupItemsDeps } from './group-items.js';
import type { GroupHead } from './head.js';
import { type GroupPage, MEMBER_STATES, type StateCounts } from './page.js';

export interface FinishDeps extends GroupItemsDeps, StartDeps {
  readonly records: StartDeps['records'] & Pick<RecordStore, 'insert'>;
  readonly logger: AttemptLogger;
}

/**
 * Ends a group whose members have all ended: starts the record that waits for it, and removes the items of the group. Reads its
 * head, and all its pages if it is sealed. A process that is lost in between leaves the head: the next one starts nothing again.
 */
export async function endIfOver(id: string, deps: FinishDeps): Promise<void> {
  const { logger } = deps;
  const items = new GroupItems(deps);
  const head = await items.head(id);
  if (!head?.sealed) return;
  const counts = countsOf(await items.allPages(id, head));
  if (counts === undefined || !hasEnded(counts, head)) return;
  if (await startEnd(id, counts, deps)) logger.info('a group has ended', { group: id, ...counts });
  else
    logger.warn('a group has ended, and its record does not wait for it any more', { group: id, ...counts });
  await items.remove(id, head);
}

function hasEnded(counts: StateCounts, { holdsDead }: GroupHead): boolean {
  return counts.waiting === 0 && !(holdsDead && counts.dead > 0);
}

/** The members of all pages in each state. Undefined: members of a page are being inserted, or a page cannot be read. */
export function countsOf(pages: readonly (GroupPage | undefined)[]): StateCounts | undefined {
  return pages.every((page) => page?.until === undefined && page) ? sumOf(pages) : undefined;
}

/** The members of those pages that can be read. */
export function sumOf(pages: readonly (GroupPage | undefined)[]): StateCounts {
  const each = pages.flatMap((page) => page?.counts() ?? []);
  const sum = (state: (typeof MEMBER_STATES)[number]) =>
    each.reduce((total, counts) => total + counts[state], 0);
  return Object.fromEntries(MEMBER_STATES.map((state) => [state, sum(state)])) as unknown as StateCounts;
}
