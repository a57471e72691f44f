import { grantedTo, type KeySlots } from '../key-slots.js';
import type { KeySlotStore, KeySlotsAsk, LostRun } from '../store.js';

/** The slots of keys, by queue and run. */
export class MemoryKeySlots implements KeySlotStore {
  private readonly runs = new Map<string, ReadonlyMap<string, KeySlots>>();

  async take(queue: string, ask: KeySlotsAsk): Promise<ReadonlyMap<string, number>> {
    const { slots, runs } = grantedTo(this.runsOf(queue), ask);
    if (runs) this.runs.set(queue, runs);
    return new Map(slots);
  }

  async release(queue: string, run: string): Promise<void> {
    this.endIn(queue, (other) => other === run);
  }

  async end(queues: readonly string[], { holderPrefix }: LostRun): Promise<number> {
    return queues.filter((queue) => this.endIn(queue, (run) => run.startsWith(holderPrefix))).length;
  }

  private endIn(queue: string, isEnded: (run: string) => boolean): boolean {
    const runs = this.runsOf(queue);
    const left = new Map([...runs].filter(([run]) => !isEnded(run)));
    this.runs.set(queue, left);
    return left.size < runs.size;
  }

  private runsOf(queue: string): ReadonlyMap<string, KeySlots> {
    return this.runs.get(queue) ?? new Map<string, KeySlots>();
  }
}
