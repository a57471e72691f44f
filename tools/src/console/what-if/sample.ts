import type { BacklogRecord } from 'dynamo-backlog';
import {
  bornAt,
  type DuePart,
  duePartsOf,
  firstTryAt,
  limited,
  type OperatorStore,
  type Tables,
  triesOf,
} from 'dynamo-backlog/engine';
import { type OverviewStats, readWithin } from 'dynamo-backlog/overview';
import { policyOf } from '../record/plan.js';
import type { WaitingRecord } from './projection.js';

/** Records that stand for all that wait in a queue. */
export interface WaitingSample {
  /** The records, the earliest due time first. */
  readonly records: readonly WaitingRecord[];
  /** The number of all that wait. */
  readonly total: number;
  /** Due times that were read. */
  readonly dueTimes: number;
  /** Records that were read in full. */
  readonly read: number;
  /** The read units that the sample has cost. */
  readonly readUnits: number;
  /** The number of read records that have a policy of their own. */
  readonly ownPolicies: number;
}

interface Entry {
  readonly id: string;
  readonly dueAt: number;
  readonly weight: number;
}

/** Most due times from one part of the future: 80 to 150 of them are a read unit. */
const MAX_ENTRIES = 200;
/** Most records that are read. Each costs half a read unit, up to 4 KB. */
const MAX_RECORDS = 30;
const MAX_UNITS = 15;

/**
 * Reads up to 200 due times from each part of the future (now, the next minute, hour, day, later), which the queue's
 * counts weigh, and up to 30 records. The failures and the age of a record that is not read are those of the one that
 * is read and due next to it.
 */
export async function sampleWaiting(
  tables: Pick<Tables, 'open'>,
  stats: OverviewStats,
  now: number,
): Promise<WaitingSample> {
  const index = tables.open();
  const entries = await entriesOf(index.store, stats, now);
  const step = Math.max(1, entries.length / MAX_RECORDS);
  const chosen = Array.from(
    { length: Math.min(MAX_RECORDS, entries.length) },
    (_, i) => entries[Math.floor((i + 0.5) * step)]?.id ?? '',
  );
  const found = await readWithin(tables, scattered([...new Set(chosen)]), MAX_UNITS);
  const read = new Map(found.records.map((record) => [record.id, record]));
  return {
    records: withFacts(entries, read, now),
    total: stats.pending,
    dueTimes: entries.length,
    read: read.size,
    readUnits: index.units().readUnits + found.readUnits,
    ownPolicies: [...read.values()].filter((record) => policyOf(record, undefined) !== undefined).length,
  };
}

/**
 * Ids in another order, every fourth one first: the budget may end before all are read, and each part of the future is
 * to have some.
 */
function scattered(ids: readonly string[]): string[] {
  return [0, 2, 1, 3].flatMap((start) => ids.filter((_, i) => i % 4 === start));
}

/** Due times, the earliest first, weighed so that each part of the future has as many as the queue's counts say. */
async function entriesOf(store: OperatorStore, stats: OverviewStats, now: number) {
  const parts = duePartsOf(stats, now).filter(({ count }) => count > 0);
  const [firstLane = '', ...otherLanes] = stats.lanes;
  const found = await Promise.all(
    parts.map(async (part) => {
      const own = await dueWithin(store, firstLane, part, MAX_ENTRIES);
      // Few queues have shards: where the first lane has all, the others are not asked.
      const isAll = own.length >= Math.min(MAX_ENTRIES, part.count);
      const each = Math.ceil(MAX_ENTRIES / Math.max(1, otherLanes.length));
      const rest = isAll
        ? []
        : await Promise.all(otherLanes.map((lane) => dueWithin(store, lane, part, each)));
      const all = [own, ...rest].flat();
      // The index is stale for a moment: what has been read counts.
      const weight = Math.max(part.count, all.length) / Math.max(1, all.length);
      return all.map(({ id, dueAt }): Entry => ({ id, dueAt: Date.parse(dueAt) || now, weight }));
    }),
  );
  return found.flat().sort((one, other) => one.dueAt - other.dueAt);
}

/** The latest due times of that part. */
async function dueWithin(
  store: OperatorStore,
  lane: string,
  { from = Number.NEGATIVE_INFINITY, until }: DuePart,
  limit: number,
) {
  const { keys } = await store.pages.query({ lane, until, order: 'newestFirst', limit });
  return keys.filter(({ dueAt }) => !(Date.parse(dueAt) <= from));
}

function withFacts(
  entries: readonly Entry[],
  read: ReadonlyMap<string, BacklogRecord>,
  now: number,
): WaitingRecord[] {
  const places = entries.flatMap(({ id }, i) => (read.has(id) ? [i] : []));
  let nearest = 0;
  return entries.flatMap((entry, i) => {
    while (
      nearest + 1 < places.length &&
      Math.abs((places[nearest + 1] ?? 0) - i) <= Math.abs((places[nearest] ?? 0) - i)
    ) {
      nearest++;
    }
    const place = entries[places[nearest] ?? -1];
    const like = place && read.get(place.id);
    return like ? [waitingRecord(entry, like, now)] : [];
  });
}

function waitingRecord({ id, dueAt, weight }: Entry, like: BacklogRecord, now: number): WaitingRecord {
  const own = policyOf(like, undefined);
  return {
    id,
    queue: like.queue,
    next: Math.max(now, dueAt),
    failures: triesOf(like),
    firstFailureAt: firstTryAt(like),
    bornAt: bornAt(like),
    weight,
    policyWith: (queuePolicy) => own ?? limited(queuePolicy, like.limits),
  };
}
