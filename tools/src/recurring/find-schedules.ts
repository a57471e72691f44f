import type { BacklogRecord, RecurringRecord } from 'dynamo-backlog';
import {
  deadLane,
  describeSchedule,
  LAST_TIME,
  nameOf,
  type OperatorStore,
  RECURRING_QUEUE,
} from 'dynamo-backlog/engine';

/** The ids of schedules that the index has. */
export interface FoundSchedules {
  /** The dead ones first, the newest before the others; then those that wait, by their next occurrence. */
  readonly ids: readonly string[];
  /** There may be more. */
  readonly hasMore: boolean;
}

interface FindOptions {
  /** A part of the name, whatever its case. Default: all of them. */
  readonly contains?: string | undefined;
  /** Entries of the index to examine at most. Default: all. */
  readonly most?: number | undefined;
}

const MAX_KEYS = 1_000;

/** Finds schedules by the keys in the index, which costs half a read unit for each 40 of them, or so. */
export async function findSchedules(
  { pages }: Pick<OperatorStore, 'pages'>,
  { contains = '', most = Number.POSITIVE_INFINITY }: FindOptions = {},
): Promise<FoundSchedules> {
  const ids: string[] = [];
  const wanted = contains.toLowerCase();
  let left = most;
  for (const [lane, order] of [
    [deadLane(RECURRING_QUEUE), 'newestFirst'],
    [RECURRING_QUEUE, 'oldestFirst'],
  ] as const) {
    let page: Awaited<ReturnType<typeof pages.query>> | undefined;
    do {
      if (left <= 0) return { ids, hasMore: true };
      const limit = Math.min(left, MAX_KEYS);
      page = await pages.query({ lane, order, until: LAST_TIME, limit, after: page?.keys.at(-1) });
      left -= page.keys.length;
      for (const { id } of page.keys) if (nameOf(id).toLowerCase().includes(wanted)) ids.push(id);
    } while (page.more && page.keys.length > 0);
  }
  return { ids, hasMore: false };
}

/** A schedule, as its record and as what it says. */
export interface ReadSchedule {
  readonly record: BacklogRecord;
  readonly recurring: RecurringRecord;
}

/** The schedules among records, those that need attention first, then by their next occurrence. */
export function inOrder(records: readonly BacklogRecord[], now: number): ReadSchedule[] {
  const schedules = records
    .filter(({ queue }) => queue === RECURRING_QUEUE)
    .map((record) => ({ record, recurring: describeSchedule(record, now) }));
  return schedules.sort(
    ({ recurring: one }, { recurring: other }) =>
      rankOf(one) - rankOf(other) || compare(keyOf(one), keyOf(other)),
  );
}

const TROUBLES: readonly RecurringRecord['state'][] = ['dead', 'failing'];

function rankOf({ state, next }: RecurringRecord): number {
  const trouble = TROUBLES.indexOf(state);
  if (trouble >= 0) return trouble;
  return TROUBLES.length + (next === undefined ? 1 : 0);
}

/** ISO times sort as texts. */
const keyOf = ({ next = '', name }: RecurringRecord) => `${next} ${name}`;
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
