import { RunLease } from '../leases/lease.js';
import { lingerLeaseName } from '../leases/lease-names.js';
import { isLaneOf } from '../record/index.js';
import type { RunDeps } from './deps.js';
import { isShortOfTime, type RunOptions } from './options.js';
import { isDone, type StopReason } from './stop-reason.js';
import type { Upcoming } from './upcoming.js';

/** A look at the index while nothing that is known comes due: other runs' records wait for short times, too. */
const BETWEEN_LOOKS_MS = 4_000;
/** Between the times at which a lane is drained: what comes due in quick succession is attempted together. */
const BETWEEN_DRAINS_MS = 2_000;
/** In real time, however fast the backlog's goes. */
const LEAST_SLEEP_MS = 20;
/** Rules come a little late. */
const SLACK_MS = 5_000;
/** What a look reads of those that have come due meanwhile. */
const LOOK_KEYS = 100;

export interface LingerDeps extends RunDeps {
  readonly upcoming: Upcoming;
  /** When the run started, in the backlog's time. */
  readonly startedAt: number;
  /** Drains lanes of what is kept to the second and has come due since then. */
  readonly drain: (lanes: readonly string[], since: number) => Promise<StopReason>;
}

/**
 * Keeps waits of less than a tick: a run that knows of due times before the next tick stays for them, asleep, and
 * attempts what they name. It holds no lane and no attempt's slot meanwhile. One run stays for a lane, by a lease of its
 * own; another one that knows of more leaves a wake mark there and ends.
 *
 *     run |== work ==|........|=|....|=|..................|     . asleep, but for a look at the index every 4 s
 *         tick       10 s            20 s             next tick: its run stays for what comes then
 *
 * It ends with the last due time that it knows of, after `linger`, when the function's time is short or the
 * process is to end. What is due then is attempted at the next tick, as everything is.
 */
export class Linger {
  private readonly lengthMs: number;
  private readonly leases = new Map<string, RunLease>();
  private readonly looked = new Map<string, number>();
  /** In the backlog's time. */
  private until: number;

  constructor(
    private readonly options: RunOptions,
    private readonly deps: LingerDeps,
  ) {
    const { limits, tickSeconds } = options;
    const { linger = tickSeconds } = limits;
    this.lengthMs = 1000 * Math.min(linger, tickSeconds) + (linger < tickSeconds ? 0 : SLACK_MS);
    this.until = deps.startedAt + this.lengthMs;
  }

  /** Stays as long as there is reason to. Returns why it had to end, if it had to. */
  async stay(): Promise<StopReason | undefined> {
    const { upcoming, clock } = this.deps;
    const { queue } = this.options.target;
    try {
      for (const lane of upcoming.lanes(this.until)) if (isLaneOf(lane, queue)) await this.take(lane);
      let earliest = 0;
      for (;;) {
        // A request without an answer may have taken all of the time.
        if (this.isOver()) return undefined;
        await this.releaseIdle();
        if (this.leases.size === 0) return undefined;
        const before = clock.now();
        await this.sleep(earliest);
        // Nothing comes due by a clock that is frozen, or was set back.
        if (this.isOver() || clock.now() <= before) return undefined;
        const due: string[] = [];
        for (const lane of this.leases.keys()) if (await this.look(lane)) due.push(lane);
        if (due.length === 0) continue;
        const end = await this.deps.drain(due, this.since(due));
        earliest = clock.now() + BETWEEN_DRAINS_MS;
        for (const lane of due) this.looked.set(lane, clock.now());
        if (!isDone(end)) return end;
      }
    } finally {
      for (const lease of this.leases.values()) await lease.giveBack();
    }
  }

  /** Unless another run stays for it already. */
  private async take(lane: string): Promise<void> {
    const { clock } = this.deps;
    const { invocation, limits } = this.options;
    const lease = new RunLease(lingerLeaseName(lane), { ...this.deps, invocation }, limits.attemptTimeout);
    if (!(await lease.acquire([])).held) return;
    this.leases.set(lane, lease);
    this.looked.set(lane, clock.now());
  }

  /** Gives up lanes in which nothing is to come, unless another run has asked meanwhile to stay on. */
  private async releaseIdle(): Promise<void> {
    const { upcoming, clock } = this.deps;
    for (const [lane, lease] of this.leases) {
      while (upcoming.next(lane) > this.until) {
        const isWoken = (await lease.release()) === 'woken' && (await lease.acknowledgeWake());
        if (!isWoken) {
          this.leases.delete(lane);
          break;
        }
        if (this.isOver()) continue;
        this.until = Math.max(this.until, clock.now() + this.lengthMs);
        if (await this.look(lane)) break;
      }
    }
  }

  private async sleep(earliest: number): Promise<void> {
    const { clock, upcoming } = this.deps;
    const next = Math.min(...[...this.leases.keys()].map((lane) => upcoming.next(lane)));
    const wakeAt = Math.max(Math.min(next, clock.now() + BETWEEN_LOOKS_MS), earliest);
    const realMs = (wakeAt - clock.now()) / (clock.speed ?? 1);
    await clock.sleep(Math.max(LEAST_SLEEP_MS, Math.ceil(realMs)), this.options.stop);
    for (const [lane, lease] of this.leases) {
      if (lease.renewInMs() <= 0 && !(await lease.extend([]))) this.leases.delete(lane);
    }
  }

  /** Whether anything has come due; notes what is to come. */
  private async look(lane: string): Promise<boolean> {
    const { store, clock, upcoming } = this.deps;
    const now = clock.now();
    const page = await store.queryDue({
      lane,
      from: this.since([lane]),
      until: this.until,
      order: 'oldestFirst',
      limit: LOOK_KEYS,
    });
    const isDue = upcoming.next(lane) <= now || upcoming.hasCome(page.keys, now);
    upcoming.pass(lane, now);
    for (const key of page.keys) upcoming.note(lane, key, now);
    if (!isDue) this.looked.set(lane, now);
    return isDue;
  }

  /** The index may lag behind. */
  private since(lanes: readonly string[]): number {
    return Math.min(...lanes.map((lane) => this.looked.get(lane) ?? 0)) - SLACK_MS;
  }

  private isOver(): boolean {
    return isShortOfTime(this.options, this.deps.clock);
  }
}
