import { type BacklogRecord, type Item, parseRecord, type RecordChange } from '../record/index.js';
import { MemoryStore, type MemoryStoreDeps } from '../store/memory/store.js';
import type { TierRun } from '../store/store.js';
import type { AttemptSummary } from './summary.js';

export type Settled = keyof AttemptSummary;

/** The store in memory, which reports insertions and settled attempts. */
export class ObservedStore extends MemoryStore {
  /** Each record as it was before its last attempt was settled. */
  private readonly before = new Map<string, Item>();
  private readonly now: () => number;
  private readonly tierRuns = new Map<string, TierRun>();

  constructor(deps: MemoryStoreDeps) {
    super(deps);
    this.now = deps.clock.now;
    this.observeRecords();
    this.observeTiers();
  }

  /** The queue of the schedules, which are none of the records under test. Undefined: there is none. */
  schedules: string | undefined;
  onInserted: (item: Item, kind: 'inserted' | 'changed') => void = () => {};
  onSettled: (how: Settled) => void = () => {};

  private observeRecords(): void {
    const { records } = this;
    const insert = records.insert.bind(records);
    const settle = records.settle.bind(records);
    records.insert = async (item) => {
      const answer = await insert(item);
      if (answer === 'inserted') this.onInserted(this.item(String(item.id)) ?? item, 'inserted');
      return answer;
    };
    records.settle = async (record, change, rev) => {
      const before = this.item(record.id);
      const answer = await settle(record, change, rev);
      const how = howSettled(change);
      if (answer !== 'settled' || !how || record.queue === this.schedules) return answer;
      if (before) this.before.set(record.id, before);
      this.onSettled(how);
      const item = change.set.exact && this.item(record.id);
      if (item) this.onInserted(item, 'changed');
      return answer;
    };
  }

  private observeTiers(): void {
    const { queues } = this;
    const recordTierRun = queues.recordTierRun.bind(queues);
    queues.recordTierRun = (queue, tier, run) => {
      this.tierRuns.set(`${queue}/${tier}`, run);
      return recordTierRun(queue, tier, run);
    };
  }

  /** Puts an item as any service does. */
  override put(item: Item): void {
    const kind = this.item(String(item.id)) ? 'changed' : 'inserted';
    super.put(item);
    this.onInserted(this.item(String(item.id)) ?? item, kind);
  }

  isCutShort(queue: string, tier: number): boolean {
    return this.tierRuns.get(`${queue}/${tier}`)?.complete === false;
  }

  /** Notes the run of a tier that had nothing to do, and was not made. */
  async noteIdleTier(queue: string, tier: number, at: number): Promise<void> {
    const last = this.tierRuns.get(`${queue}/${tier}`);
    if (last && (!last.complete || last.at >= at)) return;
    await this.queues.recordTierRun(queue, String(tier), { at, complete: true });
  }

  /** Every record, or one, as it is read from the table. */
  parsed(id?: string): BacklogRecord[] {
    const now = this.now();
    const items = id === undefined ? this.items() : [this.item(id) ?? []].flat();
    return items.map((item) => parseRecord(item, now));
  }

  /** Puts a record back as it was before its last attempt was settled. False: none was. */
  unsettle(id: string): boolean {
    const before = this.before.get(id);
    if (!before) return false;
    // As it came: a change of a record that is there would be looked at later.
    this.delete(id);
    this.put(before);
    return true;
  }
}

function howSettled({ countedAs, set: { status } }: RecordChange): Settled | undefined {
  if (countedAs === 'unknownTask' || countedAs === 'probe') return undefined;
  if (countedAs) return countedAs;
  if (status === 'SUCCESS') return 'succeeded';
  if (status === 'DEAD') return 'dead';
  return status === 'ERROR' ? 'failed' : undefined;
}
