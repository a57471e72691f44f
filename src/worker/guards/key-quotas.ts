import type { BacklogStore } from '../../store/store.js';
import type { Clock } from '../../support/clock.js';
import { KeyPaces } from './key-paces.js';
import { KeySlots } from './key-slots.js';
import type { SlotHoldDeps } from './slot-hold.js';

/** The longest wait without a look at whether the lease still covers an attempt. */
const MAX_WAIT_MS = 5_000;
/** The longest wait for a permit in place of one that has passed. The attempt waits for it in its line. */
const MAX_WAIT_FOR_NEXT_MS = 1_000;
/** The longest wait for a permit of an attempt that others wait for. */
const MAX_WAIT_AT_START_MS = 100;

export interface KeyQuotasDeps extends SlotHoldDeps {
  /** Attempts of one key at once, in all runs of the queue together. Undefined: no limit. */
  readonly concurrencyPerKey: number | undefined;
  /** Attempts of one key started per second, in all runs of the queue together. Undefined: no limit. */
  readonly attemptsPerSecondPerKey: number | undefined;
  /** Real time before which the last attempt of the run must begin. */
  readonly latestStart: number;
  /** Ends a wait. */
  readonly stop: AbortSignal | undefined;
  readonly clock: Clock;
  readonly store: Pick<BacklogStore, 'keySlots' | 'permits'>;
}

/** The attempts that each key may make, for one run: its slots, and its permits at an even pace. Keys are known by their short names. */
export class KeyQuotas {
  private readonly slots: KeySlots | undefined;
  private readonly paces: KeyPaces | undefined;

  constructor(private readonly deps: KeyQuotasDeps) {
    const { concurrencyPerKey: perKey, attemptsPerSecondPerKey: perSecond } = deps;
    this.slots = perKey === undefined ? undefined : new KeySlots({ ...deps, perKey });
    this.paces = perSecond === undefined ? undefined : new KeyPaces({ ...deps, perSecond });
  }

  /** Notes that so many more records of a key are about to be attempted; fewer, if `change` is negative. */
  need(key: string, change: number): void {
    this.slots?.need(key, change);
  }

  /** Takes slots for all records that are about to be attempted, as far as other runs leave some. */
  async takeSlots(): Promise<void> {
    await this.slots?.take();
  }

  /**
   * Acquires permits for keys that have none left.
   *
   * @param keys the key of each record that is about to be attempted
   * @param maxWaitMs the longest wait for a permit
   */
  async takePermits(keys: readonly string[], maxWaitMs: number): Promise<void> {
    const needed = new Map<string, number>();
    for (const key of keys) needed.set(key, (needed.get(key) ?? 0) + 1);
    await this.paces?.take(needed, maxWaitMs);
  }

  /** Acquires another permit for an attempt that is about to start, if its own has passed while it waited. */
  async renewPermit(key: string): Promise<void> {
    await this.paces?.postpone(key);
    await this.takePermits([key], MAX_WAIT_FOR_NEXT_MS);
    const { clock, stop } = this.deps;
    const waitMs = this.paceWaitMs(key);
    // The answer may be a little quicker than the one before.
    if (waitMs > 0 && waitMs <= MAX_WAIT_AT_START_MS) await clock.sleep(waitMs, stop);
  }

  /** Attempts of the key that may start now. */
  free(key: string): number {
    return Math.min(this.freeSlots(key), this.paceWaitMs(key) === 0 ? 1 : 0);
  }

  /** Slots of the key that no attempt of this run uses now. Infinite: there is no such limit. */
  freeSlots(key: string): number {
    return this.slots?.free(key) ?? Number.POSITIVE_INFINITY;
  }

  /** Tells whether the run has any slot of the key, in use or not. */
  hasSlot(key: string): boolean {
    return this.slots?.has(key) ?? true;
  }

  /** Real milliseconds until the next permit of the key. Infinite: none comes in time. */
  paceWaitMs(key: string): number {
    if (!this.paces) return 0;
    return this.paces.waitMs(key);
  }

  /** Uses a slot for one attempt. False: none is free. */
  tryUse(key: string): boolean {
    return this.slots?.tryUse(key) ?? true;
  }

  /** Uses the permit of an attempt that starts now, with its slot. False: it may not start. */
  tryStart(key: string): boolean {
    return this.freeSlots(key) >= 0 && (this.paces?.tryUse(key) ?? true);
  }

  /** Gives the slot of one attempt back. */
  giveBack(key: string): void {
    this.slots?.giveBack(key);
  }

  /** The most attempts of one key that may start within a time, as far as its pace says. Undefined: it has no pace. */
  mostWithin(milliseconds: number): number | undefined {
    const { attemptsPerSecondPerKey: perSecond } = this.deps;
    return perSecond === undefined ? undefined : Math.floor((milliseconds * perSecond) / 1000) + 1;
  }

  /** Waits until an attempt may start that waits for one of these keys, or it is time to look again: after so long at the most. */
  async wait(keys: readonly string[], maxWaitMs: number): Promise<void> {
    const waits = keys.filter((key) => this.freeSlots(key) > 0).map((key) => this.paceWaitMs(key));
    const waitMs = Math.min(maxWaitMs, MAX_WAIT_MS, ...waits);
    if (this.slots) return this.slots.wait(waitMs);
    const { clock, stop } = this.deps;
    await clock.sleep(waitMs, stop);
  }

  /** Tells whether an attempt that starts then, by default now, ends while the run has its slots. */
  covers(startsAt?: number): boolean {
    return this.slots?.covers(startsAt) ?? true;
  }

  /** Gives all slots back. Permits that are left are lost. */
  async close(): Promise<void> {
    await this.slots?.close();
  }
}
