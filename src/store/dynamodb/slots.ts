import type { LostRun, SlotStore, SlotsAsk, SlotsHeld } from '../store.js';
import type { Table } from './table.js';

/** The slots of queues that limit the attempts of all runs. Their code is loaded at the first use: most queues have no such limit. */
export class DynamoDbSlots implements SlotStore {
  private items: Promise<SlotStore> | undefined;

  constructor(private readonly table: Table) {}

  async take(queue: string, ask: SlotsAsk): Promise<number> {
    return (await this.load()).take(queue, ask);
  }

  async renew(queue: string, run: string, until: number): Promise<boolean> {
    return (await this.load()).renew(queue, run, until);
  }

  async release(queue: string, run: string, slots: SlotsHeld): Promise<void> {
    return (await this.load()).release(queue, run, slots);
  }

  async end(queues: readonly string[], lost: LostRun): Promise<number> {
    return (await this.load()).end(queues, lost);
  }

  private load(): Promise<SlotStore> {
    this.items ??= import('./slot-items.js').then(({ SlotItems }) => new SlotItems(this.table));
    return this.items;
  }
}
