import { isDeepStrictEqual } from 'node:util';
import { MAX_OPEN_BREAKERS } from '../buckets.js';
import { type Slots, slotsFor } from '../slots.js';
import type {
  ActiveRegion,
  BreakerState,
  LostRun,
  Permits,
  QueueState,
  Registry,
  RetryModeState,
  SlotsAsk,
  SlotsHeld,
  TierRun,
} from '../store.js';

const EMPTY: QueueState = { paused: false, retryMode: undefined, tiers: new Map(), breakers: new Map() };

export class MemoryQueues {
  private readonly queues = new Map<string, QueueState>();
  private readonly nextPermits = new Map<string, number>();
  private readonly slots = new Map<string, ReadonlyMap<string, Slots>>();

  private registry: Registry = { rev: '', queues: new Map() };
  activeRegion: ActiveRegion | undefined;

  read(queue: string): QueueState {
    return this.queues.get(queue) ?? EMPTY;
  }

  all(): ReadonlyMap<string, QueueState> {
    return new Map(this.queues);
  }

  readRegistry(): Registry {
    return this.registry;
  }

  writeRegistry({ queues, ...registry }: Registry, read: string): boolean {
    if (this.registry.rev !== read && this.registry.rev !== registry.rev) return false;
    this.registry = { ...registry, queues: new Map(structuredClone([...queues])) };
    return true;
  }

  writeActiveRegion(next: ActiveRegion, read: ActiveRegion | undefined): boolean {
    const isThat = [read, next].some((state) => isDeepStrictEqual(this.activeRegion, state));
    if (read && !isThat) return false;
    this.activeRegion = { ...next };
    return true;
  }

  /** False: it was so already. */
  setPaused(queue: string, paused: boolean, at: string): boolean {
    const { pausedAt: _, ...state } = this.read(queue);
    if (state.paused === paused) return false;
    this.queues.set(queue, { ...state, paused, ...(paused ? { pausedAt: at } : {}) });
    return true;
  }

  setRetryMode(queue: string, next: RetryModeState, read: RetryModeState | undefined): boolean {
    const state = this.read(queue);
    if (!isSameRetryMode(state.retryMode, read) && !isSameRetryMode(state.retryMode, next)) return false;
    this.queues.set(queue, { ...state, retryMode: { mode: next.mode, since: next.since } });
    return true;
  }

  recordTierRun(queue: string, tier: string, { at, complete }: TierRun): void {
    const state = this.read(queue);
    this.queues.set(queue, { ...state, tiers: new Map([...state.tiers, [tier, { at, complete }]]) });
  }

  setBreaker(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): boolean {
    const state = this.read(queue);
    const hasRoom = state.breakers.has(destination) || state.breakers.size < MAX_OPEN_BREAKERS;
    if (!read && next && !hasRoom) return false;
    const breakers = new Map(state.breakers);
    if (!changed(breakers, destination, next, read)) return false;
    this.queues.set(queue, { ...state, breakers });
    return true;
  }

  takeSlots(queue: string, ask: SlotsAsk): number {
    const taken = this.slots.get(queue) ?? new Map<string, Slots>();
    const own = taken.get(ask.run);
    if (own) return own.count;
    const count = slotsFor(taken, ask);
    if (count === 0) return 0;
    const { run, onArrival, until } = ask;
    const current = [...taken].filter(([, slots]) => slots.until >= ask.now);
    this.slots.set(queue, new Map([...current, [run, { count, onArrival, until }]]));
    return count;
  }

  renewSlots(queue: string, run: string, until: number): boolean {
    const taken = this.slots.get(queue) ?? new Map<string, Slots>();
    const slots = taken.get(run);
    // A request that arrives late does not shorten them.
    if (slots && slots.until <= until) this.slots.set(queue, new Map([...taken, [run, { ...slots, until }]]));
    return slots !== undefined;
  }

  releaseSlots(queue: string, run: string, { count }: SlotsHeld): void {
    const taken = new Map(this.slots.get(queue));
    if (taken.get(run)?.count === count) taken.delete(run);
    this.slots.set(queue, taken);
  }

  endSlots(queue: string, { holderPrefix }: LostRun): number {
    const taken = [...(this.slots.get(queue) ?? [])];
    const left = taken.filter(([run]) => !run.startsWith(holderPrefix));
    this.slots.set(queue, new Map(left));
    return taken.length - left.length;
  }

  acquirePermits(queue: string, { count, intervalMs, now, latest }: Permits): number | undefined {
    const first = Math.max(now, this.nextPermits.get(queue) ?? now);
    if (latest !== undefined && first > latest) return undefined;
    this.nextPermits.set(queue, first + count * intervalMs);
    return first;
  }
}

/** Changes a breaker that is as it was read, or was changed so already. */
function changed(
  breakers: Map<string, BreakerState>,
  name: string,
  next: BreakerState | undefined,
  read: BreakerState | undefined,
): boolean {
  const token = breakers.get(name)?.token;
  if (token !== read?.token && token !== next?.token) return false;
  if (next) breakers.set(name, next);
  else breakers.delete(name);
  return true;
}

function isSameRetryMode(a: RetryModeState | undefined, b: RetryModeState | undefined): boolean {
  return a?.mode === b?.mode && a?.since === b?.since;
}
