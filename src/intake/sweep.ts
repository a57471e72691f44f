import type { SweepState, SweepStore } from '../store/store.js';
import type { Clock } from '../support/clock.js';

/** Parts of the table that are read at the same time. */
const SEGMENTS = 4;
const DAY_MS = 86_400_000;
/** Time that is kept before the deadline, to note how far the sweep has come. */
const LAST_NOTE_MS = 10_000;

/** The dependencies of a sweep. */
export interface SweepDeps {
  /** The tables. */
  readonly store: SweepStore;
  /** The backlog's clock. */
  readonly clock: Clock;
  /** Real time, epoch milliseconds, at which the sweep must have ended. */
  readonly deadline: number;
  /** Takes what was found, to be looked at once every attempt that may be under way is over. */
  readonly found: (ids: readonly string[]) => Promise<void>;
}

/** The result of a call of `sweep`. */
export interface SweepSummary {
  /**
   * `rested`: the last sweep is less than a day old. `unfinished`: the next call goes on. `passiveRegion`: another region
   * is the active one.
   */
  readonly ended: 'finished' | 'unfinished' | 'rested' | 'passiveRegion';
  /** Records that were not indexed, since the sweep began. */
  readonly found: number;
}

/**
 * Looks once a day through the whole table for what waits and no rule can find: records that no event of the stream has
 * reached, and dead ones that were set to `NEW` by hand. Goes on where the last call ended.
 *
 * @throws StoreError, and whatever `found` throws; the next call goes on from the last note
 */
export async function sweep({ store, clock, deadline, found }: SweepDeps): Promise<SweepSummary> {
  const last = await store.sweep.read();
  const now = clock.now();
  if (last?.finishedAt !== undefined && Math.abs(now - last.startedAt) < DAY_MS) {
    return { ended: 'rested', found: 0 };
  }
  const state = last && last.finishedAt === undefined ? last : begin(now);
  const cursors = [...state.cursors];
  let count = state.found;
  const hasTime = () => clock.wall() < deadline - LAST_NOTE_MS;
  const read = async (segment: number) => {
    for (let cursor = cursors[segment] ?? null; cursor !== null && hasTime(); ) {
      const after = cursor === '' ? undefined : cursor;
      const { ids, next } = await store.sweep.scan({ segment, segments: cursors.length, after });
      if (ids.length > 0) await found(ids);
      count += ids.length;
      cursor = next ?? null;
      cursors[segment] = cursor;
    }
  };
  try {
    await Promise.all(cursors.map((_, segment) => read(segment)));
  } finally {
    const done = cursors.every((cursor) => cursor === null);
    const { startedAt } = state;
    await store.sweep.write({ startedAt, finishedAt: done ? clock.now() : undefined, cursors, found: count });
  }
  return { ended: cursors.every((cursor) => cursor === null) ? 'finished' : 'unfinished', found: count };
}

function begin(now: number): SweepState {
  return { startedAt: now, cursors: Array.from({ length: SEGMENTS }, () => ''), found: 0 };
}
