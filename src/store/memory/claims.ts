import { claimBucketOf, runsPerBucket } from '../buckets.js';
import type { Exclusive } from '../operator-store.js';
import type {
  ArrivalsClaim,
  ClaimAnswer,
  ClaimedArrivals,
  ClaimLeft,
  ClaimStore,
  LostRun,
} from '../store.js';

type Claim = Pick<ArrivalsClaim, 'holder' | 'until' | 'ids'> & { readonly bucket: number };

/** The claims on records that are not indexed, by queue and batch. */
export class MemoryClaims implements ClaimStore {
  /** The latest success under a claim, by queue. */
  readonly successes = new Map<string, number>();
  private readonly queues = new Map<string, Map<string, Claim>>();

  async take(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    const { batch, holder, until, ids, now } = claim;
    const bucket = claimBucketOf(claim);
    const most = runsPerBucket(claim) ?? Number.POSITIVE_INFINITY;
    const runs = this.queues.get(queue) ?? new Map<string, Claim>();
    this.queues.set(queue, runs);
    for (const [name, run] of runs) if (run.until < now) runs.delete(name);
    const found = runs.get(batch);
    if (found && found.holder !== holder) {
      return found.bucket === bucket && isSame(found.ids, ids) ? 'taken' : 'shared';
    }
    // A renewal that arrives late, or by a clock that was set back, shortens no claim.
    if (found && found.until > until) return 'claimed';
    const beside = [...runs.values()].filter((run) => run.bucket === bucket);
    if (!found && beside.length >= most) return 'full';
    const others = [...runs].filter(([name]) => name !== batch).flatMap(([, run]) => run.ids);
    if (ids.some((id) => others.includes(id))) return 'shared';
    runs.set(batch, { holder, until, ids: [...ids], bucket });
    return 'claimed';
  }

  queueNames(): Iterable<string> {
    return this.queues.keys();
  }

  /** The times at which the claims run out, with their queues. */
  untils(): Exclusive[] {
    const all = [...this.queues].flatMap(([name, runs]) =>
      [...runs.values()].map(({ until }) => ({ name, until })),
    );
    return all;
  }

  async release(queue: string, { batch, holder, succeededAt }: ClaimLeft): Promise<void> {
    const runs = this.queues.get(queue);
    if (runs?.get(batch)?.holder !== holder) return;
    runs.delete(batch);
    if (succeededAt !== undefined) this.successes.set(queue, succeededAt);
  }

  async end(queue: string, { holderPrefix }: LostRun): Promise<number> {
    const runs = this.queues.get(queue) ?? new Map<string, Claim>();
    const its = [...runs].filter(([, { holder }]) => holder.startsWith(holderPrefix));
    for (const [batch] of its) runs.delete(batch);
    return its.length;
  }

  async find(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals> {
    const known = queues.flatMap((queue) => this.queues.get(queue) ?? []);
    const claimed = known
      .flatMap((runs) => [...runs.values()])
      .filter(({ until }) => until >= now)
      .flatMap((run) => run.ids);
    const neverIn = queues.filter((queue) => !this.queues.has(queue));
    return { ids: ids.filter((id) => claimed.includes(id)), neverIn };
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id, i) => id === others[i]);
}
