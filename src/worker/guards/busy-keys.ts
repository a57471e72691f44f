import {
  type BacklogRecord,
  type BusyKey,
  busyKeysText,
  findBusy,
  hashOfKey,
  isVacant,
  KeyMeter,
  laneOfBusy,
  lasts,
  parseBusyKeys,
  withBusy,
} from '../../record/index.js';
import { StoreError } from '../../store/errors.js';
import type { BacklogStore, QueueState } from '../../store/store.js';
import { type Clock, LAST_TIME } from '../../support/clock.js';
import type { AttemptLogger } from '../../support/logger.js';
import type { Admission, Guard } from './guard.js';

/** Tries to note a key, while other runs note theirs. */
const MAX_TRIES = 5;

/** Age of what is known of the busy keys with which it is read again before records are indexed. */
const STALE_MS = 5_000;

/** What a process remembers of the keys of one queue, from run to run. */
interface QueueKeys {
  /** Counts the failures of each key. */
  readonly failures: KeyMeter;
  /** The queue's busy keys, as its item had them when it was last read. Undefined: it was not read yet. */
  state?: Pick<QueueState, 'busyKeys'> | undefined;
  /** The time of that, real time. */
  readAt?: number | undefined;
}

/** The memory of a process for the keys of its queues. */
export type KeyMemory = Map<string, QueueKeys>;

export interface BusyKeysDeps {
  readonly queue: string;
  readonly shards: number | undefined;
  readonly store: Pick<BacklogStore, 'queues' | 'pages'>;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
  readonly memory: KeyMemory;
}

/**
 * The keys of a queue that have lanes of their own, so that other keys do not wait behind their records. A key gets one as its
 * records are indexed because no run on arrival has room for them, or as many of its attempts fail. It keeps it for an hour.
 */
export class BusyKeys implements Guard {
  private readonly remembered: QueueKeys;
  private known: readonly BusyKey[] = [];

  constructor(private readonly deps: BusyKeysDeps) {
    const { memory, queue } = deps;
    this.remembered = memory.get(queue) ?? { failures: new KeyMeter() };
    memory.set(queue, this.remembered);
    this.known = parseBusyKeys(this.remembered.state?.busyKeys, deps.shards);
  }

  /** The lanes of the keys that have one, for a run that drains the queue. Gives up those that are not needed any more. */
  async lanes(): Promise<string[]> {
    await this.read();
    const { queue, clock, store } = this.deps;
    const isEmpty = async (lane: string) => {
      const query = { lane, until: LAST_TIME, order: 'oldestFirst', limit: 1 } as const;
      return (await store.pages.query(query)).keys.length === 0;
    };
    const left: BusyKey[] = [];
    for (const one of this.known) {
      const isDone = isVacant(one, clock.now()) && (await isEmpty(laneOfBusy(one, queue)));
      if (!isDone) left.push(one);
    }
    if (left.length < this.known.length) await this.write(left);
    return this.known.map((one) => laneOfBusy(one, queue));
  }

  /** See `Guard.reads`. */
  reads() {
    return (state: QueueState) => {
      this.hear(state);
      return undefined;
    };
  }

  /** See `Guard.enter`: a key of which many attempts fail gets a lane, and its next failures go there. */
  enter({ key }: BacklogRecord): Admission {
    if (key === undefined) return {};
    return {
      leave: (outcome) => {
        const isRetried = outcome.type === 'failure';
        const isBusy = isRetried && this.remembered.failures.add(hashOfKey(key), this.deps.clock.now());
        return isBusy && !this.isNoted(hashOfKey(key))
          ? { outcome, note: () => this.note([key]) }
          : { outcome };
      },
    };
  }

  /** The lane of a record's key, and the last due time with which the record may go there. Undefined: the key has none. */
  laneOf({ key }: Pick<BacklogRecord, 'key'>): { readonly lane: string; readonly until: number } | undefined {
    if (key === undefined || this.known.length === 0) return undefined;
    const busy = findBusy(this.known, hashOfKey(key), this.deps.shards);
    return busy && { lane: laneOfBusy(busy, this.deps.queue), until: busy.until };
  }

  /** Gives lanes to keys, and reads which keys have one. If that cannot be noted, their records go to the lanes of the queue. */
  async note(keys: readonly string[]): Promise<void> {
    const { clock, shards, logger, queue } = this.deps;
    const hashes = [...new Set(keys.map(hashOfKey))];
    try {
      if (this.isStale()) await this.read();
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const missing = hashes.filter((hash) => !this.isNoted(hash));
        if (missing.length === 0) return;
        const next = withBusy(this.known, missing, clock.now(), shards);
        if (await this.write(next))
          return logger.info('keys have lanes of their own', {
            queue,
            keys: missing.length,
            lanes: next.length,
          });
        await this.read();
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      logger.warn('keys could not be given lanes of their own', { queue, reason: error.message });
    }
  }

  private isNoted(hash: string): boolean {
    const busy = findBusy(this.known, hash, this.deps.shards);
    return busy !== undefined && lasts(busy, this.deps.clock.now());
  }

  private isStale(): boolean {
    const { readAt = Number.NEGATIVE_INFINITY } = this.remembered;
    return this.deps.clock.wall() - readAt > STALE_MS;
  }

  private async read(): Promise<void> {
    this.hear(await this.deps.store.queues.read(this.deps.queue));
  }

  private async write(next: readonly BusyKey[]): Promise<boolean> {
    const busyKeys = busyKeysText(next);
    const { store, queue } = this.deps;
    if (!(await store.queues.noteBusyKeys(queue, busyKeys, this.remembered.state?.busyKeys))) return false;
    this.hear(busyKeys === undefined ? {} : { busyKeys });
    return true;
  }

  private hear(state: Pick<QueueState, 'busyKeys'>): void {
    this.remembered.state = state;
    this.remembered.readAt = this.deps.clock.wall();
    this.known = parseBusyKeys(state.busyKeys, this.deps.shards);
  }
}
