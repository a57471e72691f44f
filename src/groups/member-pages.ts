import { batchesOf } from '../client/batches.js';
import type { InsertManyResult } from '../client/index.js';
import type { NewItem } from '../client/insert-many.js';
import { itemBytes } from '../record/item-size.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import { PAGE_MEMBERS } from './names.js';

/** Bytes of the records of one page: they are in memory together. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** Bytes of the ids of one page, which are one item. */
const MAX_IDS_BYTES = 300_000;
const READ_AT_ONCE = 25;

/** A record that is about to be a member. */
export interface Member {
  /** Its place in the source, from 0. */
  readonly index: number;
  readonly item: NewItem;
}

/** The counts of an insertion so far. */
export interface Counts {
  inserted: number;
  readonly duplicates: string[];
  readonly failed: InsertManyResult['failed'][number][];
  /** Elements that were taken from the source. */
  taken: number;
  /** Places in the source of records that were taken from it and have no result. */
  unsettled: Set<number>;
}

export function resultOf({ inserted, duplicates, failed }: Counts): InsertManyResult {
  return { inserted, duplicates, failed: [...failed].sort((a, b) => a.index - b.index) };
}

/** Counts members as failed that their group does not take. */
export function refuse(group: string, members: readonly Member[], counts: Counts): void {
  for (const { item, index } of members) {
    const error = new InvalidRecordError(`record "${item.id}": the group ${group} takes no more members`);
    counts.failed.push({ id: item.id, index, error });
    counts.unsettled.delete(index);
  }
}

export interface PagesDeps<Given> {
  /** Makes the item of what the source gives; throws an InvalidRecordError or ConfigurationError for what makes none. */
  readonly itemOf: (given: Given) => Promise<NewItem>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The members that a source gives, in pages. Counts what makes no record, and an id that its page has already. */
export async function* memberPages<Given>(
  source: Iterable<Given> | AsyncIterable<Given>,
  counts: Counts,
  { itemOf, clock, signal }: PagesDeps<Given>,
): AsyncGenerator<readonly Member[]> {
  let page = new Page();
  for await (const some of batchesOf(source, READ_AT_ONCE, clock, signal)) {
    for (const given of some) {
      const index = counts.taken++;
      counts.unsettled.add(index);
      const item = await madeOf(given, index, counts, itemOf);
      if (item === undefined) continue;
      if (!page.hasRoomFor(item)) {
        yield page.members;
        page = new Page();
      }
      if (page.add({ index, item })) continue;
      counts.duplicates.push(item.id);
      counts.unsettled.delete(index);
    }
  }
  signal.throwIfAborted();
  if (page.members.length > 0) yield page.members;
}

/** The item of an element. Undefined: it makes none, and is counted as failed. */
async function madeOf<Given>(
  given: Given,
  index: number,
  counts: Counts,
  itemOf: PagesDeps<Given>['itemOf'],
): Promise<NewItem | undefined> {
  try {
    return await itemOf(given);
  } catch (error) {
    if (!(error instanceof InvalidRecordError || error instanceof ConfigurationError)) throw error;
    const invalid =
      error instanceof InvalidRecordError ? error : new InvalidRecordError(error.message, { cause: error });
    counts.failed.push({ id: idOf(given), index, error: invalid });
    counts.unsettled.delete(index);
    return undefined;
  }
}

function idOf(given: unknown): string | undefined {
  try {
    const { id } = given as { readonly id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

class Page {
  readonly members: Member[] = [];
  private readonly ids = new Set<string>();
  private bytes = 0;
  private idBytes = 0;

  hasRoomFor(item: NewItem): boolean {
    const { members, bytes, idBytes } = this;
    if (members.length === 0) return true;
    const hasBytes = bytes + itemBytes(item) <= MAX_PAGE_BYTES;
    return members.length < PAGE_MEMBERS && hasBytes && idBytes + Buffer.byteLength(item.id) <= MAX_IDS_BYTES;
  }

  /** False: the page has a record of this id. */
  add(member: Member): boolean {
    const { item } = member;
    if (this.ids.has(item.id)) return false;
    this.ids.add(item.id);
    this.members.push(member);
    this.bytes += itemBytes(item);
    this.idBytes += Buffer.byteLength(item.id);
    return true;
  }
}
