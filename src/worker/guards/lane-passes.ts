import { withHeartbeat } from '../../leases/timed-hold.js';
import type { IndexKey } from '../../store/store.js';
import type { Clock } from '../../support/clock.js';
import { MAX_PAGE_RECORDS } from '../capacity.js';
import type { RunCounters } from '../counters.js';
import type { QueueTurns } from '../page-turns.js';
import type { PageSource } from '../pages.js';
import type { KeyQuotas } from './key-quotas.js';
import { PartOfPages } from './part-of-pages.js';
import { SharedLane, type WaitingRecords } from './shared-lane.js';

/** The longest wait for attempts in one pass, and between two passes. */
export const MAX_WAIT_IN_PASS_MS = 10_000;
/** The longest time until the next attempt with which a run stays: the rule starts the next run by then. */
const MAX_STAY_MS = 60_000;
/** Records of one key that a pass reads, where only slots limit them: some of each key are in one page. */
const MAX_READ_IN_PASS = 30;
/** The least time between two passes: the second one must not find what the index has not dropped yet. */
const MIN_PAUSE_MS = 500;

export interface LanePassesDeps {
  readonly quotas: Pick<KeyQuotas, 'mostWithin'>;
  /** Records of this run that wait, in whatever lane. */
  readonly waiting: WaitingRecords;
  /** Tells whether keys may share the lane now. */
  readonly isShared: () => boolean;
  /** Real time before which the last attempt of the run must begin. */
  readonly latestStart: number;
  readonly clock: Clock;
  /** Ends a wait. */
  readonly stop: AbortSignal | undefined;
  readonly turns?: QueueTurns | undefined;
}

/** The draining of a lane, as far as a wait between two passes needs it. */
type LaneOfRun = Parameters<typeof withHeartbeat>[2] & {
  readonly executor: { readonly inFlight: ReadonlySet<string> };
};

/** The passes over the lane of a busy key, while keys may share it. */
export class LanePasses {
  private readonly lane: SharedLane;
  private hasStarted = false;
  /** Records that this pass leaves, for whatever reason. */
  private left = 0;
  /** The same of the pass before, until this one has begun. */
  private leftBefore = 0;

  constructor(private readonly deps: LanePassesDeps) {
    this.lane = new SharedLane(deps.waiting);
  }

  /** The lane, if keys may share it now. */
  get shared(): SharedLane | undefined {
    return this.deps.isShared() ? this.lane : undefined;
  }

  /** Tells whether records wait for another pass. */
  get leavesAny(): boolean {
    return this.lane.left > 0;
  }

  /** Notes that an attempt has started. */
  started(): void {
    this.hasStarted = true;
  }

  /** The counters of the run. They note what this pass leaves, as further passes name it again. */
  countersOf(counters: RunCounters): RunCounters {
    const leftOver = (count: number) => {
      this.left += count;
      counters.leftOver(count);
    };
    return new Proxy(counters, {
      get: (_, name) => {
        if (name === 'leftOver') return leftOver;
        const value: unknown = Reflect.get(counters, name);
        return typeof value === 'function' ? value.bind(counters) : value;
      },
    });
  }

  /** Pages without the records that wait for a later pass. */
  pagesOf(pages: PageSource, counters: Pick<RunCounters, 'leftOver'>): PageSource {
    const { clock, quotas } = this.deps;
    const most = quotas.mostWithin(MAX_WAIT_IN_PASS_MS) ?? MAX_READ_IN_PASS;
    const toRead = (page: readonly IndexKey[]) => {
      // Records that the pass before has left are named again, now that the index has answered.
      counters.leftOver(-this.leftBefore);
      this.leftBefore = 0;
      const read = this.shared?.toRead(page, clock.wall() + MAX_WAIT_IN_PASS_MS, most) ?? page;
      counters.leftOver(page.length - read.length);
      return read;
    };
    return new PartOfPages(pages, toRead, () => (this.shared ? MAX_PAGE_RECORDS : 1));
  }

  /**
   * Begins another pass, if it may start an attempt within a minute, and waits until then.
   *
   * @returns whether there is another pass
   */
  async next(run: LaneOfRun): Promise<boolean> {
    const { shared } = this;
    const { clock, latestStart, stop, turns } = this.deps;
    const leftMs = (shared?.nextAt ?? Number.POSITIVE_INFINITY) - clock.wall();
    // A pass that began nothing waits in full: an open breaker would put all records off again at once.
    const leastMs = this.hasStarted ? MIN_PAUSE_MS : MAX_WAIT_IN_PASS_MS;
    const waitMs = Math.max(leastMs, Math.min(leftMs, MAX_WAIT_IN_PASS_MS));
    const isShort = clock.wall() + waitMs > latestStart;
    if (!shared || leftMs > MAX_STAY_MS || isShort) return false;
    this.leftBefore = this.left;
    shared.beginPass(clock.wall());
    this.hasStarted = false;
    turns?.rest();
    await withHeartbeat(clock.sleep(waitMs, stop), () => [...run.executor.inFlight], run);
    return true;
  }
}
