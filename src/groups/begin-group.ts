import type { NewItem } from '../client/insert-many.js';
import { itemOf } from '../client/new-record.js';
import { checkItem } from '../store/item-limits.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import type { Random } from '../support/random.js';
import { groupEndOf, isHeld, payloadWith } from './end-record.js';
import { firstDeathId } from './first-death.js';
import { GroupItems, type GroupItemsDeps } from './group-items.js';
import { END_ATTRIBUTE } from './names.js';
import type { GroupRecord } from './options.js';

export interface BeginDeps extends GroupItemsDeps {
  readonly records: Pick<OperatorRecordStore, 'insert' | 'get'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly indexesAtOnce: (queue: string) => boolean;
}

/** A group as its options say it. */
export interface NewGroup {
  readonly onComplete: GroupRecord;
  readonly onFirstDeath?: GroupRecord | undefined;
  readonly deadMembers: 'end' | 'hold';
  /** Seconds. */
  readonly timeout: number;
}

/**
 * Begins a group: inserts the record that waits for its end, and makes its head. One that has begun is left as it is.
 *
 * @returns `open` or `sealed`; `ended`: its record does not wait any more
 * @throws ConfigurationError for a payload that is no object, or if the id is that of another record; InvalidRecordError for a
 *   record that cannot be stored; StoreError
 */
export async function beginGroup(
  id: string,
  { onComplete, onFirstDeath, deadMembers, timeout }: NewGroup,
  deps: BeginDeps,
): Promise<'open' | 'sealed' | 'ended'> {
  const { records, clock, random, indexesAtOnce } = deps;
  const items = new GroupItems(deps);
  const now = clock.now();
  const payload = payloadWith(onComplete.payload, { id, complete: false }, 'onComplete');
  const context = { now, availableAt: now + timeout * 1000, random, indexesAtOnce };
  const end = endItem(id, itemOf({ ...onComplete, id, payload }, context));
  const death = onFirstDeath && firstDeathOf(id, onFirstDeath, context);
  const isNew = (await records.insert(end)) === 'inserted';
  if (!isNew) {
    const record = await records.get(id);
    if (record && groupEndOf(id, record) === undefined)
      throw new ConfigurationError(
        `group ${id}: expected an id of its own, but it is that of another record`,
      );
    if (!record || !isHeld(id, record)) return 'ended';
  }
  const head = {
    createdAt: now,
    pages: 0,
    addedAt: clock.wall(),
    sealed: false,
    holdsDead: deadMembers === 'hold',
    firstDeath: death ?? null,
  };
  if (await items.create(id, head)) {
    const record = isNew ? undefined : await records.get(id);
    if (isNew || (record && isHeld(id, record))) return 'open';
    // It has ended since its record was read, and its head was removed: another one would end nothing.
    await items.remove(id, head);
    return 'ended';
  }
  return (await items.head(id))?.sealed ? 'sealed' : 'open';
}

/** The item with the attribute by which it is the record of a group's end. */
function endItem(id: string, item: NewItem): NewItem {
  if (item[END_ATTRIBUTE] === undefined) return { ...item, [END_ATTRIBUTE]: id };
  throw new InvalidRecordError(
    `group ${id}: onComplete.attributes.${END_ATTRIBUTE}: expected nothing, as the group writes it`,
  );
}

/** The record for the first death as it is kept in the head: what is wrong with it is an error before anything is inserted. */
function firstDeathOf(id: string, record: GroupRecord, context: Parameters<typeof itemOf>[1]): GroupRecord {
  const payload = payloadWith(record.payload, {}, 'onFirstDeath');
  const { group: _, ...own } = payload;
  const item = itemOf({ ...record, id: firstDeathId(id), payload }, context);
  try {
    checkItem(item);
  } catch (error) {
    if (error instanceof InvalidRecordError) throw error;
    throw new InvalidRecordError(`group ${id}: onFirstDeath cannot be stored`, { cause: error });
  }
  return { ...record, payload: own };
}
