import type { Clock } from '../support/clock.js';
import { unlessAborted } from './unless-aborted.js';

/** The longest wait of a record for the next one, from a source that gives one now and one then. */
const LINGER_MS = 100;

/**
 * The elements of a source in batches, read when they are asked for. A source that breaks does so after what it gave.
 *
 * @param size of a batch; less at the end, and where the source lets others wait
 * @param over ends it once it is aborted, also while an asynchronous source has nothing to give
 */
export async function* batchesOf<Element>(
  source: Iterable<Element> | AsyncIterable<Element>,
  size: number,
  clock: Clock,
  over: AbortSignal,
): AsyncGenerator<Element[]> {
  if (Symbol.asyncIterator in source) return yield* lingering(source, size, clock, over);
  let batch: Element[] = [];
  try {
    for (const element of source) {
      batch.push(element);
      if (batch.length < size) continue;
      const full = batch;
      batch = [];
      yield full;
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

type Next<Element> = { readonly element: Element } | { readonly error: unknown } | 'end' | 'late';

async function* lingering<Element>(
  source: AsyncIterable<Element>,
  size: number,
  clock: Clock,
  over: AbortSignal,
): AsyncGenerator<Element[]> {
  const iterator = source[Symbol.asyncIterator]();
  let pending: Promise<Next<Element>> | undefined;
  let isOver = false;
  const next = () => {
    pending ??= (async () => iterator.next())().then(
      ({ done, value }) => (done ? 'end' : { element: value }),
      (error: unknown) => ({ error }),
    );
    return pending;
  };
  try {
    while (!isOver) {
      const batch: Element[] = [];
      const enough = new AbortController();
      let late: Promise<'late'> | undefined;
      // No element rejects: that is the end of all.
      let got = await unlessAborted(next, over).catch((): 'over' => 'over');
      if (got === 'over') return;
      while (got !== 'late') {
        pending = undefined;
        isOver = got === 'end' || 'error' in got;
        if (got === 'end' || 'error' in got) break;
        batch.push(got.element);
        if (batch.length >= size) break;
        late ??= clock.sleep(LINGER_MS, enough.signal).then(() => 'late');
        got = await Promise.race([next(), late]);
      }
      enough.abort();
      if (batch.length > 0) yield batch;
      if (typeof got === 'object' && 'error' in got) throw got.error;
    }
  } finally {
    // A source that is about to give one more value closes by itself after it; this does not wait for that.
    const closing = isOver ? undefined : iterator.return?.();
    if (pending === undefined) await closing;
    else closing?.catch(() => {});
  }
}
