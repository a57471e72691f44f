import type { VirtualTime } from '../../../src/lab/virtual-time.js';
import type { Actor } from '../actor.js';

/** One invocation of a function: its result, or `failed` if it throws, dies, or is ended by its time limit. */
export function invocation<T>(
  actor: Actor,
  time: VirtualTime,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T | 'failed'> {
  return new Promise((resolve) => {
    const diesAsBefore = actor.onKilled;
    actor.onKilled = () => {
      diesAsBefore();
      resolve('failed');
    };
    const cancel = time.after(timeoutMs, () => actor.kill());
    // With its end the sandbox stands still, and whatever goes on in it.
    const end = (result: T | 'failed') => {
      cancel();
      resolve(result);
      actor.kill();
    };
    work().then(end, () => end('failed'));
  });
}
