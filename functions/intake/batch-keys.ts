import type { KeyLanes } from '../../src/intake/index.js';
import { hashOfKey } from '../../src/record/busy-keys.js';
import type { BacklogRecord, RecordChange } from '../../src/record/index.js';
import { KeyMeter } from '../../src/record/key-meter.js';
import { groupBy } from '../../src/support/group-by.js';
import { BusyKeys, type BusyKeysDeps, type KeyMemory } from '../../src/worker/guards/busy-keys.js';
import type { StreamChange } from './stream-event.js';

/** Changes of a queue that are known to be counted. */
const MAX_COUNTED = 10_000;

/** The pace of the keys of one queue. */
interface QueueMeter {
  readonly keys: KeyMeter;
  /** The changes that were counted, by their sequence numbers, and whether their keys were busy then: a batch may come again. */
  readonly counted: Map<string, boolean>;
}

/** The memory of a sandbox of the intake for keys: the pace of each, by queue, and the lanes of those that are busy. */
export interface KeysOfSandbox {
  readonly meters: Map<string, QueueMeter>;
  readonly lanes: KeyMemory;
}

type Deps = Omit<BusyKeysDeps, 'queue' | 'shards' | 'memory'> & {
  /** Tells whether a queue is fair between keys. */
  readonly isFair: (queue: string) => boolean;
  readonly shardsOf: (queue: string) => number;
};

/** The keys of the records of one batch, in queues that are fair between keys. */
export class BatchKeys implements KeyLanes {
  /** The keys of the records whose keys are busy, by id. */
  protected readonly busy = new Map<string, string>();
  private readonly queues = new Map<string, BusyKeys>();

  constructor(
    private readonly remembered: KeysOfSandbox,
    private readonly deps: Deps,
  ) {}

  /** Counts records that were put by their keys. */
  meter(changes: readonly StreamChange[]): void {
    const { meters } = this.remembered;
    for (const { id, sequenceNumber, record } of changes) {
      if (record?.key === undefined || !this.deps.isFair(record.queue)) continue;
      const { keys, counted } = meters.get(record.queue) ?? { keys: new KeyMeter(), counted: new Map() };
      meters.set(record.queue, { keys, counted });
      const isBusy: boolean =
        counted.get(sequenceNumber) ?? keys.add(hashOfKey(record.key), this.deps.clock.now());
      counted.set(sequenceNumber, isBusy);
      if (isBusy) this.busy.set(id, record.key);
      if (counted.size > MAX_COUNTED) counted.delete(counted.keys().next().value ?? '');
    }
  }

  /**
   * Records in the order of their turns: those whose keys are not busy, as they came; then one of each busy key, and so on.
   *
   * @returns the ids, and the number of the first ones; undefined where no key is busy
   */
  inTurns(ids: readonly string[]): { readonly ids: string[]; readonly light?: number } {
    const light = ids.filter((id) => !this.busy.has(id));
    if (light.length === ids.length) return { ids: light };
    const busy = groupBy(
      ids.filter((id) => this.busy.has(id)),
      (id) => this.busy.get(id),
    );
    const places = [...busy.values()].flatMap((some) => some.map((id, place) => ({ id, place })));
    const inTurn = places.sort((a, b) => a.place - b.place).map(({ id }) => id);
    return { ids: [...light, ...inTurn], light: light.length };
  }

  /** See `KeyLanes`. */
  async prepare(records: readonly BacklogRecord[]): Promise<void> {
    const fair = records.filter(({ queue }) => this.deps.isFair(queue));
    for (const [queue, some] of groupBy(fair, (record) => record.queue)) {
      await this.keysOf(queue).noteBusy(some, this.busy);
    }
  }

  /** See `KeyLanes`. */
  place(record: BacklogRecord, change: RecordChange): RecordChange {
    return this.deps.isFair(record.queue) ? this.keysOf(record.queue).place(record, change) : change;
  }

  private keysOf(queue: string): BusyKeys {
    const { deps, queues, remembered } = this;
    const shards = deps.shardsOf(queue);
    const known = queues.get(queue) ?? new BusyKeys({ ...deps, queue, shards, memory: remembered.lanes });
    queues.set(queue, known);
    return known;
  }
}
