import { groupBy } from '../support/group-by.js';
import { allDone } from './all-done.js';
import { endIfOver, type FinishDeps } from './finish.js';
import { tellFirstDeath } from './first-death.js';
import { GroupItems } from './group-items.js';
import type { MemberChange } from './member-changes.js';
import type { GroupPage, MemberState } from './page.js';

/** Pages that are written at once. */
const CONCURRENCY = 10;

/**
 * Notes the states of members, in their order: one read and one write for each page. The same changes again do no harm. Where the
 * last member of a page has ended, looks whether its group has.
 *
 * @throws StoreError; what was noted stays, and the same changes have to come again
 */
export async function noteStates(changes: readonly MemberChange[], deps: FinishDeps): Promise<void> {
  const items = new GroupItems(deps);
  const pages = [...groupBy(changes, ({ place: { group, page } }) => `${page}#${group}`).values()];
  const dead = new Map<string, string>();
  const over = new Set<string>();
  for (let start = 0; start < pages.length; start += CONCURRENCY) {
    await allDone(
      pages.slice(start, start + CONCURRENCY).map(async (ofPage) => {
        const { group, page } = (ofPage[0] as MemberChange).place;
        const states = new Map(ofPage.map(({ place, state }): [number, MemberState] => [place.index, state]));
        const changed = await items.changePage(group, page, (before) => before.with(states));
        if (!changed) return;
        const died = ofPage.find((change) => change.state === 'dead' && isAt(changed.after, change));
        if (died) dead.set(group, died.id);
        if (isOver(changed.after)) over.add(group);
      }),
    );
  }
  for (const [group, id] of dead) await tellFirstDeath(group, id, deps);
  for (const group of over) await endIfOver(group, deps);
}

function isAt(page: GroupPage, { place, state }: MemberChange): boolean {
  return place.index < page.size && page.stateAt(place.index) === state;
}

/** Tells whether all members of a page have ended. */
function isOver(page: GroupPage): boolean {
  return page.until === undefined && page.counts().waiting === 0;
}
