import type { VirtualTime } from '../../../src/support/virtual-time.js';
import type { Actor } from '../actor.js';

/** One invocation of a function: its result, or `failed` if it throws, dies, or is ended by its time limit. */
export function invocation<T>(
  actor: Actor,
  time: VirtualTime,
  timeoutMs: number,
  work: () => Promise<T>,
  /** Handles the sandbox of an invocation that has ended well. Default: it is killed. */
  afterwards: (actor: Actor) => void = (ended) => ended.kill(),
): Promise<T | 'failed'> {
  return new Promise((resolve) => {
    const diesAsBefore = actor.onKilled;
    actor.onKilled = () => {
      diesAsBefore();
      resolve('failed');
    };
    const cancel = time.after(timeoutMs, () => actor.kill());
    // The sandbox is frozen when its invocation ends, with whatever goes on in it. It may thaw later.
    const end = (result: T | 'failed') => {
      cancel();
      resolve(result);
      if (result === 'failed') actor.kill();
      else afterwards(actor);
    };
    work().then(end, () => end('failed'));
  });
}
