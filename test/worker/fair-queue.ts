import {
  type BusyKey,
  busyKeysText,
  hashOfKey,
  laneOfBusy,
  parseBusyKeys,
  withBusy,
} from '../../src/record/busy-keys.js';
import type { BacklogStore } from '../../src/store/index.js';
import { BusyKeys, type KeyMemory } from '../../src/worker/guards/busy-keys.js';
import { Harness, START } from './harness.js';

export const FAIR = { fairness: true } as const;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** The queue `q`, which is fair between keys. */
export class FairQueue extends Harness {
  /** Gives each of these keys a lane, as a run does that notes them then: `q#31`, `q#30` and so on. */
  async noteKeys(keys: readonly string[], at: number = this.time.now): Promise<void> {
    const { busyKeys: read } = await this.store.queues.read('q');
    const next = withBusy(parseBusyKeys(read), keys.map(hashOfKey), at);
    await this.store.queues.noteBusyKeys('q', busyKeysText(next), read);
  }

  /** The keys that have lanes. */
  async noted(): Promise<BusyKey[]> {
    return parseBusyKeys((await this.store.queues.read('q')).busyKeys);
  }

  /** The lane of each of these keys. */
  async lanesOfKeys(...keys: readonly string[]): Promise<(string | undefined)[]> {
    const noted = await this.noted();
    return keys.map((key) => {
      const busy = noted.find(({ hash }) => hash === hashOfKey(key));
      return busy && laneOfBusy(busy, 'q');
    });
  }

  /** Puts records that wait in a lane: `a0`, `a1` and so on. */
  putMany(count: number, key: string, lane: string): void {
    for (let i = 0; i < count; i++) this.put(`${key}${i}`, { lane, key });
  }

  /** Puts records that wait in a lane, each of a key of its own: `q0`, `q1` and so on. */
  putOthers(count: number, lane = 'q'): void {
    for (let i = 0; i < count; i++) this.put(`q${i}`, { lane, key: `q-${i}` });
  }

  /** Puts records as a producer does: they are not indexed. */
  bare(count: number, key: string): string[] {
    const ids = Array.from({ length: count }, (_, i) => `${key}${i}`);
    for (const id of ids) this.store.put({ id, status: 'NEW', queue: 'q', payload: {}, key });
    return ids;
  }

  seconds(): number {
    return (this.time.now - START) / 1000;
  }

  lanesInUse(): Record<string, number> {
    const lanes: Record<string, number> = {};
    for (const { lane } of this.store.items()) lanes[String(lane)] = (lanes[String(lane)] ?? 0) + 1;
    return lanes;
  }

  /** The keys, as one run knows them. */
  keys(more: { readonly store?: BacklogStore; readonly shards?: number; readonly memory?: KeyMemory } = {}) {
    const { store = this.store, shards = 1, memory = new Map() } = more;
    const logger = {
      debug() {},
      info() {},
      warn: (text: string) => void this.warnings.push(text),
      error() {},
    };
    return new BusyKeys({ queue: 'q', shards, store, clock: this.clock, logger, memory });
  }
}
