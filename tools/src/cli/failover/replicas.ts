import type { BacklogRecord } from 'dynamo-backlog';
import { lanesOf, type OperatorStore } from 'dynamo-backlog/engine';

type Reads = Pick<OperatorStore, 'pages' | 'records' | 'registry'>;

/** Difference between one replica of the records and another one. */
export interface Replication {
  /** Records that were compared. */
  readonly compared: number;
  /** Ids of records that are not the same in both, or that only one has. */
  readonly differing: readonly string[];
}

/**
 * Number of records that are compared in each lane, the oldest first: a region that takes over attempts these first.
 */
const COMPARED_PER_LANE = 1_000;
const BATCH = 100;

/**
 * Compares the records that a region would attempt when it takes over with what the other region has: each write of the
 * library renews `rev`.
 *
 * @param from the replica of the region that was active, in which nothing is written any more
 * @param to the replica of the region that takes over
 * @param until records that are due by then, epoch milliseconds
 * @throws StoreError
 */
export async function compareReplicas(from: Reads, to: Reads, until: number): Promise<Replication> {
  const { queues } = await from.registry.read();
  let compared = 0;
  const differing: string[] = [];
  for (const [queue, { shards = 1, fairness }] of queues) {
    for (const lane of lanesOf(queue, 0, fairness ? undefined : shards)) {
      const { keys } = await to.pages.query({ lane, until, order: 'oldestFirst', limit: COMPARED_PER_LANE });
      for (let i = 0; i < keys.length; i += BATCH) {
        const ids = keys.slice(i, i + BATCH).map(({ id }) => id);
        const [theirs, ours] = await Promise.all([from.records.getMany(ids), to.records.getMany(ids)]);
        const own = byId(ours);
        const other = byId(theirs);
        compared += ids.length;
        for (const id of ids) if (!isSame(own.get(id), other.get(id))) differing.push(id);
      }
    }
  }
  return { compared, differing };
}

function byId(records: readonly BacklogRecord[]): ReadonlyMap<string, BacklogRecord> {
  return new Map(records.map((record) => [record.id, record]));
}

function isSame(one: BacklogRecord | undefined, other: BacklogRecord | undefined): boolean {
  return one?.rev === other?.rev && one?.status === other?.status && one?.dueAt === other?.dueAt;
}
