/** Turns of the event loop that are left out at most: the test runner hears of its process in between. */
const MAX_LEFT_OUT = 100;
let turns = 0;

/**
 * Settles when the code of a world waits for its time alone. A world has no input and output, so a turn of the event loop brings
 * nothing: it is enough that no promise is left to go on with, which costs a fraction of a turn.
 */
export function settled(): Promise<void> {
  if (++turns % MAX_LEFT_OUT === 0) return new Promise((resolve) => setImmediate(resolve));
  // Within a promise's turn `nextTick` comes when all others had theirs.
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}
