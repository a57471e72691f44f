import { AsyncLocalStorage } from 'node:async_hooks';

/** Records that came one out of the other: how many there are before the one under attempt. */
let hops: AsyncLocalStorage<number> | undefined;

/** From now on, attempts of this process say which code runs within them. Without a client of the backlog none has to. */
export function watchAttempts(): void {
  hops ??= new AsyncLocalStorage();
}

/** Runs an attempt's code, and what it starts. */
export function withinAttempt<Result>(before: number, act: () => Result): Result {
  return hops ? hops.run(before, act) : act();
}

/** The hops of the record within whose attempt this is asked; undefined: within none. */
export function hopsOfAttempt(): number | undefined {
  return hops?.getStore();
}
