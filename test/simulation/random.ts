import type { Random } from '../../src/support/random.js';

export { seededRandom } from '../../src/support/seeded-random.js';
export { between, chance } from '../../tools/src/lab/draws.js';

export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}
