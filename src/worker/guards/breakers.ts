import { type AttemptOutcome, type BacklogRecord, handOver, nameOfThrown } from '../../record/index.js';
import { OWN_BREAKERS } from '../../store/buckets.js';
import { StoreError } from '../../store/errors.js';
import type { BacklogStore, QueueState } from '../../store/store.js';
import { type Clock, toIso } from '../../support/clock.js';
import type { AttemptLogger } from '../../support/logger.js';
import type { Random } from '../../support/random.js';
import { show } from '../../support/validation.js';
import type { DestinationOf } from '../options.js';
import type { StopReason } from '../stop-reason.js';
import {
  type AttemptKind,
  Breaker,
  type BreakerOptions,
  type BreakerStatus,
  type Transition,
} from './breaker.js';
import type { Admission, Guard, Left } from './guard.js';

/** The destination of a queue whose handler names none: all its records go to one. */
const WHOLE_QUEUE = '*';
/** The name for records whose destination is not known. */
const UNNAMED = '?';
/** Destinations that one process remembers the attempts of; the one that it has not met for longest is forgotten. */
const MAX_DESTINATIONS = 1_000;
/** If at least so many are open in the queue's item, more of them may be kept outside of it. */
const ASK_FOR_SHARED_FROM = OWN_BREAKERS / 2;
/** A breaker in the queue's item to which no record has come for so long makes room for others. */
const STALE_MS = 86_400_000;
/** Names are kept in the queue's item, which every page reads. */
const MAX_DESTINATION_LENGTH = 100;

/** What a process remembers from run to run, by queue: how the attempts of each destination ended. */
export type BreakerMemory = Map<string, Map<string, Breaker>>;

export interface BreakersDeps {
  readonly queue: string;
  readonly options: BreakerOptions;
  /** Names the destination of a record. Undefined: all records go to one. */
  readonly destination: DestinationOf | undefined;
  /** How long no other run makes a probe while one is under way. */
  readonly probeSeconds: number;
  readonly store: Pick<BacklogStore, 'setBreaker' | 'readSharedBreaker'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
  readonly memory: BreakerMemory;
}

/** One attempt, as the breaker of its destination sees it. */
interface Attempt {
  readonly kind: AttemptKind;
  readonly destination: string;
  /** Lets those go on that wait for the end of a probe. */
  readonly over?: (() => void) | undefined;
}

/**
 * The circuit breakers of a queue, one for each destination. Each process counts its own attempts; that a breaker is
 * open is known to all runs with their next page, by the queue's item. Nothing is written while all are closed.
 *
 * The item has room for `OWN_BREAKERS`. Those that open while it is full are kept outside of it, where destinations of
 * the same hash share one: a run that meets such a destination reads it once per page.
 */
export class Breakers implements Guard {
  private readonly breakers: Map<string, Breaker>;
  private stored: QueueState['breakers'] = new Map();
  /** Reads since the last page, of destinations that the queue's item does not name. */
  private readonly sharedReads = new Map<string, Promise<void>>();
  private readonly probes = new Map<string, Promise<void>>();

  constructor(private readonly deps: BreakersDeps) {
    const { memory, queue } = deps;
    this.breakers = memory.get(queue) ?? new Map<string, Breaker>();
    memory.set(queue, this.breakers);
  }

  refresh({ breakers }: Pick<QueueState, 'breakers'>): StopReason | undefined {
    this.stored = breakers;
    this.sharedReads.clear();
    for (const [destination, breaker] of this.breakers) {
      if (!this.mayBeShared(destination)) breaker.refresh(breakers.get(destination));
    }
    return this.stopReason();
  }

  /** A queue with one destination has nothing to attempt while its breaker is open. */
  stopReason(): StopReason | undefined {
    if (this.deps.destination || this.probes.has(WHOLE_QUEUE)) return undefined;
    return this.statusOf(WHOLE_QUEUE) === 'open' ? 'breakerOpen' : undefined;
  }

  async enter(record: BacklogRecord): Promise<Admission | 'deferred'> {
    const destination = this.destinationOf(record);
    if (this.mayBeShared(destination)) await this.readShared(destination);
    // Where all wait for the same answer, the page goes on as soon as it is there.
    while (destination === WHOLE_QUEUE && this.probes.has(destination)) await this.probes.get(destination);
    switch (this.statusOf(destination)) {
      case 'closed':
        return this.admit({ kind: 'attempt', destination });
      case 'open':
        return 'deferred';
      case 'halfOpen':
        return this.enterAsProbe(destination);
    }
  }

  private admit(attempt: Attempt): Admission {
    const { kind, destination, over } = attempt;
    const leave = (outcome: AttemptOutcome) => this.leave(attempt, outcome);
    // A breaker can open while the record waits for its turn.
    if (kind === 'attempt') return { leave, holds: () => this.statusOf(destination) === 'closed' };
    return { leave, detach: over, abandon: () => leave({ type: 'snooze', seconds: 0 }).note?.() };
  }

  /**
   * Takes note of how an attempt ended. A failure of one that was under way when its breaker opened is not counted
   * against its record: it says nothing that is not known.
   */
  private leave({ kind, destination, over }: Attempt, outcome: AttemptOutcome): Left {
    const breaker = this.breakerOf(destination);
    const now = this.deps.clock.now();
    const isClosed = breaker.status(now) === 'closed';
    const transition = breaker.ended(outcome, kind, now);
    const left = { outcome, note: transition && (() => this.change(destination, transition, isClosed)) };
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

  private mayBeShared(destination: string): boolean {
    return this.stored.size >= ASK_FOR_SHARED_FROM && !this.stored.has(destination);
  }

  private async readShared(destination: string): Promise<void> {
    const { store, queue, logger } = this.deps;
    const read = async () => {
      try {
        const state = await store.readSharedBreaker(queue, destination);
        this.breakerOf(destination).refresh(state);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        const text = 'the state of a breaker could not be read';
        logger.warn(text, { queue, destination, error: error.message });
      }
    };
    const reading = this.sharedReads.get(destination) ?? read();
    this.sharedReads.set(destination, reading);
    await reading;
  }

  private async enterAsProbe(destination: string): Promise<Admission | 'deferred'> {
    const { clock, probeSeconds } = this.deps;
    const breaker = this.breakerOf(destination);
    let done = () => {};
    const probe = new Promise<void>((resolve) => {
      done = resolve;
    });
    const over = () => {
      this.probes.delete(destination);
      done();
    };
    this.probes.set(destination, probe);
    const transition = breaker.beginProbe(clock.now(), probeSeconds);
    if (await this.write(destination, transition)) return this.admit({ kind: 'probe', destination, over });
    breaker.lostProbe(clock.now());
    over();
    return 'deferred';
  }

  private async change(destination: string, transition: Transition, wasClosed: boolean): Promise<void> {
    const { logger, queue } = this.deps;
    const { next } = transition;
    if (!next) logger.info('breaker closed', { queue, destination });
    else if (wasClosed) {
      logger.warn('breaker opened', { queue, destination, until: toIso(next.until) });
      await this.makeRoom();
    }
    await this.write(destination, transition);
  }

  /** Removes a stale breaker: if all records of its destination ended otherwise, it would keep its room for ever. */
  private async makeRoom(): Promise<void> {
    if (this.stored.size < OWN_BREAKERS) return;
    const before = this.deps.clock.now() - STALE_MS;
    const [stale] = [...this.stored].filter(([, { until }]) => until < before);
    if (stale) await this.write(stale[0], { next: undefined, read: stale[1] });
  }

  /** False: another run has changed it meanwhile, or it is not known. All learn of it with their next page. */
  private async write(destination: string, { next, read }: Transition): Promise<boolean> {
    const { store, queue, logger } = this.deps;
    try {
      return await store.setBreaker(queue, destination, next, read);
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

  /** What the handler's function does wrong must not keep the record from its attempt. */
  private destinationOf(record: BacklogRecord): string {
    const { destination: destinationOf, logger } = this.deps;
    if (!destinationOf) return WHOLE_QUEUE;
    try {
      const destination: unknown = destinationOf(handOver(record));
      if (typeof destination === 'string' && destination !== '')
        return destination.slice(0, MAX_DESTINATION_LENGTH).replace(/\p{Surrogate}/gu, '\ufffd');
      logger.warn(`destination: expected a name, got ${show(destination)}`, { id: record.id });
    } catch (error) {
      logger.warn('destination: the function threw', { id: record.id, error: show(nameOfThrown(error)) });
    }
    return UNNAMED;
  }
}
