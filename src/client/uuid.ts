import type { Random } from '../random.js';

/** A UUID of version 4 from the randomness that was handed in. */
export function randomUuid(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
    const digit = Math.floor(random() * 16);
    return (place === 'x' ? digit : (digit & 0x3) | 0x8).toString(16);
  });
}
