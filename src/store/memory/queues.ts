import { type Clock, toIso } from '../../support/clock.js';
import { MAX_OPEN_BREAKERS } from '../buckets.js';
import type { OperatorQueueStore, PauseNote } from '../operator-store.js';
import type { BreakerState, BreakerStore, QueueState, RetryModeState, TierRun } from '../store.js';
import type { MemoryClaims } from './claims.js';

const EMPTY: QueueState = { paused: false, retryMode: undefined, tiers: new Map(), breakers: new Map() };

/** The items of the queues. */
export class MemoryQueues implements OperatorQueueStore {
  private readonly queues = new Map<string, QueueState>();

  constructor(
    private readonly claims: MemoryClaims,
    private readonly clock: Clock,
  ) {}

  async read(queue: string): Promise<QueueState> {
    return this.stateOf(queue);
  }

  async readAll(): Promise<ReadonlyMap<string, QueueState>> {
    const claimed = [...this.claims.queueNames()].map((name) => [name, this.stateOf(name)] as const);
    return new Map([...claimed, ...this.queues]);
  }

  async setRetryMode(
    queue: string,
    next: RetryModeState,
    read: RetryModeState | undefined,
  ): Promise<boolean> {
    const state = this.stateOf(queue);
    if (!isSameRetryMode(state.retryMode, read) && !isSameRetryMode(state.retryMode, next)) return false;
    this.queues.set(queue, { ...state, retryMode: { mode: next.mode, since: next.since } });
    return true;
  }

  async recordTierRun(queue: string, tier: string, { at, complete }: TierRun): Promise<void> {
    const state = this.stateOf(queue);
    this.queues.set(queue, { ...state, tiers: new Map([...state.tiers, [tier, { at, complete }]]) });
  }

  async noteFailing(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'failing', next, read);
  }

  async noteBusyKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'busyKeys', next, read);
  }

  async notePausedKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'pausedKeys', next, read);
  }

  private noteText(
    queue: string,
    name: 'failing' | 'busyKeys' | 'pausedKeys',
    next: string | undefined,
    read: string | undefined,
  ): boolean {
    const { [name]: text, ...state } = this.stateOf(queue);
    if (text !== read && text !== next) return false;
    this.queues.set(queue, next === undefined ? state : { ...state, [name]: next });
    return true;
  }

  async setPaused(queue: string, paused: boolean, note: PauseNote = {}): Promise<boolean> {
    const before = this.stateOf(queue);
    const { pausedAt, pausedUntil, pauseReason, pausedBy, resumedAt, ...state } = before;
    const given = Object.entries(note).filter(([, value]) => value !== undefined);
    const isChanged = given.some(
      ([name, value]) => name !== 'pausedBy' && before[name as keyof PauseNote] !== value,
    );
    if (before.paused === paused && !(paused && isChanged)) return false;
    const now = this.clock.now();
    const begun = before.paused ? before : { ...state, pausedAt: toIso(now) };
    const next = paused ? { ...begun, ...Object.fromEntries(given) } : { ...state, resumedAt: toIso(now) };
    this.queues.set(queue, { ...next, paused });
    return true;
  }

  stateOf(queue: string): QueueState {
    return this.queues.get(queue) ?? EMPTY;
  }

  write(queue: string, state: QueueState): void {
    this.queues.set(queue, state);
  }
}

/** The breakers, in their queue's item while that has room. */
export class MemoryBreakers implements BreakerStore {
  constructor(private readonly queues: MemoryQueues) {}

  async set(
    queue: string,
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    const state = this.queues.stateOf(queue);
    const hasRoom = state.breakers.has(destination) || state.breakers.size < MAX_OPEN_BREAKERS;
    if (!read && next && !hasRoom) return false;
    const breakers = new Map(state.breakers);
    if (!changed(breakers, destination, next, read)) return false;
    this.queues.write(queue, { ...state, breakers });
    return true;
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
