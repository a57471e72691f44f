import { batchesOf } from '../client/batches.js';
import { InsertInterruptedError, type InsertManyResult, type InsertProgress } from '../client/index.js';
import type { NewItem } from '../client/insert-many.js';
import { itemBytes } from '../record/item-size.js';
import { checkItem } from '../store/item-limits.js';
import { MAX_NUMBERED, type NumberedInserts } from '../store/numbered-inserts.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import { groupBy } from '../support/group-by.js';
import { lineNumberKey } from './names.js';

export interface InsertNumberedDeps<Given> {
  /** Makes the item of what the source gives. It names a key. */
  readonly itemOf: (given: Given) => Promise<NewItem & { readonly queue: string; readonly key: string }>;
  readonly numbered: NumberedInserts;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
}

/** Bytes of the records of one transaction; DynamoDB takes 4 MB. */
const MAX_BYTES = 2 * 1024 * 1024;

type Placed = Awaited<ReturnType<InsertNumberedDeps<unknown>['itemOf']>>;

/**
 * Inserts records from a source, in the order in which it gives them, with the next numbers of their lines: up to 99 of one line by one
 * transaction. Lines do not wait for each other within 99 records.
 *
 * @throws InsertInterruptedError if a table cannot be used or reached, if the source breaks, or at the signal
 */
export async function insertNumbered<Given>(
  source: Iterable<Given> | AsyncIterable<Given>,
  { itemOf, numbered, clock, signal = new AbortController().signal, onProgress }: InsertNumberedDeps<Given>,
): Promise<InsertManyResult> {
  const duplicates: string[] = [];
  const failed: InsertManyResult['failed'][number][] = [];
  const unsettled = new Set<number>();
  let [inserted, taken] = [0, 0];
  const result = (): InsertManyResult => ({
    inserted,
    duplicates,
    failed: [...failed].sort((a, b) => a.index - b.index),
  });
  const insertTogether = async (some: readonly { readonly item: Placed; readonly index: number }[]) => {
    const [first] = some;
    if (!first) return;
    const answers = await numbered.insert(
      lineNumberKey(first.item),
      some.map(({ item }) => item),
    );
    for (const [at, { item, index }] of some.entries()) {
      if (answers[at] === 'inserted') inserted++;
      else duplicates.push(item.id);
      unsettled.delete(index);
    }
    onProgress?.({ inserted, duplicates: duplicates.length, failed: failed.length });
  };
  try {
    for await (const batch of batchesOf(source, MAX_NUMBERED, clock, signal)) {
      const placed: { readonly item: Placed; readonly index: number }[] = [];
      for (const given of batch) {
        const index = taken++;
        unsettled.add(index);
        try {
          const item = await itemOf(given);
          checkItem(item);
          placed.push({ item, index });
        } catch (error) {
          if (!(error instanceof InvalidRecordError || error instanceof ConfigurationError)) throw error;
          failed.push({ id: idOf(given), index, error: error as InvalidRecordError });
          unsettled.delete(index);
        }
      }
      signal.throwIfAborted();
      const lines = [...groupBy(placed, ({ item }) => lineNumberKey(item)).values()];
      const done = await Promise.allSettled(
        lines.map(async (ofLine) => {
          for (const some of transactionsOf(ofLine)) await insertTogether(some);
        }),
      );
      for (const one of done) if (one.status === 'rejected') throw one.reason;
    }
    signal.throwIfAborted();
  } catch (error) {
    throw new InsertInterruptedError(result(), { cause: error }, [...unsettled], taken);
  }
  return result();
}

/** Records of one line in transactions. None has an id twice: DynamoDB would refuse it as a whole. */
function transactionsOf<Entry extends { readonly item: Placed }>(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let [bytes, ids] = [0, new Set<string>()];
  for (const entry of entries) {
    const size = itemBytes(entry.item);
    const part = parts.at(-1);
    if (part && bytes + size <= MAX_BYTES && !ids.has(entry.item.id)) {
      part.push(entry);
      bytes += size;
      ids.add(entry.item.id);
    } else {
      parts.push([entry]);
      [bytes, ids] = [size, new Set([entry.item.id])];
    }
  }
  return parts;
}

function idOf(given: unknown): string | undefined {
  const { id } = (given ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : undefined;
}
