import type { OperatorLeaseStore } from '../operator-store.js';
import type { Cursor, LeaseAnswer, LeaseHold, LeaseLeft, LeaseOwner, LeaseState, LostRun } from '../store.js';

/** The item of a lease. All but `held` stays for the next holder when the lease is free. */
interface StoredLease {
  readonly held: LeaseHold | undefined;
  readonly suspects: readonly string[];
  readonly cursor: Cursor | undefined;
  readonly woken: boolean;
  readonly succeededAt?: number | undefined;
  /** Holders that were lost since one gave it back. */
  readonly lost: number;
}

const FREE: StoredLease = { held: undefined, suspects: [], cursor: undefined, woken: false, lost: 0 };

export class MemoryLeases implements OperatorLeaseStore {
  private readonly leases = new Map<string, StoredLease>();

  async hold(key: string, hold: LeaseHold): Promise<LeaseAnswer> {
    const lease = this.stored(key);
    if (lease.held && !isMineUntil(lease.held, hold)) return { held: false, lease: stateOf(lease) };
    const suspects = [...(hold.suspects ?? lease.suspects)];
    const { holder, until, rev, ids, begun, succeededAt = lease.succeededAt } = hold;
    const held = {
      ...{ holder, until, rev, ids: [...ids] },
      ...(begun ? { begun } : {}),
    };
    this.leases.set(key, { ...lease, held, suspects, succeededAt });
    return { held: true, cursor: lease.cursor, suspects: suspects.length > 0 ? suspects : undefined };
  }

  async takeOver(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined> {
    const lease = this.stored(key);
    if (!lease.held) return undefined;
    const { holder, until, rev } = lease.held;
    const unchanged = holder === from.holder && until === from.until && rev === from.rev;
    if (!unchanged && !isMineUntil(lease.held, to)) return undefined;
    const taken = { ...lease, held: { ...lease.held, ...to } };
    this.leases.set(key, taken);
    return stateOf(taken);
  }

  async wake(key: string, holder: string): Promise<boolean> {
    return this.mark(key, holder, true);
  }

  async acknowledgeWake(key: string, holder: string): Promise<boolean> {
    return this.mark(key, holder, false);
  }

  async release(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'> {
    const lease = this.stored(key);
    if (!lease.held) return 'released';
    if (lease.held.holder !== holder) return 'lost';
    if (lease.woken) return 'woken';
    if (!isMineUntil(lease.held, { holder, until: left.until })) return 'lost';
    const { cursor, suspects = [], succeededAt = lease.succeededAt } = left;
    this.leases.set(key, { ...FREE, cursor, suspects: [...suspects], succeededAt });
    return 'released';
  }

  async end(key: string, { holderPrefix, until }: LostRun): Promise<number | undefined> {
    const lease = this.stored(key);
    const { held, lost } = lease;
    if (!held?.holder.startsWith(holderPrefix) || held.until <= until) return undefined;
    this.leases.set(key, { ...lease, held: { ...held, until }, lost: lost + 1 });
    return lost + 1;
  }

  async readAll(): Promise<ReadonlyMap<string, LeaseState>> {
    return this.held();
  }

  /** The leases that a run holds, by key. */
  held(): Map<string, LeaseState> {
    const states = [...this.leases].map(([key, lease]) => [key, stateOf(lease), lease.lost] as const);
    return new Map(
      states.flatMap(([key, state, lost]) =>
        state ? [[key, lost > 0 ? { ...state, lost } : state] as const] : [],
      ),
    );
  }

  /** The latest success of the runs, by key. */
  successes(): Map<string, number> {
    const all = [...this.leases].flatMap(([key, { succeededAt }]) =>
      succeededAt === undefined ? [] : [[key, succeededAt] as const],
    );
    return new Map(all);
  }

  private mark(key: string, holder: string, woken: boolean): boolean {
    const lease = this.stored(key);
    if (lease.held?.holder !== holder) return false;
    this.leases.set(key, { ...lease, woken });
    return true;
  }

  private stored(key: string): StoredLease {
    return this.leases.get(key) ?? FREE;
  }
}

/** Tells whether the lease is the holder's, and not renewed since: a late request neither shortens nor ends it. */
function isMineUntil(
  held: LeaseHold,
  { holder, until = held.until }: { readonly holder: string; readonly until?: number | undefined },
): boolean {
  return held.holder === holder && held.until <= until;
}

function stateOf({ held, suspects, cursor, woken }: StoredLease): LeaseState | undefined {
  return held && { ...held, suspects, cursor, woken };
}
