import type { Arrivals } from '../../src/processor/index.js';
import { type BacklogRecord, isPending } from '../../src/record/index.js';
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

/** What is to be done about changes of records. */
export interface Sorted {
  /** Attempted at once. */
  readonly invocations: readonly Invocation[];
  /** Given their place at once: nobody can be attempting them. */
  readonly place: readonly string[];
  /** Given their place as soon as nobody is attempting any record of their queue. */
  readonly placeWhenFree: readonly string[];
  /** Looked at later: a run that attempts them may not have shown itself yet. */
  readonly later: readonly string[];
}

/** Lambda takes 256 KB in an asynchronous event, and SQS as much of one that comes back with what went wrong. */
const MAX_EVENT_BYTES = 200_000;
/**
 * One that was inserted longer ago has been held up: by then the daily sweep may have found it as well, which relies on
 * every attempt on arrival having begun within this time.
 */
const MAX_AGE_MS = 10 * 60_000;

/**
 * Sorts the changes of a batch. The same batch is sorted the same way again, so that a run that is started twice meets
 * its own claim.
 *
 * @param functionOf the name of the function that attempts records of a queue as they come
 * @param now epoch milliseconds: real, and of the backlog, whose time may pass faster on a developer's machine
 */
export function sortChanges(
  changes: readonly StreamChange[],
  functionOf: ReadonlyMap<string, string>,
  now: { readonly real: number; readonly backlog: number },
): Sorted {
  const place = new Set<string>();
  const placeWhenFree = new Set<string>();
  const later = new Set<string>();
  const arriving = new Map<string, StreamChange[]>();
  for (const change of changes) {
    const { id, record, kind, writtenAt } = change;
    const queue = record?.queue ?? '';
    if (record && !functionOf.has(queue)) placeWhenFree.add(id);
    // A producer has written over it, while its first attempt may be under way.
    else if (kind === 'changed' || writtenAt < now.real - MAX_AGE_MS) later.add(id);
    else if (!record || !isForNow(record, now.backlog)) place.add(id);
    else arriving.set(queue, [...(arriving.get(queue) ?? []), change]);
  }
  const invocations = [...arriving].flatMap(([queue, some]) =>
    events(queue, some).map((event) => ({ functionName: functionOf.get(queue) ?? '', event })),
  );
  return { invocations, place: [...place], placeWhenFree: [...placeWhenFree], later: [...later] };
}

/** What makes no sense in a record is put right with its place, and counted, before anything else. */
function isForNow(record: BacklogRecord, now: number): boolean {
  const isDelayed = record.availableAt !== undefined && Date.parse(record.availableAt) > now;
  return isPending(record) && record.problems.length === 0 && !isDelayed;
}

/** One event, or as many as their bytes take. Each is named by its first change and its length, which no other batch has. */
function events(queue: string, changes: readonly StreamChange[]): ArrivalsEvent[] {
  const parts: { batch: string; ids: string[] }[] = [];
  let bytes = 0;
  for (const { id, sequenceNumber } of changes) {
    const size = Buffer.byteLength(JSON.stringify(id)) + 1;
    const part = parts.at(-1);
    if (parts.some(({ ids }) => ids.includes(id))) continue;
    if (part && bytes + size <= MAX_EVENT_BYTES) {
      part.ids.push(id);
      bytes += size;
    } else {
      parts.push({ batch: sequenceNumber, ids: [id] });
      bytes = size;
    }
  }
  return parts.map(({ batch, ids }) => ({ queue, arrivals: { batch: `${batch}/${ids.length}`, ids } }));
}
