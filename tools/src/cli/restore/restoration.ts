import {
  type Clock,
  isPending,
  patiently,
  type Random,
  randomToken,
  type StoreTypes,
  Writes,
} from 'dynamo-backlog/engine';
import type { StoredItem, StoredItems } from '../../../../src/store/dynamodb/stored-items.js';
import { compare } from './compare.js';
import type { RestoreCounters } from './counters.js';
import { type Decisions, decide, waitsAfter } from './decide.js';

export interface RestorationDeps {
  readonly restored: StoredItems;
  /** Items of the old table. Undefined: it is gone. */
  readonly old: StoredItems | undefined;
  /** The restored table's. */
  readonly records: Pick<StoreTypes.OperatorRecordStore, 'change'>;
  readonly decisions: Decisions;
  /** Ids that are known to have succeeded. */
  readonly succeededIds: ReadonlySet<string>;
  readonly apply: boolean;
  /** Holds these queues before anything of them is written. */
  readonly holdQueues: (queues: Iterable<string>) => Promise<void>;
  readonly counters: RestoreCounters;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the work after the pages at hand. */
  readonly signal: AbortSignal;
  readonly onPage: (looked: number) => void;
  readonly onTrouble: (message: string) => void;
}

const SEGMENTS = 4;
const WRITES_AT_ONCE = 32;
/** Looks at one record that others change all the time. */
const MAX_TRIES = 3;

/** Compares two tables, record by record, and does what was decided. May be interrupted and repeated at will. */
export class Restoration {
  private readonly writes: Writes;
  private readonly failed = new AbortController();

  constructor(private readonly deps: RestorationDeps) {
    this.writes = new Writes(WRITES_AT_ONCE, (id, reason) => deps.counters.refused(id, reason));
  }

  /** @throws StoreError when DynamoDB does not answer any more; what was written stays so */
  async run(): Promise<'complete' | 'interrupted'> {
    const { restored, old, holdQueues, apply } = this.deps;
    // All of them, before the first write: a run that begins meanwhile would attempt what is still to be decided.
    if (apply) {
      await this.all(
        restored,
        (items) => holdQueues(new Set(items.map(({ record }) => record.queue))),
        false,
      );
    }
    await this.all(restored, (items) => this.compareAll(items));
    if (old) await this.all(old, (items) => this.addMissing(items));
    return this.deps.signal.aborted ? 'interrupted' : 'complete';
  }

  private async all(
    table: StoredItems,
    look: (items: readonly StoredItem[]) => Promise<void>,
    counts = true,
  ): Promise<void> {
    const { signal, counters, onPage } = this.deps;
    const segment = async (number: number) => {
      let after: string | undefined;
      do {
        if (signal.aborted || this.failed.signal.aborted) return;
        const page = await this.patiently(() => table.page({ number, of: SEGMENTS }, after));
        await look(page.items);
        if (counts) counters.looked += page.items.length;
        onPage(counters.looked);
        after = page.next;
      } while (after !== undefined);
    };
    const segments = Array.from({ length: SEGMENTS }, async (_, number) => {
      try {
        await segment(number);
      } catch (error) {
        this.failed.abort();
        throw error;
      }
    });
    const ends = await Promise.allSettled(segments);
    const trouble = ends.find((end) => end.status === 'rejected');
    if (trouble) throw trouble.reason;
  }

  private async compareAll(items: readonly StoredItem[]): Promise<void> {
    const { old, apply } = this.deps;
    const ids = items.map(({ record }) => record.id);
    // Nothing works on the old table any more.
    const others =
      old && ids.length > 0 ? await this.patiently(() => old.getMany(ids, 'eventual')) : undefined;
    const pairs = items.map((restored) => {
      const { record } = restored;
      return { record, restored, old: old ? others?.get(record.id) : null };
    });
    await this.writes.each(pairs, (pair) => this.settle(pair, apply ? MAX_TRIES : 0));
  }

  private async settle(
    pair: { readonly restored: StoredItem; readonly old: StoredItem | undefined | null },
    tries: number,
  ): Promise<void> {
    const { counters, clock, decisions, succeededIds, apply } = this.deps;
    let { restored } = pair;
    const { id } = restored.record;
    const { old } = pair;
    const difference = compare(restored, old, succeededIds.has(id));
    if (difference !== 'same') counters.found(difference, id);
    let act = decide(difference, pair, decisions, clock.now());
    for (let left = tries; apply && (act.do === 'change' || act.do === 'replace'); left--) {
      if ((await this.write(restored, old, act)) === 'written') break;
      const now = left > 1 ? await this.readAgain(id) : undefined;
      if (!now) {
        counters.changedMeanwhile++;
        return;
      }
      restored = now;
      act = decide(compare(now, old, succeededIds.has(id)), { restored, old }, decisions, clock.now());
    }
    const group = difference === 'same' ? undefined : counters.group(difference);
    if (group && (act.do === 'change' || act.do === 'replace')) group.written++;
    if (group && act.do === 'nothing') group.already++;
    if (waitsAfter(act, { restored, old })) counters.waits(afterwards(restored, old, act), clock.now());
  }

  private async write(
    restored: StoredItem,
    old: StoredItem | undefined | null,
    act: Extract<ReturnType<typeof decide>, { do: 'change' | 'replace' }>,
  ): Promise<'written' | 'changed'> {
    const { records, restored: table, random } = this.deps;
    const rev = randomToken(random);
    if (act.do === 'replace') {
      return old ? this.patiently(() => table.replace(restored, old.stored, rev)) : 'changed';
    }
    const answer = await this.patiently(() => records.change(restored.record, act.change, rev));
    return answer === 'settled' ? 'written' : 'changed';
  }

  private async addMissing(items: readonly StoredItem[]): Promise<void> {
    const { restored, decisions, apply, counters, clock, holdQueues } = this.deps;
    const ids = items.map(({ record }) => record.id);
    const there = ids.length > 0 ? await this.patiently(() => restored.getMany(ids)) : new Map();
    const missing = items.filter(({ record }) => !there.has(record.id));
    for (const { record } of missing) counters.found('missing', record.id);
    if (decisions.missing === 'leave') return;
    if (apply) await holdQueues(new Set(missing.map(({ record }) => record.queue)));
    await this.writes.each(missing, async ({ record, stored }) => {
      const answer = apply ? await this.patiently(() => restored.putNew(stored)) : 'written';
      if (answer === 'changed') {
        counters.changedMeanwhile++;
        return;
      }
      counters.group('missing').written++;
      if (isPending(record)) counters.waits(record, clock.now());
    });
  }

  private async readAgain(id: string): Promise<StoredItem | undefined> {
    return (await this.patiently(() => this.deps.restored.getMany([id]))).get(id);
  }

  private patiently<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    const { clock, onTrouble } = this.deps;
    return patiently(request, { clock, signal: this.failed.signal, onTrouble });
  }
}

function afterwards(
  { record }: StoredItem,
  old: StoredItem | undefined | null,
  act: ReturnType<typeof decide>,
) {
  if (act.do === 'replace' && old) return old.record;
  if (act.do !== 'change') return record;
  const { lane, dueAt } = act.change.set;
  return { ...record, lane, dueAt, notBefore: undefined };
}
