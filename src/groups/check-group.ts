import { shuffled } from '../support/random.js';
import { endIfOver, type FinishDeps } from './finish.js';
import { tellFirstDeath } from './first-death.js';
import { GroupItems } from './group-items.js';
import type { GroupHead } from './head.js';
import type { GroupPage, MemberState } from './page.js';
import { readStates } from './read-states.js';

/** Time for which a process may be busy with the members of one page. */
export const PAGE_SECONDS = 300;
const MARGIN_MS = 5_000;

/** The result of a look at the members of a group. */
export interface Checked {
  /** Members whose state was corrected, of those that waited. */
  readonly corrected: number;
  /** Real time, epoch milliseconds, until which another process inserts members. Undefined: none does. */
  readonly busyUntil: number | undefined;
}

/**
 * Compares the members that wait with their records, and corrects what no event has brought: members whose insertion was cut off,
 * ends that were missed, records that are gone. One read unit for two members that wait. Then ends the group if that is due.
 *
 * @param which `cutOff`: only pages whose members a lost process was inserting
 * @param hasTime tells whether there is time for another page. The order of pages is random, so that each has its turn another time
 */
export async function checkGroup(
  id: string,
  deps: FinishDeps,
  which: 'all' | 'cutOff' = 'all',
  hasTime: () => boolean = () => true,
): Promise<Checked> {
  const { clock, random } = deps;
  const items = new GroupItems(deps);
  const head = await items.head(id);
  if (!head) return { corrected: 0, busyUntil: undefined };
  const pages = await items.allPages(id, head);
  const busy: number[] = [];
  let corrected = 0;
  for (const [number, page] of shuffled([...pages.entries()], random)) {
    if (!hasTime()) return { corrected, busyUntil: busy.length === 0 ? undefined : Math.max(...busy) };
    const until = page ? page.until : head.addedAt + PAGE_SECONDS * 1000;
    const isCutOff = until !== undefined && until + MARGIN_MS <= clock.wall();
    if (until !== undefined && !isCutOff) busy.push(until + MARGIN_MS);
    else if (!page) await items.fillGap(id, number);
    else if (which === 'all' || isCutOff) corrected += await checkPage(id, number, page, head, deps);
  }
  await endIfOver(id, deps);
  return { corrected, busyUntil: busy.length === 0 ? undefined : Math.max(...busy) };
}

async function checkPage(
  group: string,
  number: number,
  page: GroupPage,
  { holdsDead }: GroupHead,
  deps: FinishDeps,
): Promise<number> {
  const items = new GroupItems(deps);
  // A dead member that keeps its group from ending may have been redriven or deleted unseen.
  const open = page.places('waiting', ...(holdsDead ? (['dead'] as const) : []));
  if (open.length === 0 && page.until === undefined) return 0;
  const found = await readStates(group, number, open, deps);
  /** A record that is not there was never inserted, if its page was not closed. */
  const absent: MemberState = page.until === undefined ? 'lost' : 'unused';
  const goneFrom = (before: MemberState) => (before === 'dead' ? 'removed' : absent);
  const states = new Map(
    open.map((index): [number, MemberState] => [index, found.get(index) ?? goneFrom(page.stateAt(index))]),
  );
  const corrected = [...states].filter(([index, state]) => page.stateAt(index) !== state);
  // A state that an event has brought since the page was read stands.
  await items.changePage(group, number, (now) => {
    const left = new Map(corrected.filter(([index]) => now.stateAt(index) === page.stateAt(index)));
    const changed = now.with(left) ?? now;
    return now.until === undefined && changed === now ? undefined : changed.closed();
  });
  const [dead] = corrected.filter(([, state]) => state === 'dead');
  if (dead) await tellFirstDeath(group, (await items.ids(group, number))[dead[0]] ?? '', deps);
  return corrected.length;
}
