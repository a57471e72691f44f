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

/** Waits for the next macrotask: by then, promises that wait only for other promises are settled. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Waits in real time, or until the promise is settled. */
export function waitReally(milliseconds: number, early: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void early.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
