import type { Random } from 'dynamo-backlog/engine';

/** Draws numbers from 0 on whose frequencies fall as a power of their rank. */
export function zipf(count: number, exponent: number, random: Random): () => number {
  let sum = 0;
  const sums = Array.from({ length: count }, (_, rank) => {
    sum += (rank + 1) ** -exponent;
    return sum;
  });
  return () => {
    const drawn = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? sum) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
