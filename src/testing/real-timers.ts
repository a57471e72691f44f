import process from 'node:process';
import timers from 'node:timers';

/**
 * Real time, whatever a test runner makes of it: fake timers of Vitest, Jest and node:test replace what is global, and
 * are installed after this module was loaded.
 */
const { setImmediate, setTimeout, clearTimeout } = timers;
const hrtime = process.hrtime.bigint;

/** Milliseconds of a clock that only goes forward. */
export function realNow(): number {
  return Number(hrtime()) / 1e6;
}

/** Every promise that needs no more than other promises is settled by then. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Ends early when the promise is settled. */
export function waitReally(milliseconds: number, early: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void early.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
