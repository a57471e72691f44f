import { type Slots, slotsFor } from '../slots.js';
import type { LostRun, PermitStore, Permits, SlotStore, SlotsAsk, SlotsHeld } from '../store.js';

/** The slots of each queue, by run. */
export class MemorySlots implements SlotStore {
  private readonly slots = new Map<string, ReadonlyMap<string, Slots>>();

  async take(queue: string, ask: SlotsAsk): Promise<number> {
    const taken = this.slots.get(queue) ?? new Map<string, Slots>();
    const { run, onArrival, has = 0 } = ask;
    const own = taken.get(run);
    if ((own?.count ?? 0) !== has) return own?.count ?? 0;
    const count = slotsFor(taken, ask);
    if (count <= has) return has;
    const until = own?.until ?? ask.until;
    const current = [...taken].filter(([, slots]) => slots.until >= ask.now);
    this.slots.set(queue, new Map([...current, [run, { count, onArrival, until }]]));
    return count;
  }

  async renew(queue: string, run: string, until: number): Promise<boolean> {
    const taken = this.slots.get(queue) ?? new Map<string, Slots>();
    const slots = taken.get(run);
    // A request that arrives late does not shorten them.
    if (slots && slots.until <= until) this.slots.set(queue, new Map([...taken, [run, { ...slots, until }]]));
    return slots !== undefined;
  }

  async release(queue: string, run: string, { count }: SlotsHeld): Promise<void> {
    const taken = new Map(this.slots.get(queue));
    if (taken.get(run)?.count === count) taken.delete(run);
    this.slots.set(queue, taken);
  }

  async end(queues: readonly string[], lost: LostRun): Promise<number> {
    return queues.reduce((sum, queue) => sum + this.endIn(queue, lost), 0);
  }

  private endIn(queue: string, { holderPrefix }: LostRun): number {
    const taken = [...(this.slots.get(queue) ?? [])];
    const left = taken.filter(([run]) => !run.startsWith(holderPrefix));
    this.slots.set(queue, new Map(left));
    return taken.length - left.length;
  }
}

/** The permits: the time at which the next one of each queue, or key, is free. */
export class MemoryPermits implements PermitStore {
  private readonly nextPermits = new Map<string, number>();

  async acquire(queue: string, permits: Permits): Promise<number | undefined> {
    const { key = '', count, intervalMs, now, latest } = permits;
    const name = `${queue}#${key}`;
    const first = Math.max(now, this.nextPermits.get(name) ?? now);
    if (latest !== undefined && first > latest) return undefined;
    this.nextPermits.set(name, first + count * intervalMs);
    return first;
  }
}
