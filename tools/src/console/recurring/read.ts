import type { RecurringRecord } from 'dynamo-backlog';
import { RECURRING_QUEUE, Tables } from 'dynamo-backlog/engine';
import { COUNT_SIGNS, type CountsReader, type OverviewStats, readWithin } from 'dynamo-backlog/overview';
import { findSchedules, inOrder } from '../../recurring/find-schedules.js';
import { isUnserved } from '../../recurring/serving.js';
import type { ConsoleDeps } from '../deps.js';
import { LOCAL_BUDGET, PAGE_BUDGET } from '../read-budgets.js';

/** Rows of a page. */
const SHOWN = 100;
/** Entries of the index that a search for a text examines: about 250 read units. */
const MAX_EXAMINED = 20_000;

/** The recurring records of a page. */
export interface RecurringList {
  readonly shown: readonly RecurringRecord[];
  /** The number of those that match, as far as it is known. */
  readonly total: number;
  /** The sign before `total`: `≈ ` or `≥ `, where it is not exact. */
  readonly sign: string;
  readonly readUnits: number;
  /** No function inserts the occurrences. */
  readonly isUnserved: boolean;
  /** The queue of the schedules is paused. */
  readonly isPaused: boolean;
}

/** Reads the recurring records that a page shows. @param text a part of their names; empty: all */
export async function readRecurring(
  deps: ConsoleDeps,
  reader: CountsReader,
  { text, now }: { readonly text: string; readonly now: number },
): Promise<RecurringList> {
  const tables = new Tables(deps.backlog);
  const { store, units } = tables.open();
  const app = deps.queues?.().map(({ name }) => name);
  const [{ counts }, found, unserved] = await Promise.all([
    reader.read(),
    findSchedules(store, { contains: text, most: text === '' ? SHOWN + 1 : MAX_EXAMINED }),
    isUnserved(store, app, now),
  ]);
  const { units: mostUnits } = deps.runtime ? LOCAL_BUDGET : PAGE_BUDGET;
  const read = await readWithin(tables, found.ids.slice(0, SHOWN), mostUnits);
  const schedules = inOrder(read.records, now);
  const queue = counts?.stats.queues.find((one) => one.queue === RECURRING_QUEUE);
  return {
    shown: schedules.map(({ recurring }) => recurring),
    ...totalOf(found, text === '' ? queue : undefined),
    readUnits: units().readUnits + read.readUnits,
    isUnserved: unserved,
    isPaused: queue?.paused ?? false,
  };
}

function totalOf(
  { ids, hasMore }: Awaited<ReturnType<typeof findSchedules>>,
  queue: OverviewStats | undefined,
): Pick<RecurringList, 'total' | 'sign'> {
  const counted = queue === undefined ? 0 : queue.pending + queue.dead;
  if (queue === undefined || !hasMore || counted <= ids.length)
    return { total: ids.length, sign: COUNT_SIGNS[hasMore ? 'atLeast' : 'exact'] };
  return { total: counted, sign: COUNT_SIGNS[queue.counted] };
}
