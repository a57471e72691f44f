import type { OperatorStore } from 'dynamo-backlog/engine';
import type { OverviewStats } from 'dynamo-backlog/overview';

/** Attempts that come due, of all queues that retry per record. */
export interface Forecast {
  /** Attempts by minute of the next hour. What is due already is in the first. */
  readonly minutes: readonly number[];
  /** Attempts by hour of the next day. */
  readonly hours: readonly number[];
  /**
   * The time up to which it is complete, epoch milliseconds; undefined: it is complete. If not all that is due already
   * was read, it is `now`, and the first bars are the counts of the queues.
   */
  readonly until: number | undefined;
  /** Index entries that were read. */
  readonly examined: number;
}

/** Most index entries that are read: 80 to 150 of them are a read unit. */
const MAX_ENTRIES = 2_000;
const PAGE = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Reads the due times of the next day from the index. Retries that are still to fail are not in it. */
export async function forecastOf(
  store: OperatorStore,
  queues: readonly OverviewStats[],
  now: number,
  most = MAX_ENTRIES,
): Promise<Forecast> {
  const waiting = queues.filter(({ due, pending }) => due !== undefined && pending > 0);
  const each = Math.floor(most / Math.max(1, waiting.length));
  const found = await Promise.all(
    waiting.map(async ({ lanes, due }) => {
      const [first = '', ...others] = lanes;
      const own = await dueTimes(store, first, now, each);
      const expected = (due?.now ?? 0) + (due?.day ?? 0);
      // Few queues have shards: where the first lane has all, the others are not asked.
      if (own.until !== undefined || own.times.length >= expected || others.length === 0) return [own];
      const rest = Math.floor((each - own.times.length) / others.length);
      return [
        own,
        ...(await Promise.all(others.map((lane) => dueTimes(store, lane, now, Math.max(1, rest))))),
      ];
    }),
  );
  const lanes = found.flat();
  const ends = lanes.flatMap(({ until }) => (until === undefined ? [] : [until]));
  const until = ends.length > 0 ? Math.max(now, Math.min(...ends)) : undefined;
  const minutes = new Array<number>(60).fill(0);
  const hours = new Array<number>(24).fill(0);
  for (const time of lanes.flatMap(({ times }) => times)) {
    const ahead = Math.max(0, time - now);
    const [minute, hour] = [Math.floor(ahead / MINUTE_MS), Math.floor(ahead / HOUR_MS)];
    if (minute < minutes.length) minutes[minute] = (minutes[minute] ?? 0) + 1;
    if (hour < hours.length) hours[hour] = (hours[hour] ?? 0) + 1;
  }
  if (until !== undefined && until <= now) {
    // The queues are counted anyway: the other views say the same number.
    const due = waiting.reduce((sum, queue) => sum + (queue.due?.now ?? 0), 0);
    minutes[0] = Math.max(minutes[0] ?? 0, due);
    hours[0] = Math.max(hours[0] ?? 0, due);
  }
  return { minutes, hours, until, examined: lanes.reduce((sum, { times }) => sum + times.length, 0) };
}

interface LaneTimes {
  readonly times: readonly number[];
  /** The last due time that was read, if there are more behind it. */
  readonly until: number | undefined;
}

async function dueTimes(store: OperatorStore, lane: string, now: number, most: number): Promise<LaneTimes> {
  const times: number[] = [];
  let after: { readonly id: string; readonly dueAt: string } | undefined;
  do {
    const limit = Math.min(PAGE, most - times.length);
    const page = await store.pages.query({ lane, until: now + DAY_MS, order: 'oldestFirst', limit, after });
    for (const { dueAt } of page.keys) times.push(Date.parse(dueAt) || now);
    after = page.more ? page.keys.at(-1) : undefined;
  } while (after !== undefined && times.length < most);
  // A due time that cannot be read, as no run writes it, ends the forecast at once.
  return { times, until: after === undefined ? undefined : Date.parse(after.dueAt) || now };
}
