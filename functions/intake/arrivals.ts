import { needsIndexing } from '../../src/intake/index.js';
import { type BacklogRecord, isPending, type KnownQueues, whyUnfit } from '../../src/record/index.js';
import type { Arrivals } from '../../src/worker/index.js';
import { asText } from '../service-limits.js';
import type { BatchKeys } from './batch-keys.js';
import { MAX_MESSAGE_BYTES } from './queue-event.js';
import type { StreamChange } from './stream-event.js';

/** An event for the function of a queue. */
export interface ArrivalsEvent {
  readonly queue: string;
  readonly arrivals: Arrivals;
}

export interface Invocation {
  readonly functionName: string;
  readonly event: ArrivalsEvent;
}

/** Changed records, by what is to be done about them. */
export interface Sorted {
  /** Events that have records attempted at once. */
  readonly invocations: readonly Invocation[];
  /** Records that are to be indexed: no run is started for them. */
  readonly place: readonly string[];
  /**
   * Records that are to be looked at later: a run that was started for them may be about to attempt them, or to be done
   * with them.
   */
  readonly later: readonly string[];
  /** Records that their producers have indexed themselves: nothing is to be done. */
  readonly alreadyIndexed: readonly string[];
}

/**
 * Sorts the changes of a batch.
 *
 * @param functionOf the name of the function that attempts records of a queue on insertion
 * @param known the queues that there are
 * @param now epoch milliseconds
 */
export function sortChanges(
  changes: readonly StreamChange[],
  functionOf: ReadonlyMap<string, string>,
  known: KnownQueues & { readonly keys?: BatchKeys | undefined },
  now: number,
): Sorted {
  const alreadyIndexed = new Set<string>();
  const place = new Set<string>();
  const later = new Set<string>();
  const arriving = new Map<string, StreamChange[]>();
  for (const change of changes) {
    const { id, record, kind } = change;
    const queue = record?.queue ?? '';
    const isIndexed = record?.lane !== undefined;
    // A producer has overwritten it, perhaps in another queue, while its first attempt may be under way.
    if (isIndexed && !needsIndexing(record, known)) alreadyIndexed.add(id);
    else if (kind === 'changed' && functionOf.size > 0) later.add(id);
    else if (isIndexed || !record || !functionOf.has(queue) || !isForNow(record, now)) place.add(id);
    else arriving.set(queue, [...(arriving.get(queue) ?? []), change]);
  }
  const invocations = [...arriving].flatMap(([queue, some]) =>
    events(queue, some, known.keys).map((event) => ({ functionName: functionOf.get(queue) ?? '', event })),
  );
  return { invocations, place: [...place], later: [...later], alreadyIndexed: [...alreadyIndexed] };
}

/**
 * Tells whether a record is attempted now. One with invalid attributes is indexed first: that write repairs and counts
 * them. A record whose outcome could not be written is not attempted at all.
 */
function isForNow(record: BacklogRecord, now: number): boolean {
  const isDelayed = record.availableAt !== undefined && Date.parse(record.availableAt) > now;
  const isFit = record.problems.length === 0 && whyUnfit(record) === undefined;
  return isPending(record) && isFit && !isDelayed;
}

/**
 * One event, or as many as their bytes take. Each is named by its first change and its length: the same ones again
 * are.
 */
function events(
  queue: string,
  changes: readonly StreamChange[],
  keys: BatchKeys | undefined,
): ArrivalsEvent[] {
  const parts: { batch: string; ids: string[] }[] = [];
  let bytes = 0;
  for (const { id, sequenceNumber } of changes) {
    const size = Buffer.byteLength(asText(id)) + 1;
    const part = parts.at(-1);
    if (parts.some(({ ids }) => ids.includes(id))) continue;
    if (part && bytes + size <= MAX_MESSAGE_BYTES) {
      part.ids.push(id);
      bytes += size;
    } else {
      parts.push({ batch: sequenceNumber, ids: [id] });
      bytes = size;
    }
  }
  return parts.map(({ batch, ids }) => ({
    queue,
    arrivals: { batch: `${batch}/${ids.length}`, ...(keys?.inTurns(ids) ?? { ids }) },
  }));
}
