import type { Random } from '../../src/random.js';

/** mulberry32: a small seeded generator, so that every world can be run again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function between(random: Random, least: number, most: number): number {
  return Math.floor(least + random() * (most - least + 1));
}

export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}
