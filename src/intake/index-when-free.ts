import { Claim, withClaim } from '../leases/claim.js';
import { CLOCK_SKEW_MS } from '../leases/timed-hold.js';
import type { BacklogRecord } from '../record/index.js';
import { isOfStore, StoreError } from '../store/errors.js';
import { type Indexed, type IndexingDeps, indexAll, needsIndexing, type Trouble } from './indexing.js';

/** Queues in which records are claimed at the same time. */
const QUEUES_AT_ONCE = 10;

/** The result of `indexWhenFree`. */
export interface IndexedWhenFree extends Indexed {
  /** A run has claimed these: they must be asked for again later. */
  readonly waiting: readonly string[];
}

/** @inline */
interface WhereElse {
  /** Queues that the records may have been in when a run was given them. Default: those they are in now, alone. */
  readonly previousQueues?: readonly string[] | undefined;
  /** Queues whose records are attempted on insertion. Default: any may be. */
  readonly onArrival?: Pick<ReadonlySet<string>, 'has'> | undefined;
}

/**
 * Indexes records, except those that a run on arrival is attempting: if one of those were indexed meanwhile, a rule would
 * attempt it at the same time. No run begins to attempt them while they are indexed.
 *
 * Producers name queues as they like. So one request reads the claims of all of them. Only queues in which something is,
 * or was, attempted on insertion need claims of their own: the deployment names those, not the producers.
 *
 * What the store does not answer to is in `trouble`, and may be asked for again.
 */
export async function indexWhenFree(
  ids: readonly string[],
  deps: IndexingDeps,
  { previousQueues = [], onArrival }: WhereElse = {},
): Promise<IndexedWhenFree> {
  const { store, clock } = deps;
  try {
    const { records, unreadable } = await readEach([...new Set(ids)], deps);
    const notIndexed = records.filter((record) => needsIndexing(record, deps));
    const total = new Total(new Set(ids).size - notIndexed.length - unreadable, unreadable);
    if (notIndexed.length === 0) return total;
    const queues = [...new Set([...notIndexed.map(({ queue }) => queue), ...previousQueues])];
    const askedFor = notIndexed.map(({ id }) => id);
    const inFlight = await store.claims.find(queues, askedFor, clock.wall() - CLOCK_SKEW_MS);
    total.waits(inFlight.ids);
    const isFree = idsNotIn(inFlight.ids);
    const neverIn = new Set(inFlight.neverIn);
    const needsClaim = (queue: string) => !onArrival || onArrival.has(queue) || !neverIn.has(queue);
    const claims = new Map<string, BacklogRecord[]>();
    const unclaimed: BacklogRecord[] = [];
    for (const record of notIndexed.filter(isFree)) {
      const { queue } = record;
      if (!needsClaim(queue)) unclaimed.push(record);
      else claims.set(queue, [...(claims.get(queue) ?? []), record]);
    }
    total.add(await indexAll(unclaimed, 0, deps));
    for (const left = [...claims]; left.length > 0; ) {
      const some = left.splice(0, QUEUES_AT_ONCE);
      await Promise.all(some.map(([queue, its]) => indexClaimed(queue, its, deps, total)));
    }
    return total;
  } catch (error) {
    if (!isOfStore(error)) throw error;
    return Object.assign(new Total(0, 0), { trouble: { error, ids: [...new Set(ids)] } });
  }
}

/** The counts of the records so far. */
class Total implements IndexedWhenFree {
  readonly indexed: BacklogRecord[] = [];
  readonly waiting: string[] = [];
  quarantined = 0;
  trouble: Trouble | undefined;

  constructor(
    public skipped: number,
    public refused: number,
  ) {}

  add({ indexed, skipped, quarantined, refused, trouble }: Indexed): void {
    this.indexed.push(...indexed);
    this.skipped += skipped;
    this.quarantined += quarantined;
    this.refused += refused;
    if (trouble) this.isTroubled(trouble);
  }

  waits(ids: readonly string[]): void {
    this.waiting.push(...ids);
  }

  isTroubled({ error, ids }: Trouble): void {
    this.trouble = { error: this.trouble?.error ?? error, ids: [...(this.trouble?.ids ?? []), ...ids] };
  }
}

/** Reads records so that one which cannot be read, for a reason of its own, does not keep others from being read. */
export async function readEach(
  ids: readonly string[],
  deps: Pick<IndexingDeps, 'store' | 'logger'>,
): Promise<{ readonly records: readonly BacklogRecord[]; readonly unreadable: number }> {
  try {
    return { records: await deps.store.records.getMany(ids), unreadable: 0 };
  } catch (error) {
    if (isOfStore(error)) throw error;
    if (ids.length === 1) {
      const { name } = error as Error;
      deps.logger.error('a record cannot be read, and will not be attempted', { id: ids[0], reason: name });
      return { records: [], unreadable: 1 };
    }
    const middle = Math.ceil(ids.length / 2);
    const halves = [ids.slice(0, middle), ids.slice(middle)];
    const [one, other] = await Promise.all(halves.map((half) => readEach(half, deps)));
    return {
      records: [...(one?.records ?? []), ...(other?.records ?? [])],
      unreadable: (one?.unreadable ?? 0) + (other?.unreadable ?? 0),
    };
  }
}

function idsNotIn(ids: readonly string[]): (record: BacklogRecord) => boolean {
  const known = new Set(ids);
  return ({ id }) => !known.has(id);
}

async function indexClaimed(
  queue: string,
  records: readonly BacklogRecord[],
  deps: IndexingDeps,
  total: Total,
): Promise<void> {
  const ids = records.map(({ id }) => id);
  const isSpread = (deps.shardsOf?.(queue) ?? 1) > 1;
  try {
    await withClaim(new Claim({ queue, ids, isSpread }, deps), async (answer) => {
      // Otherwise another process was quicker.
      if (answer === 'claimed') total.add(await indexAll(records, 0, deps));
      else total.waits(ids);
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    total.isTroubled({ error, ids });
  }
}
