/**
 * Two times, because `backlog start --speed N` lets a week pass in minutes: ages, due times and schedules follow
 * `now`, while leases, deadlines and attempt timeouts keep their real length and follow `wall`. In the cloud both
 * are the same.
 */
export interface Clock {
  /** The backlog's time, epoch milliseconds. */
  now(): number;
  /** Real time, epoch milliseconds. */
  wall(): number;
  /** Seconds of the backlog that pass in a real one. Default: 1. */
  readonly speed?: number | undefined;
  /** The backlog's time is frozen; `speed` is the speed at which it goes on. Default: false. */
  readonly paused?: boolean | undefined;
  /** Waits for a real length of time; ends early, without an error, when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The start and the speed of a faster clock; child processes have it as the variable `BACKLOG_CLOCK`. */
export interface ClockSetting {
  /** Real time, epoch milliseconds, at which the clock stood at `start`. */
  readonly wallStart: number;
  /** Backlog time, epoch milliseconds. */
  readonly start: number;
  /** Seconds of the backlog that pass in a real one. */
  readonly speed: number;
  /** The clock stands at `start`, and goes on with `speed`. Default: false. */
  readonly paused?: boolean | undefined;
}

/** A clock with real time for both, as in the cloud. */
export const systemClock: Clock = { now: Date.now, wall: Date.now, sleep };

/**
 * A clock that may be faster than the real one.
 *
 * @param setting a function where it may change: another object is another setting. A change turns no clock back. One
 *   that is ahead of its new setting is frozen until that has caught up
 */
export function scaledClock(setting: ClockSetting | (() => ClockSetting)): Clock {
  const read = typeof setting === 'function' ? setting : () => setting;
  let known = read();
  let last = Number.NEGATIVE_INFINITY;
  let floor = Number.NEGATIVE_INFINITY;
  return {
    now() {
      const current = read();
      if (current !== known) floor = last;
      known = current;
      const at = timeOf(current);
      // Below it only after a change: a real clock that is set back takes this one with it.
      if (at >= floor) floor = Number.NEGATIVE_INFINITY;
      last = Math.max(at, floor);
      return last;
    },
    wall: Date.now,
    get speed() {
      return read().speed;
    },
    get paused() {
      return read().paused === true;
    },
    sleep,
  };
}

function timeOf({ wallStart, start, speed, paused = false }: ClockSetting): number {
  return Math.floor(paused ? start : start + (Date.now() - wallStart) * speed);
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
/** The last time that sorts as text: nothing is due later. */
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Tells whether the year of a time has four digits: the text of any other one (`+275760-…`, `-000001-…`) sorts before
 * all of these.
 */
export function isSortable(epochMs: number): boolean {
  return epochMs >= FIRST_TIME && epochMs <= LAST_TIME;
}

/**
 * ISO-8601 in UTC with milliseconds: sorts as text, and people read it in the AWS console. What is beyond the years
 * that sort becomes the first or the last of them.
 */
export function toIso(epochMs: number): string {
  return new Date(Math.min(Math.max(epochMs, FIRST_TIME), LAST_TIME)).toISOString();
}

/** A clock that is this far ahead is believed; further ahead counts as unreadable. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Longer texts are no times. */
const MAX_TIME_CHARACTERS = 64;

/** The form in which the library writes times, on days that no month lacks. Other times are parsed, and written in this form. */
const CANONICAL_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time of an item in the form that the library writes; undefined: it is none. */
export function parseIso(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TIME_CHARACTERS) return undefined;
  if (CANONICAL_TIME.test(value)) return value;
  const ms = Date.parse(value);
  return isSortable(ms) ? toIso(ms) : undefined;
}
