import type { ClockControl } from './clock-control.js';
import type { Scheduler } from './scheduler.js';
import type { Timekeeper } from './timekeeper.js';

/** Real time between two looks. */
export const LOOK_EVERY_MS = 1_000;
/** Looks in a row at which runs are behind, until the clock goes at half its speed. A single long run is no fault of the speed. */
const BEHIND_LOOKS = 3;
/** Looks in a row at which none is, until it goes at twice its speed again. */
const CALM_LOOKS = 15;

export interface SpeedLimitDeps {
  readonly time: Pick<Timekeeper, 'setting'>;
  readonly scheduler: Pick<Scheduler, 'isBehind'>;
  readonly control: Pick<ClockControl, 'askedSpeed' | 'limit'>;
  /** Called when the clock gets slower than it was asked to go. */
  readonly onSlowed?: (() => void) | undefined;
}

/**
 * Lowers the speed of the clock step by step while runs cannot start or end as fast as it goes, and raises it again to the speed
 * that was asked for. Real time is the least.
 */
export class SpeedLimit {
  #behind = 0;
  #calm = 0;

  constructor(private readonly deps: SpeedLimitDeps) {}

  /** Looks at the runs, once in `LOOK_EVERY_MS`. Never rejects: a clock that cannot be changed stays as it is. */
  async look(): Promise<void> {
    const { time, scheduler, control, onSlowed } = this.deps;
    const { speed, paused } = time.setting;
    if (paused) return;
    const isBehind = scheduler.isBehind();
    this.#behind = isBehind ? this.#behind + 1 : 0;
    this.#calm = isBehind ? 0 : this.#calm + 1;
    const next = this.#behind >= BEHIND_LOOKS ? speed / 2 : this.#calm >= CALM_LOOKS ? speed * 2 : speed;
    const limit = Math.min(control.askedSpeed, Math.max(1, Math.floor(next)));
    if (next === speed || limit === speed) return;
    this.#behind = 0;
    this.#calm = 0;
    const isFirst = speed === control.askedSpeed;
    await control.limit(limit).catch(() => {});
    if (isFirst) onSlowed?.();
  }
}
