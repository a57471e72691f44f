import type { Status } from 'dynamo-backlog';
import {
  CLOCK_TOLERANCE_MS,
  DEFAULT_QUEUE,
  type Item,
  indexChange,
  isNewer,
  parseRecord,
  QUEUE_PATTERN,
  toIso,
} from 'dynamo-backlog/engine';
import type { ItemChange } from '../../../../src/store/dynamodb/raw-items.js';
import { readForeignTime } from './foreign-time.js';
import { type AdoptionRules, COPIED, COUNTS, type Left, TIMES } from './rules.js';
import { statusOf } from './status-of.js';

/** Remark on an item that is adopted all the same. */
export type Note = 'undated' | 'zoneless' | 'noPayload' | 'odd';

/** Decision on one item: leave it as it is, or write a change. */
export type Plan =
  | { readonly do: 'leave'; readonly left: Left }
  | {
      readonly do: 'write';
      readonly status: Status;
      /** Absent for what is done: it is not indexed. */
      readonly lane?: string | undefined;
      readonly change: ItemChange;
      /** Values that the decision was made by: the write holds only if all of them are still so. */
      readonly asRead: Readonly<Record<string, unknown>>;
      readonly notes: readonly Note[];
    };

/** Attributes that every decision depends on. */
const DECISIVE = ['lane', 'dueAt', 'rev', 'status', 'queue', 'insertedAt', 'availableAt'] as const;
/** Form of a `rev` that the library has written. */
const LIBRARY_REV = /^[\w-]{8}~?$/;

/**
 * Decides what an item needs to become a record of the backlog: what it lacks of the contract, taken from the
 * attributes that hold it under another name, and the keys of the index. An item that is done gets the status that
 * says so. What cannot be read for certain is left alone.
 *
 * @param now epoch milliseconds
 */
export function planAdoption(item: Item, rules: AdoptionRules, now: number): Plan {
  if (typeof item.lane === 'string' && typeof item.dueAt === 'string') return leave({ reason: 'indexed' });
  if (item.status === 'SUCCESS') return leave({ reason: 'done' });
  const foreign = isNewer(parseRecord(item, now)) ? 'backlogFormat' : inTheWay(item);
  if (foreign !== undefined) return leave({ reason: 'inTheWay', detail: foreign });

  const status = statusOf(item, rules);
  if (typeof status !== 'string') return leave(status);
  const asRead = Object.fromEntries(
    [...DECISIVE, ...decisiveSources(rules)].map((name) => [name, item[name]]),
  );
  if (status === 'SUCCESS') {
    return { do: 'write', status, change: { set: { status }, copy: {}, remove: [] }, asRead, notes: [] };
  }

  // The outcome of an attempt would remove what another program keeps by this name.
  if (item.rev === undefined && item.result !== undefined)
    return leave({ reason: 'inTheWay', detail: 'result' });

  const read = readAttributes(item, rules, now);
  if ('reason' in read) return leave(read);
  const { set: mapped, copy, notes } = read;
  const record = parseRecord({ ...item, ...mapped, status }, now);
  const ageMs = now - Date.parse(record.insertedAt);
  const undated = (mapped.insertedAt ?? item.insertedAt ?? null) === null;
  if (!undated && ageMs < rules.leastAgeSeconds * 1000) {
    return leave({ reason: 'young', detail: `${rules.leastAgeSeconds / 60} min` });
  }
  // The intake takes an item with a status of the contract, too, and may have it attempted just now.
  if (undated && item.status === status && rules.leastAgeSeconds > 0)
    return leave({ reason: 'undated', detail: '' });
  const { set: indexed, remove } = indexChange(record, now);
  const set = Object.fromEntries(
    Object.entries({ ...mapped, status, ...indexed }).filter(([name, value]) => item[name] !== value),
  );
  return {
    do: 'write',
    status,
    lane: indexed.lane,
    change: { set, copy, remove: remove.filter((name) => item[name] !== undefined) },
    asRead: { ...asRead, ...Object.fromEntries(Object.keys(set).map((name) => [name, item[name]])) },
    notes: [
      ...notes,
      ...(undated ? (['undated'] as const) : []),
      ...(item.payload === undefined && copy.payload === undefined ? (['noPayload'] as const) : []),
      ...(record.problems.length > 0 ? (['odd'] as const) : []),
    ],
  };
}

interface Attributes {
  readonly set: Readonly<Record<string, unknown>>;
  readonly copy: Readonly<Record<string, string>>;
  readonly notes: readonly Note[];
}

/** Reads the attributes of the contract that the item has under another name, or in another form. */
function readAttributes(item: Item, rules: AdoptionRules, now: number): Attributes | Left {
  const { sources, utcOffsetMinutes, undatedNow } = rules;
  const set: Record<string, unknown> = {};
  const notes: Note[] = [];
  for (const name of TIMES) {
    const source = isGiven(item[name]) ? name : sources[name];
    // What the contract's other attributes hold already is for the library to read.
    if (source === undefined || !isGiven(item[source]) || (source === name && name !== 'insertedAt'))
      continue;
    const time = readForeignTime(item[source], utcOffsetMinutes);
    const isPast = time !== undefined && time.ms <= now + CLOCK_TOLERANCE_MS;
    if (time && (isPast || name === 'availableAt')) {
      set[name] = toIso(time.ms);
      if (time.zoneless) notes.push('zoneless');
    } else if (name === 'insertedAt' && undatedNow) {
      set[name] = toIso(now);
    } else {
      const problem = time ? 'a time that lies ahead' : 'no time that can be read for certain';
      return { reason: 'unreadable', detail: `${source}: ${problem}` };
    }
  }
  for (const name of COUNTS) {
    const source = sources[name];
    if (isGiven(item[name]) || source === undefined || !isGiven(item[source])) continue;
    const given = item[source];
    const text = typeof given === 'number' || typeof given === 'string' ? String(given) : '';
    if (!/^\d{1,9}$/.test(text)) return { reason: 'unreadable', detail: `${source}: no whole number` };
    set[name] = Number(text);
  }
  const source = isGiven(item.queue) ? 'queue' : (sources.queue ?? 'queue');
  const queue = item[source] ?? rules.queue ?? DEFAULT_QUEUE;
  if (typeof queue !== 'string' || !QUEUE_PATTERN.test(queue)) {
    return { reason: 'unreadable', detail: `${source}: no name of a queue` };
  }
  if (queue !== DEFAULT_QUEUE) set.queue = queue;
  const copied = COPIED.flatMap((name) => {
    const from = sources[name];
    return from !== undefined && item[from] !== undefined && item[name] === undefined ? [[name, from]] : [];
  });
  return { set, copy: Object.fromEntries(copied), notes };
}

/**
 * Returns the attributes that the decision depends on. Those that are copied as they are may change until the very
 * write.
 */
function decisiveSources({ sources }: AdoptionRules): string[] {
  const isCopied = (name: string) => COPIED.some((copied) => copied === name);
  return Object.entries(sources).flatMap(([name, source]) => (isCopied(name) ? [] : [source]));
}

/** An attribute of another program that has a name of the contract: writing it would destroy its value. */
function inTheWay({ lane, dueAt, rev }: Item): string | undefined {
  if (rev !== undefined) return typeof rev === 'string' && LIBRARY_REV.test(rev) ? undefined : 'rev';
  if (lane !== undefined) return 'lane';
  return dueAt === undefined ? undefined : 'dueAt';
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function leave(left: Left): Plan {
  return { do: 'leave', left };
}
