import { expect } from 'vitest';
import type { KeySlotStore, KeySlotsAsk } from '../../src/store/index.js';
import { seededRandom } from '../simulation/random.js';
import { NOW } from './records.js';

export const MOST = 4;
export const KEYS = ['x', 'y', 'z'] as const;

/** A request of a run for slots, for one minute. */
export function ask(
  run: string,
  wanted: Readonly<Record<string, number>>,
  more: Partial<KeySlotsAsk> = {},
): KeySlotsAsk {
  return {
    run,
    wanted: new Map(Object.entries(wanted)),
    most: MOST,
    now: NOW,
    until: NOW + 60_000,
    ...more,
  };
}

/** Runs of a queue that ask for slots all at once, again and again, and attempt records by what they are answered. */
export class RacingRuns {
  private readonly held = new Map<string, ReadonlyMap<string, number>>();
  private readonly random: () => number;
  answers = 0;

  constructor(
    private readonly queue: string,
    seed: number,
  ) {
    this.random = seededRandom(seed);
  }

  /** Each run asks `times` times, with pauses of its own; some give all back in between. */
  async race(stores: readonly KeySlotStore[], times: number): Promise<void> {
    const runs = stores.map(async (keySlots, number) => {
      for (let i = 0; i < times; i++) await this.turn(keySlots, `run-${number}`, NOW + 60_000 + i);
    });
    await Promise.all(runs);
  }

  /** The slots of a key that all runs have together, as they know. */
  sumOf(key: string): number {
    return [...this.held.values()].reduce((sum, slots) => sum + (slots.get(key) ?? 0), 0);
  }

  private async turn(keySlots: KeySlotStore, run: string, until: number): Promise<void> {
    if (this.random() < 0.2) {
      this.held.delete(run);
      await keySlots.release(this.queue, run);
      return;
    }
    const asked = ask(run, this.wanted(), { until });
    // A run attempts no more than it asks for, from before it asks.
    const before = [...(this.held.get(run) ?? [])];
    const kept = before.map(([key, count]) => [key, Math.min(count, asked.wanted.get(key) ?? 0)] as const);
    this.held.set(run, new Map(kept));
    const slots = await keySlots.take(this.queue, asked);
    if (!slots) return;
    this.answers++;
    this.held.set(run, slots);
    for (const key of KEYS)
      expect(this.sumOf(key), `${key}, when ${run} is answered`).toBeLessThanOrEqual(MOST);
  }

  private wanted(): Readonly<Record<string, number>> {
    const keys = KEYS.filter(() => this.random() < 0.6);
    return Object.fromEntries(keys.map((key) => [key, 1 + Math.floor(this.random() * MOST)]));
  }
}
