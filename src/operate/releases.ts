import type { Clock } from '../clock.js';
import { type Random, randomToken } from '../random.js';
import type { BacklogRecord } from '../record/index.js';
import type { OperatorChange, OperatorStore } from '../store/operator-store.js';
import type { LeaseState } from '../store/store.js';
import { release } from './changes.js';
import { isLive, liveLeases } from './in-flight.js';

export interface ReleasesDeps {
  readonly store: OperatorStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
  /** It stays due when no run can be at work on it any more, whatever happens to the lease of its previous lane. */
  readonly onHeld: () => void;
}

interface Moved {
  /** As it was in its previous lane. */
  readonly before: BacklogRecord;
  /** What was written, and the `rev` of that. */
  readonly change: OperatorChange;
  readonly rev: string;
  /** Leases of the previous lane under which it may be under attempt, by key. Undefined: not looked at yet. */
  waitsFor?: Map<string, LeaseState> | undefined;
}

const LOOK_EVERY_MS = 1_000;
/** A page is worked off in a minute, mostly: after that, what is left waits for its own time. */
const MOST_LOOKS = 90;
const WRITES_AT_ONCE = 25;

/**
 * Records that were moved to another lane, and are not due there before any attempt in the previous one must be over:
 * makes them due as soon as it is known that there is none.
 *
 * A run journals a page before it reads it. So a page that is journalled after the move finds that the record has moved,
 * and the journal names the record only as long as an attempt from before goes on.
 *
 *     run        journal 1 ..................................... journal 2, reads page 2: finds that it has moved
 *     operator            moves it    looks: lease held, journal 1                    looks: journal 2
 *
 * If no lease is held, no run attempts it. If one is, no run attempts it once the lease's next journal does not name it,
 * or the lease ends.
 */
export class Releases {
  private waiting: Moved[] = [];

  constructor(private readonly deps: ReleasesDeps) {}

  add(before: BacklogRecord, change: OperatorChange, rev: string): void {
    this.waiting.push({ before, change, rev });
  }

  /** Looks once at the leases; the records of which enough is known become due. */
  async look(): Promise<void> {
    if (this.waiting.length === 0) return;
    const { store, clock, patiently } = this.deps;
    const leases = await patiently(() => store.readLeases());
    const known: Moved[] = [];
    this.waiting = this.waiting.filter((moved) => {
      if (!moved.waitsFor) {
        const lane = moved.change.set.formerLane?.lane ?? '';
        moved.waitsFor = new Map(liveLeases(leases, lane, clock));
      }
      for (const [key, before] of moved.waitsFor) this.compare(moved, key, before, leases.get(key));
      if (moved.waitsFor.size > 0) return true;
      known.push(moved);
      return false;
    });
    for (let i = 0; i < known.length; i += WRITES_AT_ONCE) {
      await Promise.all(known.slice(i, i + WRITES_AT_ONCE).map((moved) => this.release(moved)));
    }
  }

  /** Looks until all are known, or a page's time has passed. Records that are left become due by themselves, later. */
  async rest(signal: AbortSignal): Promise<void> {
    await this.look();
    for (let looks = 0; this.waiting.length > 0 && looks < MOST_LOOKS && !signal.aborted; looks++) {
      await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
      await this.look();
    }
    for (const _ of this.waiting) this.deps.onHeld();
    this.waiting = [];
  }

  private compare(moved: Moved, key: string, before: LeaseState, now: LeaseState | undefined): void {
    const isOver = !now || now.holder !== before.holder || !isLive(now, this.deps.clock);
    if (!isOver && now.rev === before.rev) return;
    if (isOver || !now.ids.includes(moved.before.id)) moved.waitsFor?.delete(key);
  }

  private async release({ before, rev }: Moved): Promise<void> {
    const { store, random, patiently } = this.deps;
    const next = randomToken(random);
    // Another process that changed it meanwhile has decided about it.
    await patiently(() => store.change({ ...before, rev }, release(before), next));
  }
}
