import type { QueueState, TierRun, WayState } from '../store.js';

const EMPTY: QueueState = { paused: false, way: undefined, tiers: new Map() };

export class MemoryQueues {
  private readonly queues = new Map<string, QueueState>();

  read(queue: string): QueueState {
    return this.queues.get(queue) ?? EMPTY;
  }

  all(): ReadonlyMap<string, QueueState> {
    return new Map(this.queues);
  }

  /** False: it was so already. */
  setPaused(queue: string, paused: boolean, at: string): boolean {
    const { pausedAt: _, ...state } = this.read(queue);
    if (state.paused === paused) return false;
    this.queues.set(queue, { ...state, paused, ...(paused ? { pausedAt: at } : {}) });
    return true;
  }

  setWay(queue: string, next: WayState, read: WayState | undefined): boolean {
    const state = this.read(queue);
    if (!sameWay(state.way, read) && !sameWay(state.way, next)) return false;
    this.queues.set(queue, { ...state, way: { way: next.way, since: next.since } });
    return true;
  }

  recordTierRun(queue: string, tier: number, { at, complete }: TierRun): void {
    const state = this.read(queue);
    this.queues.set(queue, { ...state, tiers: new Map([...state.tiers, [tier, { at, complete }]]) });
  }
}

function sameWay(a: WayState | undefined, b: WayState | undefined): boolean {
  return a?.way === b?.way && a?.since === b?.since;
}
