import type { KeyLanes } from '../../intake/index.js';
import {
  areLanesTaken,
  type BusyKey,
  busyKeysText,
  findBusy,
  hashOfKey,
  isVacant,
  laneOfBusy,
  lasts,
  parseBusyKeys,
  withBusy,
} from '../../record/busy-keys.js';
import type { RecordChange } from '../../record/change.js';
import type { AttemptOutcome } from '../../record/index.js';
import { KeyMeter } from '../../record/key-meter.js';
import { KeyTimes } from '../../record/key-times.js';
import { laneFor, lanesOf } from '../../record/lanes.js';
import { type BacklogRecord, isPending, WORKER_LOST } from '../../record/record.js';
import { StoreError } from '../../store/errors.js';
import type { BacklogStore, QueueState } from '../../store/store.js';
import { type Clock, LAST_TIME } from '../../support/clock.js';
import type { AttemptLogger } from '../../support/logger.js';
import { type LaneSteps, workOffMeanwhile } from '../meanwhile.js';
import type { Arrivals, RunTarget } from '../options.js';
import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard } from './guard.js';

/** Tries to note a key, while other runs note theirs. */
const MAX_TRIES = 5;

/** Age of what is known of the busy keys with which it is read again before records are indexed. */
const STALE_MS = 5_000;

/** The part of a run's attempts at once that one key may use all the time, and the least number of that. */
const PART = 0.1;
const MIN_PART = 0.5;

/** The memory of a process for the keys of one queue, from run to run. */
interface QueueKeys {
  /** Counts the failures of each key. */
  readonly failures: Pick<KeyMeter, 'add'>;
  /** Measures the attempts of each key. */
  readonly times: Pick<KeyTimes, 'add'>;
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
  /** Attempts at once of a run. Default: it makes none. */
  readonly concurrency?: number | undefined;
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
  /** The short names of keys that are busy, as this run has seen: these may share a lane. */
  private readonly busy = new Set<string>();
  private known: readonly BusyKey[] = [];
  private moved = false;
  /** Lanes in which records were left, as their key has a lane of its own since. */
  private readonly left = new Set<string>();

  constructor(private readonly deps: BusyKeysDeps) {
    const { memory, queue, concurrency = 0 } = deps;
    const times = () => new KeyTimes(Math.max(MIN_PART, concurrency * PART));
    this.remembered = memory.get(queue) ?? { failures: new KeyMeter(), times: times() };
    memory.set(queue, this.remembered);
    this.known = parseBusyKeys(this.remembered.state?.busyKeys, deps.shards);
  }

  /**
   * The lanes of the keys that have one, for a run that drains the queue. Gives up those that are not needed any more.
   *
   * @param others lanes that the run drains anyway
   */
  async lanes(others: readonly string[]): Promise<string[]> {
    await this.read();
    const { known, deps, remembered } = this;
    const { queue, clock, store } = deps;
    // Pages that are read meanwhile may have newer notes.
    const { state } = remembered;
    const isEmpty = async (lane: string) => {
      const query = { lane, until: LAST_TIME, order: 'oldestFirst', limit: 1 } as const;
      return (await store.pages.query(query)).keys.length === 0;
    };
    const left: BusyKey[] = [];
    for (const one of known) {
      const isDone = isVacant(one, clock.now()) && (await isEmpty(laneOfBusy(one, queue)));
      if (!isDone) left.push(one);
    }
    if (left.length < known.length) await this.write(left, state);
    return this.lanesNow(others);
  }

  /**
   * Lanes without those of busy keys. Once an hour, a run also looks into lanes that its queue had before: such a lane must not come before
   * other keys.
   */
  async withoutBusy(lanes: readonly string[]): Promise<readonly string[]> {
    const current = lanesOf(this.deps.queue, 0, this.deps.shards ?? 1);
    if (lanes.every((lane) => current.includes(lane))) return lanes;
    // What is known is read if it is old. Trouble with that must not keep the queue's own lanes from being drained.
    await this.note([]);
    const busy = this.lanesNow([]);
    return lanes.filter((lane) => !busy.includes(lane));
  }

  /** The same lanes, as the latest page of this run has them. */
  lanesNow(others: readonly string[]): string[] {
    return this.known.map((one) => laneOfBusy(one, this.deps.queue)).filter((lane) => !others.includes(lane));
  }

  /** See `Guard.reads`. */
  reads() {
    return (state: QueueState) => {
      this.hear(state);
      return undefined;
    };
  }

  /**
   * See `Guard.enter`: a key of which many attempts fail, or whose attempts take much of the run's time, gets a lane, and its next
   * failures go there.
   */
  enter(record: BacklogRecord): Admission | 'deferred' | Promise<Admission | 'deferred'> {
    const { key } = record;
    if (key === undefined) return {};
    const hash = hashOfKey(key);
    const { failures, times } = this.remembered;
    const { clock } = this.deps;
    let isBusy = times.add(hash, 1, clock.wall());
    let isOver = false;
    // Whatever comes first: an attempt that ignores its signal may be left before it has ended.
    const end = () => {
      if (!isOver) isBusy = times.add(hash, -1, clock.wall());
      isOver = true;
    };
    const leave = (outcome: AttemptOutcome) => {
      end();
      const isFailing = outcome.type === 'failure' && failures.add(hash, clock.now());
      if (!isFailing && !isBusy) return { outcome };
      this.busy.add(hash);
      return this.isNoted(hash) ? { outcome } : { outcome, note: () => this.note([key]) };
    };
    const admission = { abandon: end, ended: end, leave };
    if (!isBusy) return admission;
    this.busy.add(hash);
    const enterBusy = () => {
      const { lane } = record;
      if (lane === undefined || !this.willMove(record)) return admission;
      end();
      this.left.add(lane);
      return 'deferred';
    };
    return this.isNoted(hash) ? enterBusy() : this.note([key]).then(enterBusy);
  }

  /** Tells whether keys may share a lane, as far as this run knows. */
  get areLanesShared(): boolean {
    return areLanesTaken(this.known, this.deps.shards);
  }

  /** Tells whether this run has put records into the lanes of their keys. */
  get hasMoved(): boolean {
    return this.moved;
  }

  /** The change of a record that came before its key was busy: into the key's lane, due as it was. Undefined: it stays where it is. */
  move(record: BacklogRecord): RecordChange | undefined {
    const busy = this.laneOf(record);
    const isToMove = busy && busy.lane !== record.lane && this.deps.clock.now() <= busy.until;
    if (!isToMove) return undefined;
    this.moved = true;
    return { set: { lane: busy.lane }, remove: [] };
  }

  /** Tells whether another look at its lane moves a record. Probes, and those that are attempted alone, stay where they are. */
  private willMove(record: BacklogRecord): boolean {
    const { dueAt = '', lastError } = record;
    const isOfPage = Date.parse(dueAt) <= this.deps.clock.now() && lastError?.name !== WORKER_LOST;
    return isOfPage && this.move(record) !== undefined;
  }

  /** See `workOffMeanwhile`. */
  meanwhile<Run extends Parameters<typeof workOffMeanwhile>[0]>(
    run: Run,
    steps: LaneSteps<Run>,
  ): Promise<StopReason | undefined> {
    return workOffMeanwhile(run, steps, () => this.left.delete(run.options.target.lane));
  }

  /** The lane of a record's key, and the last due time with which the record may go there. Undefined: the key has none. */
  laneOf({ key }: Pick<BacklogRecord, 'key'>): { readonly lane: string; readonly until: number } | undefined {
    if (key === undefined || this.known.length === 0) return undefined;
    const hash = hashOfKey(key);
    // A key that is not busy must not wait in the lane of another one, where all are taken.
    const busy = this.busy.has(hash) ? this.find(hash) : this.known.find((one) => one.hash === hash);
    return busy && { lane: laneOfBusy(busy, this.deps.queue), until: busy.until };
  }

  /** See `KeyLanes`. */
  place(record: BacklogRecord, change: RecordChange): RecordChange {
    const { status, dueAt = '' } = change.set;
    const isIndexed = record.queue === this.deps.queue && isPending(record) && status !== 'DEAD';
    const busy = isIndexed ? this.laneOf(record) : undefined;
    // One that came due long ago is indexed now all the same, and the lane may be given up by now.
    return busy && Math.max(Date.parse(dueAt), this.deps.clock.now()) <= busy.until
      ? { ...change, set: { ...change.set, lane: busy.lane } }
      : change;
  }

  /**
   * Gives lanes to the keys of records that are about to be indexed, if they are busy.
   *
   * @param busy the ids of records with busy keys
   */
  async noteBusy(records: readonly BacklogRecord[], busy: { has(id: string): boolean }): Promise<void> {
    const keyed = records.filter(({ key }) => key !== undefined);
    const some = keyed.flatMap(({ id, key = '' }) => (busy.has(id) ? [key] : []));
    if (keyed.length > 0) await this.note(some);
  }

  /** The lanes for records that have just come: the intake has counted which of them have busy keys. */
  lanesFor({ ids, light = ids.length }: Arrivals): KeyLanes {
    const busy = new Set(ids.slice(light));
    return {
      prepare: (records) => this.noteBusy(records, busy),
      place: (record, change) => this.place(record, change),
    };
  }

  /** The records in the order of their event: those of busy keys come last. A page is read in any order. */
  inOrderOf(ids: readonly string[], records: readonly BacklogRecord[]): BacklogRecord[] {
    const places = new Map(ids.map((id, place) => [id, place]));
    return [...records].sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
  }

  /** The lanes that these records were indexed in. */
  lanesOf(records: readonly BacklogRecord[]): Required<Pick<RunTarget, 'lanes' | 'busyLanes'>> {
    const { shards } = this.deps;
    const lanes = new Set<string>();
    const busyLanes = new Set<string>();
    for (const record of records) {
      const { lane } = this.laneOf(record) ?? {};
      if (lane === undefined) lanes.add(laneFor(record, shards));
      else busyLanes.add(lane);
    }
    return { lanes: [...lanes], busyLanes: [...busyLanes] };
  }

  /** Gives lanes to keys, and reads which keys have one. If that cannot be noted, their records go to the lanes of the queue. */
  async note(keys: readonly string[]): Promise<void> {
    const { clock, shards, logger, queue } = this.deps;
    const hashes = [...new Set(keys.map(hashOfKey))];
    for (const hash of hashes) this.busy.add(hash);
    try {
      if (this.isStale()) await this.read();
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const missing = hashes.filter((hash) => !this.isNoted(hash));
        if (missing.length === 0) return;
        const next = withBusy(this.known, missing, clock.now(), shards);
        if (next.length === 0) return;
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
    const busy = this.find(hash);
    return busy !== undefined && lasts(busy, this.deps.clock.now());
  }

  private find(hash: string): BusyKey | undefined {
    return findBusy(this.known, hash, this.deps.clock.now(), this.deps.shards);
  }

  private isStale(): boolean {
    const { readAt = Number.NEGATIVE_INFINITY } = this.remembered;
    return this.deps.clock.wall() - readAt > STALE_MS;
  }

  private async read(): Promise<void> {
    this.hear(await this.deps.store.queues.read(this.deps.queue));
  }

  /** @param read the state that `next` was made from */
  private async write(next: readonly BusyKey[], read = this.remembered.state): Promise<boolean> {
    const busyKeys = busyKeysText(next);
    const { store, queue } = this.deps;
    if (!(await store.queues.noteBusyKeys(queue, busyKeys, read?.busyKeys))) return false;
    this.hear(busyKeys === undefined ? {} : { busyKeys });
    return true;
  }

  private hear(state: Pick<QueueState, 'busyKeys'>): void {
    this.remembered.state = state;
    this.remembered.readAt = this.deps.clock.wall();
    this.known = parseBusyKeys(state.busyKeys, this.deps.shards);
  }
}
