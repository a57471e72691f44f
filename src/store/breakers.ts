import { hash32 } from '../policies/hash.js';

/** Breakers of their own in the item of their queue, which every page reads. */
export const OWN_BREAKERS = 50;
/** Items that the others share, by the hash of their destinations' names. */
const SHARED_BREAKERS = 65_536;

/** Which of the shared breakers is a destination's: where the queue's item has no room for one of its own. */
export function sharedBreakerOf(destination: string): string {
  return String(hash32(destination) % SHARED_BREAKERS);
}
