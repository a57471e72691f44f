import type { RecordStore } from '../store/index.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import type { AttemptLogger } from '../support/logger.js';
import { allDone } from './all-done.js';
import { type StartDeps, startEnd } from './end-record.js';
import { GroupItems, type GroupItemsDeps } from './group-items.js';
import type { GroupHead } from './head.js';
import { type GroupPage, MEMBER_STATES, type MemberState, type StateCounts } from './page.js';
import { readStates } from './read-states.js';

export interface FinishDeps extends GroupItemsDeps, StartDeps {
  readonly records: StartDeps['records'] &
    Pick<RecordStore, 'insert'> &
    Pick<OperatorRecordStore, 'getItems'>;
  readonly logger: AttemptLogger;
  /** Tells whether there is time for more records. Default: there is. */
  readonly hasTime?: (() => boolean) | undefined;
}

/** Pages whose members are read at once. The records of each were at most 16 MB. */
const CONCURRENCY = 3;

/**
 * Ends a group whose members have all ended: starts the record that waits for it, and removes the items of the group. Reads its
 * head, and all its pages if it is sealed, and once the records of its dead members. A process that is lost in between leaves the
 * head: the next one starts nothing again.
 *
 * @throws StoreError; Error if there is no time to read all its dead members
 */
export async function endIfOver(id: string, deps: FinishDeps): Promise<void> {
  const { logger } = deps;
  const items = new GroupItems(deps);
  const head = await items.head(id);
  if (!head?.sealed) return;
  const pages = await items.allPages(id, head);
  const counts = countsOf(pages);
  if (counts === undefined || !hasEnded(counts, head)) return;
  if (await correctGivenUp(id, pages, deps)) return endIfOver(id, deps);
  const { unused: _, waiting: __, ...shown } = counts;
  if (await startEnd(id, counts, deps)) logger.info('a group has ended', { group: id, ...shown });
  else
    logger.warn('a group has ended, and its record does not wait for it any more', { group: id, ...shown });
  await items.remove(id, head);
}

function hasEnded(counts: StateCounts, { holdsDead }: GroupHead): boolean {
  return counts.waiting === 0 && !(holdsDead && counts.dead > 0);
}

/**
 * Compares members that were given up with their records: they alone may have been changed since. The stream may not have brought a
 * redrive yet, and brings older changes again where a batch of it is repeated. False: all is as it was noted.
 */
async function correctGivenUp(
  id: string,
  pages: readonly (GroupPage | undefined)[],
  deps: FinishDeps,
): Promise<boolean> {
  const { hasTime = () => true } = deps;
  const items = new GroupItems(deps);
  let isCorrected = false;
  const correct = async ([number, page]: readonly [number, GroupPage | undefined]) => {
    const givenUp = page?.places('dead', 'cancelled') ?? [];
    if (!page || givenUp.length === 0) return;
    const states = await readStates(id, number, givenUp, deps);
    if (page.with(states) === undefined) return;
    await items.changePage(id, number, (now) => now.with(states));
    isCorrected = true;
  };
  const all = [...pages.entries()];
  for (let start = 0; start < all.length; start += CONCURRENCY) {
    if (!hasTime()) throw new Error(`group ${id}: there was no time to read all its dead members`);
    await allDone(all.slice(start, start + CONCURRENCY).map(correct));
  }
  return isCorrected;
}

/** The members of all pages in each state. Undefined: members of a page are being inserted, or a page cannot be read. */
function countsOf(pages: readonly (GroupPage | undefined)[]): StateCounts | undefined {
  return pages.every((page) => page && page.until === undefined) ? sumOf(pages) : undefined;
}

/** The members of those pages that can be read. */
export function sumOf(pages: readonly (GroupPage | undefined)[]): StateCounts {
  const each = pages.flatMap((page) => page?.counts() ?? []);
  const sum = (state: MemberState) => each.reduce((total, counts) => total + counts[state], 0);
  return Object.fromEntries(MEMBER_STATES.map((state) => [state, sum(state)])) as unknown as StateCounts;
}
