import type { Random } from 'dynamo-backlog/engine';

/** Draws whether something happens. */
export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

/** Draws a whole number, both ends included. */
export function between(random: Random, least: number, most: number): number {
  return Math.floor(least + random() * (most - least + 1));
}
