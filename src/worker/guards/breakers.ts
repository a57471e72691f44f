import type { AttemptOutcome, BacklogRecord } from '../../record/index.js';
import { MAX_OPEN_BREAKERS } from '../../store/buckets.js';
import { StoreError } from '../../store/errors.js';
import type { BacklogStore, BreakerState, IndexKey, QueueState } from '../../store/store.js';
import { type Clock, toIso } from '../../support/clock.js';
import type { AttemptLogger } from '../../support/logger.js';
import type { Random } from '../../support/random.js';
import type { DestinationName } from '../destinations.js';
import type { BreakerOptions } from '../queue-options.js';
import type { StopReason } from '../stop-reason.js';
import { type AttemptKind, Breaker, type BreakerStatus } from './breaker.js';
import type { Admission, Guard, Left } from './guard.js';
import { MAX_PUT_OFF, PutOffRecords } from './put-off.js';

/** The destination of a queue whose handler names none: all its records go to one. */
const WHOLE_QUEUE = '*';
/** The name for records whose destination is not known. */
const UNNAMED = '?';
/** Destinations that one process remembers the attempts of; the one that it has not met for longest is forgotten. */
const MAX_DESTINATIONS = 1_000;
/** A breaker in the queue's item to which no record has come for so long makes room for others. */
const STALE_MS = 86_400_000;

/** The breakers of one queue, and the records that they have put off, from run to run of a process. */
interface QueueMemory {
  /** Breakers by destination. */
  readonly breakers: Map<string, Breaker>;
  readonly putOff: PutOffRecords;
  /** Changes of breakers by this process that are written. */
  changes: number;
}

/** The memory of a process for its breakers, by queue. */
export type BreakerMemory = Map<string, QueueMemory>;

export interface BreakersDeps {
  readonly queue: string;
  readonly options: BreakerOptions;
  /** Undefined: all records go to one destination. */
  readonly destination: DestinationName | undefined;
  /** Real time in which a probe must begin, from the write that keeps other runs from theirs, and end. In seconds. */
  readonly probe: { readonly beginsWithin: number; readonly endsWithin: number };
  readonly store: Pick<BacklogStore, 'breakers'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
  readonly memory: BreakerMemory;
}

/** One attempt, as the breaker of its destination sees it. */
interface Attempt {
  readonly destination: string;
  /** The state that it began with as a probe. */
  readonly probe?: BreakerState | undefined;
  /** Lets those go on that wait for the end of a probe. */
  readonly over?: (() => void) | undefined;
  /** Real time: other runs may make a probe of their own if this one begins later. */
  readonly latestStart?: number | undefined;
}

/**
 * The circuit breakers of a queue, one for each destination. Each process counts its own attempts; that a breaker is
 * open is known to all runs with their next page, by the queue's item. Nothing is written while all are closed.
 *
 * The item has room for `MAX_OPEN_BREAKERS`. One that opens while it is full is open for its own process only: each process
 * counts the attempts of that destination, and makes its own probes.
 */
export class Breakers implements Guard {
  private readonly ofQueue: QueueMemory;
  private stored: QueueState['breakers'] = new Map();
  /** Records that the process may remember beside those of pages before. Undefined: this run has read no page yet. */
  private room: number | undefined;
  private readonly probes = new Map<string, Promise<void>>();

  constructor(private readonly deps: BreakersDeps) {
    const { memory, queue } = deps;
    this.ofQueue = memory.get(queue) ?? { breakers: new Map(), putOff: new PutOffRecords(), changes: 0 };
    memory.set(queue, this.ofQueue);
  }

  /** A page may be older than what this process has changed since its reading began: that stays as it is. */
  reads(): (queue: Pick<QueueState, 'breakers'>) => StopReason | undefined {
    const { changes } = this.ofQueue;
    return ({ breakers }) => this.refresh(breakers, changes);
  }

  private refresh(stored: QueueState['breakers'], since: number): StopReason | undefined {
    this.stored = stored;
    for (const [destination, breaker] of this.breakers) {
      if (!this.isLocal(destination) && breaker.isWrittenBy(since)) breaker.refresh(stored.get(destination));
    }
    this.room = this.roomLeft();
    if (this.room <= 0) {
      for (const { putOff } of this.deps.memory.values()) putOff.dropOver(this.deps.clock.now());
      this.room = this.roomLeft();
    }
    return this.stopReason();
  }

  /** Records that the process may remember beside those that it remembers by now, of all its queues. */
  private roomLeft(): number {
    const remembered = [...this.deps.memory.values()].map(({ putOff }) => putOff.size);
    return remembered.reduce((left, size) => left - size, MAX_PUT_OFF);
  }

  private get breakers(): Map<string, Breaker> {
    return this.ofQueue.breakers;
  }

  private get putOff(): PutOffRecords {
    return this.ofQueue.putOff;
  }

  /**
   * Leaves out records that open breakers have put off lately: they need not be read. A run reads its first page in full, and
   * learns with it which breakers are open by now.
   */
  withoutPutOff(page: readonly IndexKey[]): readonly IndexKey[] {
    if (this.room === undefined || this.putOff.size === 0) return page;
    const now = this.deps.clock.now();
    const isOpen = (destination: string) => this.breakers.get(destination)?.status(now) === 'open';
    return page.filter((key) => !this.putOff.has(key, now, isOpen));
  }

  /** A queue with one destination has nothing to attempt while its breaker is open. */
  stopReason(): StopReason | undefined {
    if (this.deps.destination || this.probes.has(WHOLE_QUEUE)) return undefined;
    return this.statusOf(WHOLE_QUEUE) === 'open' ? 'breakerOpen' : undefined;
  }

  async enter(record: BacklogRecord): Promise<Admission | 'deferred'> {
    const destination = this.destinationOf(record);
    // Where all wait for the same answer, the page goes on as soon as it is there.
    while (destination === WHOLE_QUEUE && this.probes.has(destination)) await this.probes.get(destination);
    switch (this.statusOf(destination)) {
      case 'closed':
        return this.admit({ destination });
      case 'open':
        this.remember(record, destination);
        return 'deferred';
      case 'halfOpen':
        return this.enterAsProbe(destination);
    }
  }

  /** A record that has just been inserted is not in the index: it has no due time. */
  private remember({ id, dueAt }: BacklogRecord, destination: string): void {
    const { room = 0 } = this;
    if (dueAt === undefined) return;
    this.putOff.add({ id, dueAt }, destination, this.deps.clock.now(), room > 0);
    this.room = room - 1;
  }

  private admit(attempt: Attempt): Admission {
    const { destination, probe, over, latestStart = 0 } = attempt;
    const leave = (outcome: AttemptOutcome) => this.leave(attempt, outcome);
    // A breaker can open while the record waits for its turn.
    if (!probe) return { leave, holds: () => this.statusOf(destination) === 'closed' };
    return {
      holds: () => this.deps.clock.wall() <= latestStart,
      leave,
      detach: over,
      abandon: () => leave({ type: 'snooze', seconds: 0 }).note?.(),
    };
  }

  /**
   * Takes note of how an attempt ended. A failure of one that was under way when its breaker opened is not counted
   * against its record: it says nothing that is not known. A probe that outlives its hold does not overrule what was decided
   * since: it counts as any other attempt.
   */
  private leave({ destination, probe, over }: Attempt, outcome: AttemptOutcome): Left {
    const breaker = this.breakerOf(destination);
    const now = this.deps.clock.now();
    const isClosed = breaker.status(now) === 'closed';
    const kind: AttemptKind = probe && breaker.isDecidedBy(probe) ? 'probe' : 'attempt';
    const isChanged = breaker.ended(outcome, kind, now);
    const left = { outcome, note: isChanged ? () => this.change(destination, breaker, isClosed) : undefined };
    if (isChanged) this.log(destination, breaker, isClosed);
    over?.();
    if (outcome.type !== 'failure' || kind === 'probe' || isClosed) return left;
    const seconds = Math.max(outcome.retryAfterSeconds ?? 0, (breaker.openUntil - now) / 1000, 0);
    return {
      ...left,
      outcome: { type: 'snooze', seconds, reason: 'the circuit breaker of its destination is open' },
    };
  }

  private statusOf(destination: string): BreakerStatus {
    return this.breakerOf(destination).status(this.deps.clock.now());
  }

  /** Its state is known to this process alone: the queue's item names as many others as it has room for. */
  private isLocal(destination: string): boolean {
    return this.stored.size >= MAX_OPEN_BREAKERS && !this.stored.has(destination);
  }

  private async enterAsProbe(destination: string): Promise<Admission | 'deferred'> {
    const { clock, probe: times } = this.deps;
    const breaker = this.breakerOf(destination);
    const latestStart = clock.wall() + times.beginsWithin * 1000;
    const seconds = (times.beginsWithin + times.endsWithin) * (clock.speed ?? 1);
    let done = () => {};
    const probe = new Promise<void>((resolve) => {
      done = resolve;
    });
    const over = () => {
      if (this.probes.get(destination) === probe) this.probes.delete(destination);
      done();
    };
    this.probes.set(destination, probe);
    const begun = breaker.beginProbe(clock.now(), seconds);
    await this.write(destination, breaker);
    if (breaker.isStored(begun)) return this.admit({ destination, probe: begun, over, latestStart });
    breaker.lostProbe(begun, clock.now());
    over();
    return 'deferred';
  }

  /** Logged when it changes: the writes may come in another order. */
  private log(destination: string, breaker: Breaker, wasClosed: boolean): void {
    const { clock, logger, queue } = this.deps;
    const until = toIso(breaker.openUntil);
    if (wasClosed) logger.warn('breaker opened', { queue, destination, until });
    else if (breaker.status(clock.now()) === 'closed') logger.info('breaker closed', { queue, destination });
  }

  private async change(destination: string, breaker: Breaker, wasClosed: boolean): Promise<void> {
    if (wasClosed) await this.makeRoom();
    await this.write(destination, breaker);
  }

  /** Removes a stale breaker: if all records of its destination ended otherwise, it would keep its room for ever. */
  private async makeRoom(): Promise<void> {
    if (this.stored.size < MAX_OPEN_BREAKERS) return;
    const before = this.deps.clock.now() - STALE_MS;
    const [stale] = [...this.stored].filter(([, { until }]) => until < before);
    if (!stale || !(await this.set(stale[0], undefined, stale[1]))) return;
    this.stored = new Map([...this.stored].filter(([destination]) => destination !== stale[0]));
  }

  private write(destination: string, breaker: Breaker): Promise<void> {
    return breaker.write(
      (next, read) => this.set(destination, next, read),
      () => ++this.ofQueue.changes,
    );
  }

  /** False: another run has changed it meanwhile, or it is not known. All learn of it with their next page. */
  private async set(
    destination: string,
    next: BreakerState | undefined,
    read: BreakerState | undefined,
  ): Promise<boolean> {
    const { store, queue, logger } = this.deps;
    if (this.isLocal(destination)) return true;
    try {
      return await store.breakers.set(queue, destination, next, read);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      logger.warn('the state of a breaker could not be written', {
        queue,
        destination,
        error: error.message,
      });
      return false;
    }
  }

  private breakerOf(destination: string): Breaker {
    const { options, random } = this.deps;
    const known = this.breakers.get(destination);
    const breaker = known ?? new Breaker(options, random);
    if (!known) breaker.refresh(this.stored.get(destination));
    // The one that was met last stands last.
    this.breakers.delete(destination);
    this.breakers.set(destination, breaker);
    const [longestUnmet = ''] = this.breakers.keys();
    if (this.breakers.size > MAX_DESTINATIONS) this.breakers.delete(longestUnmet);
    return breaker;
  }

  private destinationOf(record: BacklogRecord): string {
    const { destination } = this.deps;
    return destination ? (destination(record) ?? UNNAMED) : WHOLE_QUEUE;
  }
}
