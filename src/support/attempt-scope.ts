import { AsyncLocalStorage } from 'node:async_hooks';

/** Records that came one out of the other: how many there are before the one under attempt. */
let hops: AsyncLocalStorage<number> | undefined;

/** Lets code within an attempt of this process ask for its hops, from now on. Only a client of the backlog needs that. */
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
