import { newHolder } from '../../leases/names.js';
import { CLOCK_SKEW_MS, keepRenewed, type TimedHold } from '../../leases/timed-hold.js';
import { StoreError, StoreThrottledError, StoreUnavailableError } from '../../store/errors.js';
import type { BacklogStore } from '../../store/store.js';
import { SLOTS_MS, type SlotHoldDeps, slotsRenewInMs, startableMs } from './slot-hold.js';

/** Time after which slots that are not needed any more are given back, while the run goes on. */
const KEPT_MS = 1_000;
/** Time between two looks at whether a slot is free. */
const LOOK_MS = 500;

export interface KeySlotsDeps extends SlotHoldDeps {
  /** Attempts of one key at once, in all runs of the queue together. */
  readonly perKey: number;
  /** Ends a wait. */
  readonly stop?: AbortSignal | undefined;
  readonly store: Pick<BacklogStore, 'keySlots'>;
}

/**
 * The attempts of each key that one run may have under way, of those that its queue may. They are taken for the records of a page
 * or of a batch together, by one write, and last a little longer than a minute. Keys are known by their short names.
 */
export class KeySlots implements TimedHold {
  readonly called = 'slots of keys';
  readonly logged: { readonly queue: string };
  private readonly run: string;
  private readonly over = new AbortController();
  /** Slots that the run has, by key. */
  private granted: ReadonlyMap<string, number> = new Map();
  /** Attempts under way, by key. */
  private readonly inUse = new Map<string, number>();
  /** Records that are about to be attempted, by key. */
  private readonly needed = new Map<string, number>();
  private until = 0;
  /** An ask had no answer: the run may have slots that it does not know of. */
  private mayHave = false;
  private asking: Promise<unknown> = Promise.resolve();
  private renewing: Promise<unknown> | undefined;
  private givingBack: Promise<void> | undefined;
  private readonly wakers = new Set<() => void>();

  constructor(private readonly deps: KeySlotsDeps) {
    this.run = newHolder(deps.random, deps.invocation);
    this.logged = { queue: deps.queue };
  }

  /** Notes that so many more records of a key are about to be attempted; fewer, if `change` is negative. */
  need(key: string, change: number): void {
    add(this.needed, key, change);
    if (change < 0) this.givingBack ??= this.giveBackSoon();
  }

  /** Takes slots for all records that are about to be attempted, as far as other runs leave some. */
  async take(): Promise<void> {
    if (this.covers() && !this.lacksAny()) return;
    try {
      await this.ask();
    } catch (error) {
      if (!(error instanceof StoreThrottledError || error instanceof StoreUnavailableError)) throw error;
      const { logger, queue } = this.deps;
      logger.warn('slots of keys could not be taken', { queue, error: error.message });
    }
    // Slots that have run out are of no use: no record waits for them.
    if (this.mayHave && !this.covers()) this.granted = new Map();
    this.renewing ??= keepRenewed(this, this.over.signal, this.deps);
  }

  /** Tells whether the run has any slot of the key, in use or not. */
  has(key: string): boolean {
    return (this.granted.get(key) ?? 0) > 0;
  }

  /** The slots of the key that no attempt uses now. */
  free(key: string): number {
    return (this.granted.get(key) ?? 0) - (this.inUse.get(key) ?? 0);
  }

  /** Tells whether other runs have slots of the key that this one could use. */
  lacks(key: string): boolean {
    return (this.granted.get(key) ?? 0) < this.wantedOf(key);
  }

  /** Uses a slot for one attempt. False: none is free. */
  tryUse(key: string): boolean {
    if (this.free(key) <= 0) return false;
    add(this.inUse, key, 1);
    return true;
  }

  /** Gives the slot of one attempt back. */
  giveBack(key: string): void {
    add(this.inUse, key, -1);
    for (const wake of this.wakers) wake();
    this.givingBack ??= this.giveBackSoon();
  }

  /** Waits until an attempt has ended, or for so long, or until it is time to look again. */
  async wait(milliseconds: number): Promise<void> {
    const { clock, stop } = this.deps;
    const ended = new AbortController();
    const wake = () => ended.abort('an attempt has ended, or the process is to end');
    this.wakers.add(wake);
    stop?.addEventListener('abort', wake, { once: true });
    await clock.sleep(Math.min(LOOK_MS, milliseconds), ended.signal);
    stop?.removeEventListener('abort', wake);
    this.wakers.delete(wake);
  }

  /** Tells whether an attempt that starts then, by default now, ends while the run has its slots. */
  covers(startsAt = 0): boolean {
    const waitMs = Math.max(0, startsAt - this.deps.clock.wall());
    return this.granted.size === 0 || startableMs(this.until, this.deps) > waitMs;
  }

  /** Gives all slots back. If that fails, they run out by themselves. */
  async close(): Promise<void> {
    this.over.abort('the run is over');
    await Promise.all([this.renewing, this.givingBack]);
    await this.asking;
    if (this.granted.size === 0 && !this.mayHave) return;
    this.granted = new Map();
    const { queue, store } = this.deps;
    await this.tried(store.keySlots.release(queue, this.run));
  }

  renewInMs(): number {
    const until = this.hasAny ? this.until : this.deps.clock.wall() + SLOTS_MS;
    // No sooner than that where too many runs have asked at once.
    return Math.max(LOOK_MS, slotsRenewInMs(until, this.deps));
  }

  /** Renews the slots that are still needed. One that another run has by now is not used again: see `free`. */
  async renew(): Promise<boolean> {
    if (this.hasAny) await this.ask();
    return true;
  }

  /** Slots that could not be renewed in time are asked for again while attempts are under way that began with them. */
  private get hasAny(): boolean {
    return this.granted.size > 0 || this.inUse.size > 0;
  }

  private wantedOf(key: string): number {
    return Math.min(this.deps.perKey, (this.needed.get(key) ?? 0) + (this.inUse.get(key) ?? 0));
  }

  private lacksAny(): boolean {
    return [...this.needed.keys()].some((key) => this.lacks(key));
  }

  private async giveBackSoon(): Promise<void> {
    const { clock } = this.deps;
    await clock.sleep(KEPT_MS, this.over.signal);
    // The answer of an ask under way tells first what the run has.
    await this.asking;
    this.givingBack = undefined;
    const isTooMany = [...this.granted].some(([key, count]) => count > this.wantedOf(key));
    if (this.over.signal.aborted || !(isTooMany || this.mayHave)) return;
    await this.tried(this.ask());
    // Slots of an ask without an answer may keep other runs waiting: the run asks again.
    if (this.mayHave) this.givingBack ??= this.giveBackSoon();
  }

  /** Asks for what is needed now, one ask behind the other. */
  private ask(): Promise<void> {
    const asked = this.asking.then(() => this.askNow());
    // An ask that fails is reported to its caller, and does not keep the next one from being made.
    this.asking = asked.catch(() => {});
    return asked;
  }

  private async askNow(): Promise<void> {
    const { queue, perKey, store, clock } = this.deps;
    const keys = new Set([...this.needed.keys(), ...this.inUse.keys()]);
    const wanted = new Map([...keys].map((key) => [key, this.wantedOf(key)]));
    const now = clock.wall();
    const until = now + SLOTS_MS;
    const ask = { run: this.run, wanted, most: perKey, now: now - CLOCK_SKEW_MS, until };
    // Slots that are not wanted may be another run's before the answer comes.
    this.granted = new Map(
      [...this.granted].flatMap(([key, count]) => {
        const kept = Math.min(count, wanted.get(key) ?? 0);
        return kept > 0 ? [[key, kept] as const] : [];
      }),
    );
    // Until there is an answer.
    this.mayHave = true;
    const granted = await store.keySlots.take(queue, ask);
    if (!granted) return;
    this.mayHave = false;
    this.granted = granted;
    this.until = until;
  }

  /** Slots that are not given back run out by themselves. */
  private async tried(request: Promise<void>): Promise<void> {
    const { logger, queue } = this.deps;
    await request.catch((error) => {
      if (!(error instanceof StoreError)) throw error;
      logger.warn('slots of keys could not be given back', { queue, error: error.message });
    });
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
