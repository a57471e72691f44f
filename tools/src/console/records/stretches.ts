import {
  deadLane,
  isLaneOf,
  LAST_TIME,
  lanesOf,
  type OperatorStore,
  type StoreTypes,
  withoutDeadEnding,
} from 'dynamo-backlog/engine';
import type { RecordFilter } from './filter.js';

type Order = StoreTypes.DueQuery['order'];

/** A part of the index in one order: the records of all its lanes by their due times. */
export interface Stretch {
  /** `waiting` or `dead`; of one queue: with its name behind it. */
  readonly key: string;
  readonly lanes: readonly string[];
  readonly order: Order;
}

/** A queue, and the lanes that its living records may be in. */
export interface SearchedQueue {
  readonly queue: string;
  readonly lanes: readonly string[];
  /** It holds no records. Default: it may. */
  readonly isEmpty?: boolean | undefined;
}

/** A place in a stretch. Records with the same due time are in the order of the names of their lanes. */
export interface Place extends StoreTypes.IndexKey {
  readonly lane: string;
}

/** A place as an address has it. Without a due time and an id it is the beginning of the stretch. */
export interface Cursor {
  /** The key of the stretch. */
  readonly in?: string | undefined;
  readonly lane?: string | undefined;
  readonly dueAt?: string | undefined;
  readonly id?: string | undefined;
}

/** Most lanes that are merged: to read one costs half a read unit, also if it is empty. One queue is always merged. */
const MAX_MERGED = 16;

/**
 * The stretches that a filter leads to, in the order in which they are shown: what waits with the earliest due time
 * first, then what is dead, the newest first. With more than 16 lanes each queue has stretches of its own.
 *
 * @param at the cursor of the page: it goes on as the page before has begun
 */
export function stretchesOf(
  { queue, statuses }: RecordFilter,
  queues: readonly SearchedQueue[],
  at: Cursor,
): Stretch[] {
  const lane = withoutDeadEnding(at.lane ?? '');
  const isAt = (one: SearchedQueue) => isLaneOf(lane, one.queue);
  const known = queues
    .filter((one) => (queue === undefined || one.queue === queue) && (one.isEmpty !== true || isAt(one)))
    // The next page goes on where the one before has ended, also if the queue is empty by now, or has fewer lanes.
    .map((one) => (isAt(one) && !one.lanes.includes(lane) ? { ...one, lanes: lanesOf(one.queue) } : one));
  const all = known.length > 0 || queue === undefined ? known : [{ queue, lanes: lanesOf(queue) }];
  const lanes = all.flatMap((one) => one.lanes);
  const isMerged =
    at.in === undefined ? lanes.length <= MAX_MERGED || all.length === 1 : !at.in.includes(' ');
  const groups = isMerged ? [{ name: '', lanes }] : all.map((one) => ({ ...one, name: ` ${one.queue}` }));
  const waiting = groups.map(
    (one): Stretch => ({ key: `waiting${one.name}`, lanes: one.lanes, order: 'oldestFirst' }),
  );
  const dead = groups.map(
    (one): Stretch => ({ key: `dead${one.name}`, lanes: one.lanes.map(deadLane), order: 'newestFirst' }),
  );
  const waits = statuses.some((status) => status === 'NEW' || status === 'ERROR');
  return [...(waits ? waiting : []), ...(statuses.includes('DEAD') ? dead : [])];
}

/** The same stretch from its other end. */
export function turned({ order, ...rest }: Stretch): Stretch {
  return { ...rest, order: order === 'oldestFirst' ? 'newestFirst' : 'oldestFirst' };
}

interface Lane {
  readonly name: string;
  /** The entries that were read and not taken yet. */
  keys: StoreTypes.IndexKey[];
  /** The entry from which the index is read on. */
  after: StoreTypes.IndexKey | undefined;
  more: boolean;
}

const MAX_KEYS = 100;
/** Entries of a lane that are read beyond its share of a page: they do not come from all lanes evenly. */
const SPARE_KEYS = 8;

/** Reads a stretch in its order, all its lanes at once. */
export class StretchReader {
  private readonly lanes: readonly Lane[];
  private readonly sign: number;

  /** @param after default: from the beginning */
  constructor(
    private readonly store: Pick<OperatorStore, 'pages'>,
    private readonly stretch: Stretch,
    after?: Place,
  ) {
    this.sign = stretch.order === 'oldestFirst' ? 1 : -1;
    this.lanes = [...stretch.lanes]
      .sort((one, other) => this.sign * compare(one, other))
      .map((name) => ({ name, keys: [], after: after && this.startOf(name, after), more: true }));
  }

  /** Tells whether no entry is left. Reads on where that is not known yet. */
  async isOver(): Promise<boolean> {
    const bare = this.lanes.filter(({ keys, more }) => keys.length === 0 && more);
    if (bare.length < this.lanes.filter(({ keys, more }) => keys.length > 0 || more).length) return false;
    await Promise.all(bare.map((lane) => this.fill(lane, 1)));
    return this.lanes.every(({ keys }) => keys.length === 0);
  }

  /** The next entries, fewer than `count` only at the end. @param page the number that the page may need in all */
  async take(count: number, page: number): Promise<Place[]> {
    const taken: Place[] = [];
    while (taken.length < count) {
      const bare = this.lanes.filter(({ keys, more }) => keys.length === 0 && more);
      await Promise.all(bare.map((lane) => this.fill(lane, page)));
      const first = this.first();
      const key = first?.keys.shift();
      if (!first || !key) break;
      taken.push({ ...key, lane: first.name });
    }
    return taken;
  }

  private async fill(lane: Lane, page: number): Promise<void> {
    const { length } = this.lanes;
    // One more than is needed tells whether there is a next page.
    const share = length === 1 ? page + 1 : Math.ceil(page / length) + SPARE_KEYS;
    const { order } = this.stretch;
    const { after, name } = lane;
    const limit = Math.min(MAX_KEYS, share);
    const found = await this.store.pages.query({ lane: name, order, until: LAST_TIME, limit, after });
    lane.keys = [...found.keys];
    lane.after = found.keys.at(-1) ?? after;
    lane.more = found.more && found.keys.length > 0;
  }

  /** The lane whose next entry comes first; of those with the same due time, the first one. */
  private first(): Lane | undefined {
    return this.lanes.reduce<Lane | undefined>((best, lane) => {
      const [key, bestKey] = [lane.keys[0], best?.keys[0]];
      if (!key) return best;
      return !bestKey || this.sign * compare(key.dueAt, bestKey.dueAt) < 0 ? lane : best;
    }, undefined);
  }

  /** The place in a lane behind which the index is read on, if the page before has ended in that place of a lane. */
  private startOf(name: string, { lane, dueAt, id }: Place): StoreTypes.IndexKey {
    if (name === lane) return { dueAt, id };
    // Lanes before it have shown their entries of this due time. The index goes on from any text, also if no entry has it.
    const isShown = this.sign * compare(name, lane) < 0;
    const head = dueAt.slice(0, MAX_TIME);
    return { dueAt: isShown === (this.sign === 1) ? `${head} ` : justBefore(head), id: ' ' };
  }
}

/** Most characters of a due time that go into a made-up key: DynamoDB takes none that is longer than 1 KB. */
const MAX_TIME = 250;

/** A text that sorts before this one, and behind all times that do. */
function justBefore(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return `${text.slice(0, -1)}${String.fromCharCode(Math.max(1, last) - 1)}\uffff`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
