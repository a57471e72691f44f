import PQueue from 'p-queue';
import type { Item } from '../record/index.js';
import type { InsertAnswer } from '../store/dynamodb/bulk-inserts.js';
import { StoreError } from '../store/index.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import type { Random } from '../support/random.js';
import { batchesOf } from './batches.js';

/** The result of the insertion of many records. */
export interface InsertManyResult {
  /** The number of records that were inserted. */
  readonly inserted: number;
  /** Ids that were there already, and were left alone. */
  readonly duplicates: readonly string[];
  /** Records that cannot be stored, in the order of the source. The others are inserted. */
  readonly failed: readonly {
    /** The record's id; undefined if it had none. */
    readonly id: string | undefined;
    /** The record's place in the source, from 0. */
    readonly index: number;
    /** The error, which says what is wrong with the record. */
    readonly error: InvalidRecordError;
  }[];
}

/**
 * Counts so far.
 *
 * @inline
 */
export interface InsertProgress {
  /** Records that went in. */
  readonly inserted: number;
  /** Records whose id was there already. */
  readonly duplicates: number;
  /** Records that cannot be stored. */
  readonly failed: number;
}

/**
 * The store could not be reached, or used, any more, or the signal was aborted. What had gone in by then is in
 * `result`; run it again with the same ids.
 */
export class InsertInterruptedError extends StoreError {
  /** Always `InsertInterruptedError`. */
  override readonly name = 'InsertInterruptedError';
  constructor(
    /** The result until then. */
    readonly result: InsertManyResult,
    options: { cause: unknown },
    /** Places in the source, from 0, of the records that were taken from it and have no result. */
    readonly unsettled: readonly number[] = [],
    /** The number of records that were taken from the source. */
    readonly taken: number = 0,
  ) {
    const { inserted, duplicates, failed } = result;
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(
      `stopped after ${inserted} inserted, ${duplicates.length} duplicates, ${failed.length} invalid: ${reason}`,
      options,
    );
  }
}

type Writable<List extends readonly unknown[]> = List[number][];

export interface InsertManyDeps<Source> {
  /**
   * Makes the item of what the source gives; throws an InvalidRecordError or ConfigurationError for what makes none.
   */
  readonly itemOf: (given: Source) => NewItem | Promise<NewItem>;
  /** The id of what makes no item, if it has one. */
  readonly idOf: (given: Source) => unknown;
  /** Inserts at once, in few requests; see DynamoDbBulkInserts. */
  readonly insert: (items: readonly Item[]) => Promise<InsertAnswer[]>;
  readonly clock: Clock;
  readonly random: Random;
  /** Records under way at once. */
  readonly concurrency: number;
  readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
  /** Ends it: no more is taken from the source, and what is throttled is not sent again. */
  readonly signal?: AbortSignal | undefined;
}

export type NewItem = Item & { readonly id: string };

/** The items that one request of the store takes. */
const BATCH = 25;
const MAX_FRUITLESS_TRIES = 8;
const BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;

/** Inserts as many at once as allowed, and takes the next from the source only when there is room for them. */
export async function insertMany<Source>(
  source: Iterable<Source> | AsyncIterable<Source>,
  deps: InsertManyDeps<Source>,
): Promise<InsertManyResult> {
  const { concurrency, clock, onProgress, signal } = deps;
  const size = Math.min(BATCH, concurrency);
  const queue = new PQueue({ concurrency: Math.floor(concurrency / size) });
  const result = {
    inserted: 0,
    duplicates: [] as string[],
    failed: [] as Writable<InsertManyResult['failed']>,
  };
  const unsettled = new Set<number>();
  let taken = 0;
  /** Aborted by the first trouble, or with the caller's signal; its reason is the cause. */
  const over = new AbortController();
  const fail = (cause: unknown) => over.abort(cause);
  const stop = () => fail(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });

  const count = (id: string | undefined, index: number, answer: InsertAnswer) => {
    if (answer === 'inserted') result.inserted++;
    else if (answer === 'duplicate') result.duplicates.push(String(id));
    else if ('invalid' in answer) result.failed.push({ id, index, error: answer.invalid });
    else {
      fail('passing' in answer ? answer.passing : answer.trouble);
      return;
    }
    unsettled.delete(index);
    const { inserted, duplicates, failed } = result;
    onProgress?.({ inserted, duplicates: duplicates.length, failed: failed.length });
  };

  const insertBatch = async (batch: readonly Source[], first: number) => {
    if (over.signal.aborted) return;
    const made = await Promise.all(batch.map((given) => make(given, deps)));
    const items = made.flatMap((one) => ('item' in one ? one.item : []));
    const answers = await insertPatiently(items, deps);
    for (const [i, one] of made.entries()) {
      if ('item' in one) count(one.item.id, first + i, answers[items.indexOf(one.item)] as InsertAnswer);
      else count(idOf(batch[i] as Source, deps), first + i, one);
    }
  };

  try {
    for await (const batch of batchesOf(source, size, clock, over.signal)) {
      const first = taken;
      for (let i = 0; i < batch.length; i++) unsettled.add(taken++);
      void queue.add(() => insertBatch(batch, first)).catch(fail);
      await queue.onSizeLessThan(1);
      if (over.signal.aborted) break;
    }
  } finally {
    await queue.onIdle();
    signal?.removeEventListener('abort', stop);
  }
  result.failed.sort((a, b) => a.index - b.index);
  if (over.signal.aborted)
    throw new InsertInterruptedError(
      result,
      { cause: over.signal.reason },
      [...unsettled].sort((a, b) => a - b),
      taken,
    );
  return result;
}

async function make<Source>(
  given: Source,
  { itemOf }: InsertManyDeps<Source>,
): Promise<{ readonly item: NewItem } | { readonly invalid: InvalidRecordError }> {
  try {
    return { item: await itemOf(given) };
  } catch (error) {
    if (error instanceof InvalidRecordError) return { invalid: error };
    if (!(error instanceof ConfigurationError)) throw error;
    return { invalid: new InvalidRecordError(error.message, { cause: error }) };
  }
}

/** Throttling passes: the table grows with its load. */
async function insertPatiently<Source>(
  items: readonly Item[],
  { insert, clock, random, signal }: InsertManyDeps<Source>,
): Promise<InsertAnswer[]> {
  const answers: InsertAnswer[] = [];
  let waiting = items.map((_, i) => i);
  for (let tries = 0, fruitless = 0; waiting.length > 0; tries++) {
    if (tries > 0) {
      const wait = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (tries - 1));
      await clock.sleep(wait * (0.5 + random() / 2), signal);
      if (signal?.aborted) break;
    }
    const got = await insert(waiting.map((i) => items[i] as Item));
    for (const [n, i] of waiting.entries()) answers[i] = got[n] as InsertAnswer;
    const left = waiting.filter((i) => isPassing(answers[i]));
    fruitless = left.length < waiting.length ? 0 : fruitless + 1;
    if (fruitless > MAX_FRUITLESS_TRIES) break;
    waiting = left;
  }
  return answers;
}

function isPassing(answer: InsertAnswer | undefined): boolean {
  return typeof answer === 'object' && 'passing' in answer;
}

function idOf<Source>(given: Source, deps: InsertManyDeps<Source>): string | undefined {
  try {
    const id = deps.idOf(given);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
