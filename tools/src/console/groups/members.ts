import type { Group } from 'dynamo-backlog';
import { type GroupPage, type GroupReads, type MemberState, PAGE_MEMBERS } from 'dynamo-backlog/engine';

/** Members of a page of the console. */
const SHOWN_MEMBERS = 50;
/** Items with ids that are read for it: each has up to 300 KB, 75 read units. */
const MAX_READ_PAGES = 4;

/** States whose members can be shown, in the order of their links. */
export const LISTED_STATES = ['waiting', 'dead', 'lost', 'cancelled', 'removed', 'succeeded'] as const;
export type ListedState = (typeof LISTED_STATES)[number];

/** The part of the members that is asked for. */
export interface MembersAsk {
  /** Default: those that wait, or those that are dead if none waits. */
  readonly state?: ListedState | undefined;
  /** The number of the first member to look at, from 0. */
  readonly from: number;
}

/** Members in one state. */
export interface MembersPage {
  readonly state: ListedState;
  /** Their ids, in the order of their insertion. */
  readonly ids: readonly string[];
  /** Members whose ids are not there, or damaged. */
  readonly unreadable: number;
  /** The number of the member to go on with. Undefined: there are no more. */
  readonly next: number | undefined;
  /** The number of the member that this page begins with. */
  readonly from: number;
}

/** Reads the ids of members in one state, a page of them. */
export async function readMembers(
  items: Pick<GroupReads, 'ids'>,
  { group, pages }: { readonly group: Group; readonly pages: readonly (GroupPage | undefined)[] },
  { state: wanted, from }: MembersAsk,
): Promise<MembersPage> {
  const state = wanted ?? usualState(group);
  const ids: string[] = [];
  let [read, unreadable] = [0, 0];
  for (let number = Math.floor(from / PAGE_MEMBERS); number < pages.length; number++) {
    const places = placesFrom(pages[number], state, from - number * PAGE_MEMBERS);
    const [first] = places;
    if (first === undefined) continue;
    const place = (index: number) => number * PAGE_MEMBERS + index;
    const room = SHOWN_MEMBERS - ids.length - unreadable;
    if (room === 0 || read === MAX_READ_PAGES) return { state, ids, unreadable, from, next: place(first) };
    const known = await items.ids(group.id, number);
    read++;
    for (const index of places.slice(0, room)) {
      const id = known[index];
      if (id === undefined) unreadable++;
      else ids.push(id);
    }
    const left = places[room];
    if (left !== undefined) return { state, ids, unreadable, from, next: place(left) };
  }
  return { state, ids, unreadable, from, next: undefined };
}

function placesFrom(page: GroupPage | undefined, state: MemberState, first: number): readonly number[] {
  return page?.places(state).filter((index) => index >= first) ?? [];
}

function usualState({ waiting, dead }: Group): ListedState {
  return waiting === 0 && dead > 0 ? 'dead' : 'waiting';
}
