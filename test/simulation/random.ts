import type { Random } from '../../src/support/random.js';

export { seededRandom } from '../../src/support/seeded-random.js';

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function between(random: Random, least: number, most: number): number {
  return Math.floor(least + random() * (most - least + 1));
}

export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}
