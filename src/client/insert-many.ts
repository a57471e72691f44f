import PQueue from 'p-queue';
import type { Clock } from '../clock.js';
import { InvalidRecordError } from '../errors.js';
import type { Random } from '../random.js';
import type { Item } from '../record/index.js';
import { type BacklogStore, StoreError, StoreThrottledError } from '../store/index.js';
import type { NewRecord } from './new-record.js';

export interface InsertManyResult {
  /** How many went in. */
  readonly inserted: number;
  /** Ids that were there already, and were left alone. */
  readonly duplicates: readonly string[];
  readonly failed: readonly FailedRecord[];
}

export interface FailedRecord {
  /** Undefined if the record had none. */
  readonly id: string | undefined;
  /** Its place in the source, from 0. */
  readonly index: number;
  readonly error: InvalidRecordError;
}

/** Counts so far. */
export interface InsertProgress {
  readonly inserted: number;
  readonly duplicates: number;
  readonly failed: number;
}

/** The store could not be reached, or used, any more. What had gone in by then is in `result`; run it again with the same ids. */
export class InsertInterruptedError extends StoreError {
  override readonly name = 'InsertInterruptedError';
  constructor(
    readonly result: InsertManyResult,
    options: { cause: unknown },
  ) {
    const { inserted, duplicates, failed } = result;
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(
      `stopped after ${inserted} inserted, ${duplicates.length} duplicates, ${failed.length} invalid: ${reason}`,
      options,
    );
  }
}

export interface InsertManyParts {
  readonly itemOf: (record: NewRecord) => Item & { readonly id: string };
  readonly store: Pick<BacklogStore, 'insert'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly concurrency: number;
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
}

const MAX_THROTTLED = 8;
const BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;

/** Inserts as many at once as allowed, and takes the next from the source only when there is room for it. */
export async function insertMany(
  records: Iterable<NewRecord> | AsyncIterable<NewRecord>,
  parts: InsertManyParts,
): Promise<InsertManyResult> {
  const queue = new PQueue({ concurrency: parts.concurrency });
  const result = { inserted: 0, duplicates: [] as string[], failed: [] as FailedRecord[] };
  let trouble: { cause: unknown } | undefined;

  const insertOne = async (record: NewRecord, index: number) => {
    if (trouble) return;
    try {
      const item = parts.itemOf(record);
      if ((await insertPatiently(item, parts)) === 'inserted') result.inserted++;
      else result.duplicates.push(item.id);
    } catch (error) {
      if (error instanceof InvalidRecordError) result.failed.push({ id: idOf(record), index, error });
      else trouble ??= { cause: error };
    }
    const { inserted, duplicates, failed } = result;
    parts.onProgress?.({ inserted, duplicates: duplicates.length, failed: failed.length });
  };

  try {
    let index = 0;
    for await (const record of records) {
      const place = index++;
      void queue
        .add(() => insertOne(record, place))
        .catch((cause: unknown) => {
          trouble ??= { cause };
        });
      await queue.onSizeLessThan(1);
      if (trouble) break;
    }
  } finally {
    await queue.onIdle();
  }
  if (trouble) throw new InsertInterruptedError(result, trouble);
  result.failed.sort((a, b) => a.index - b.index);
  return result;
}

/** Throttling passes: the table grows with its load. */
async function insertPatiently(item: Item, { store, clock, random }: InsertManyParts) {
  for (let throttled = 0; ; throttled++) {
    try {
      return await store.insert(item);
    } catch (error) {
      if (!(error instanceof StoreThrottledError) || throttled >= MAX_THROTTLED) throw error;
      const wait = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** throttled);
      await clock.sleep(wait * (0.5 + random() / 2));
    }
  }
}

function idOf(record: NewRecord): string | undefined {
  const id: unknown = record?.id;
  return typeof id === 'string' ? id : undefined;
}
