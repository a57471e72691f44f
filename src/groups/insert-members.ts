import { InsertInterruptedError, type InsertManyResult, type InsertProgress } from '../client/index.js';
import { insertMany } from '../client/insert-many.js';
import type { Item } from '../record/index.js';
import type { InsertAnswer } from '../store/dynamodb/bulk-inserts.js';
import { StoreUnavailableError } from '../store/errors.js';
import type { Found, OperatorRecordStore } from '../store/operator-store.js';
import { groupBy } from '../support/group-by.js';
import { PAGE_SECONDS } from './check-group.js';
import { GroupItems, type GroupItemsDeps } from './group-items.js';
import { changeOf } from './member-changes.js';
import { type Counts, type Member, memberPages, type PagesDeps, refuse, resultOf } from './member-pages.js';
import { MAX_PAGES, MEMBER_ATTRIBUTE, memberText } from './names.js';
import { GroupPage, type MemberState } from './page.js';

export interface InsertMembersDeps<Given> extends GroupItemsDeps, Pick<PagesDeps<Given>, 'itemOf'> {
  readonly records: Pick<OperatorRecordStore, 'getItems'>;
  /** Inserts at once, in few requests; see DynamoDbBulkInserts. */
  readonly insert: (items: readonly Item[]) => Promise<InsertAnswer[]>;
  readonly concurrency: number;
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Inserts the members of a group from a source, page after page. A page with the ids of its members is written first, then the
 * members are inserted, and then the page is closed. `checkGroup` closes a page that a lost process leaves.
 *
 * A group that is sealed, has ended or has used up its pages takes no more. A record that is in the table is a duplicate then. Any
 * other one has failed, so that none is lost unseen.
 *
 * @throws InsertInterruptedError if a table cannot be used or reached, if the source breaks, or at the signal
 */
export async function insertMembers<Given>(
  id: string,
  source: Iterable<Given> | AsyncIterable<Given>,
  deps: InsertMembersDeps<Given>,
): Promise<InsertManyResult> {
  const { clock, itemOf, signal = new AbortController().signal } = deps;
  const counts: Counts = { inserted: 0, duplicates: [], failed: [], taken: 0, unsettled: new Set() };
  try {
    const head = await new GroupItems(deps).head(id);
    const comesAgain = head === undefined || head.pages > 0;
    for await (const members of memberPages(source, counts, { itemOf, clock, signal })) {
      const absent = comesAgain ? await absentOf(id, members, counts, deps) : members;
      if (absent.length > 0) await insertPage(id, absent, counts, deps);
    }
  } catch (error) {
    const cause = error instanceof InsertInterruptedError ? error.cause : error;
    const unsettled = [...counts.unsettled].sort((a, b) => a - b);
    throw new InsertInterruptedError(resultOf(counts), { cause }, unsettled, counts.taken);
  }
  return resultOf(counts);
}

/** The members that are not in the table. A call that comes again takes no page for the others: a group has only so many. */
async function absentOf<Given>(
  group: string,
  members: readonly Member[],
  counts: Counts,
  deps: InsertMembersDeps<Given>,
): Promise<readonly Member[]> {
  const found = await deps.records.getItems(members.map(({ item }) => item.id));
  const present = new Set(found.map(({ record }) => record.id));
  await restoreMembers(group, found, deps);
  for (const { item, index } of members) {
    if (!present.has(item.id)) continue;
    counts.duplicates.push(item.id);
    counts.unsettled.delete(index);
  }
  return members.filter(({ item }) => !present.has(item.id));
}

async function insertPage<Given>(
  group: string,
  members: readonly Member[],
  counts: Counts,
  deps: InsertMembersDeps<Given>,
): Promise<void> {
  const { clock, random, insert, concurrency, onProgress } = deps;
  const groupItems = new GroupItems(deps);
  const until = clock.wall() + PAGE_SECONDS * 1000;
  const opened = GroupPage.opened(members.length, until);
  const ids = members.map(({ item }) => item.id);
  const page = await groupItems.addPage(group, opened, ids, MAX_PAGES);
  if (page === undefined) return refuse(group, members, counts);
  const items = members.map(({ item }, index) => ({
    ...item,
    [MEMBER_ATTRIBUTE]: memberText({ group, page, index }),
  }));
  const before = { ...counts, duplicates: counts.duplicates.length, failed: counts.failed.length };
  const result = await insertMany(items, {
    itemOf: (item) => item,
    idOf: ({ id }) => id,
    insert: (some) => {
      // Behind that, another process may close the page: what is not there by then is no member.
      if (clock.wall() < until) return insert(some);
      throw new StoreUnavailableError(`group ${group}: its page took more than ${PAGE_SECONDS} seconds`);
    },
    clock,
    random,
    concurrency,
    signal: deps.signal,
    onProgress: (progress) =>
      onProgress?.({
        inserted: before.inserted + progress.inserted,
        duplicates: before.duplicates + progress.duplicates,
        failed: before.failed + progress.failed,
      }),
  }).catch((error: unknown) => {
    if (error instanceof InsertInterruptedError) note(error.result, error.unsettled);
    throw error;
  });
  note(result, []);
  const duplicates = new Set(result.duplicates);
  const failed = new Set(result.failed.map(({ index }) => index));
  const isUnused = (index: number) => failed.has(index) || duplicates.has(ids[index] ?? '');
  const closed = await groupItems.changePage(group, page, (now) => {
    // One that a check has taken for absent, as this process was held up, is a member all the same.
    const stateOf = (index: number) => (isUnused(index) ? 'unused' : absentToWaiting(now.stateAt(index)));
    const states = new Map(members.map((_, index): [number, MemberState] => [index, stateOf(index)]));
    return (now.with(states) ?? now).closed();
  });
  if (!closed)
    throw new StoreUnavailableError(`group ${group}: it has ended while its members were inserted`);
  if (result.duplicates.length > 0)
    await restoreMembers(group, await deps.records.getItems(result.duplicates), deps);

  function note({ inserted, duplicates, failed }: InsertManyResult, unsettled: readonly number[]): void {
    counts.inserted += inserted;
    counts.duplicates.push(...duplicates);
    counts.failed.push(...failed.map((one) => ({ ...one, index: members[one.index]?.index ?? 0 })));
    const open = new Set(unsettled.map((index) => members[index]?.index));
    for (const { index } of members) if (!open.has(index)) counts.unsettled.delete(index);
  }
}

/**
 * Looks at records that were there already: one that an earlier call has inserted as a member is one, even if its request arrived so
 * late that its place counts as unused.
 */
async function restoreMembers<Given>(
  group: string,
  found: readonly Found[],
  deps: InsertMembersDeps<Given>,
): Promise<void> {
  const members = found
    .flatMap(({ record }) => changeOf(record) ?? [])
    .filter(({ place }) => place.group === group);
  for (const [number, ofPage] of groupBy(members, ({ place }) => place.page)) {
    await new GroupItems(deps).changePage(group, number, (page) => {
      const states = ofPage.filter(
        ({ place }) => absentToWaiting(page.stateAt(place.index)) !== page.stateAt(place.index),
      );
      return page.with(new Map(states.map(({ place, state }) => [place.index, state])));
    });
  }
}

function absentToWaiting(state: MemberState): MemberState {
  return state === 'unused' || state === 'lost' ? 'waiting' : state;
}
