import { type BacklogRecord, isNotIndexed, isPending } from '../record/index.js';
import { ArrivalsClaim } from './arrivals-claim.js';
import type { RunCounters } from './counters.js';
import type { RunDeps } from './deps.js';
import { Executor } from './executor.js';
import { indexWhenFree } from './index-when-free.js';
import { type Indexed, type IndexingDeps, indexAll } from './indexing.js';
import type { Share } from './limits/pool.js';
import type { QueueLimits } from './limits/queue-limits.js';
import type { Arrivals, RunOptions } from './options.js';
import { RecordRules } from './record-rules.js';
import type { StopReason } from './summary.js';

/** How long a first attempt waits for its permit, in a queue with a rate limit. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Attempts records that were just inserted, before they are indexed: a success is their only write, and the write of a
 * failure indexes them. A record that cannot be attempted now is indexed without an attempt.
 *
 * If this run is lost, its event comes back to the intake, which indexes all of them.
 */
export class ArrivalsRun {
  private readonly lane: RecordRules;
  private readonly claim: ArrivalsClaim;
  private readonly attempts: Executor;
  private readonly share: Share;
  /** Records that were indexed since enough others are under attempt. */
  crowdedOut: readonly BacklogRecord[] = [];

  constructor(
    private readonly options: RunOptions,
    private readonly deps: RunDeps,
    private readonly counters: RunCounters,
    private readonly queueLimits: QueueLimits,
    private readonly arrivals: Arrivals,
  ) {
    const { target, limits, process, deadline, stop } = options;
    const { attemptTimeout, onInsertConcurrency } = limits;
    const { batch, ids } = arrivals;
    this.lane = new RecordRules(options, deps, queueLimits.breakers, undefined);
    this.claim = new ArrivalsClaim({
      ...deps,
      queue: target.queue,
      batch,
      ids,
      attemptTimeout,
      onInsertConcurrency,
      isSpread: (target.shards ?? 1) > 1,
      deadline,
    });
    this.share = queueLimits.pool.join();
    this.attempts = new Executor({
      ...deps,
      ...queueLimits,
      share: this.share,
      lane: this.lane,
      lease: this.claim,
      counters,
      process,
      deadline,
      stop,
      limits: { ...limits, maxRecords: limits.maxRecords ?? Number.POSITIVE_INFINITY },
    });
  }

  async attempt(): Promise<StopReason> {
    if (!(await this.share.open())) return this.leaveToRules('concurrencyLimited');
    if (!(await this.hasTurnSoon())) return this.leaveToRules('rateLimited');
    const claimed = await this.claim.take();
    if (claimed === 'taken') return 'leaseHeld';
    if (claimed === 'shared') return 'shared';
    if (claimed === 'full') return this.leaveToRules('concurrencyLimited');
    try {
      return await this.attemptAll();
    } finally {
      // Whatever happened: no other run may claim the records while one of them is still under attempt.
      await this.attempts.stragglersBelow(1);
      await this.claim.release();
    }
  }

  /** Whether permits come soon. Records that would have to wait for long are indexed instead: they gain nothing here. */
  private async hasTurnSoon(): Promise<boolean> {
    const { clock } = this.deps;
    return this.queueLimits.rateLimit.acquire(this.arrivals.ids.length, clock.wall() + LONGEST_WAIT_MS);
  }

  /** If a record was moved into another queue meanwhile, this run does not know the shards of that queue. */
  private get placing(): IndexingDeps {
    const { queue, shards = 1 } = this.options.target;
    return { ...this.deps, shardsOf: (name) => (name === queue ? shards : 1) };
  }

  private async leaveToRules(ended: StopReason): Promise<StopReason> {
    const formerQueues = [this.options.target.queue];
    const answer = await indexWhenFree(this.arrivals.ids, this.placing, { formerQueues });
    if (ended === 'concurrencyLimited') this.crowdedOut = answer.indexed;
    this.count(answer);
    return answer.waiting.length > 0 ? 'shared' : ended;
  }

  private async attemptAll(): Promise<StopReason> {
    for (let ids: readonly string[] = [...new Set(this.arrivals.ids)]; ; ) {
      const { records, stop } = await this.lane.read(ids);
      const waiting = records.filter(isNotIndexed);
      for (let i = waiting.length; i < ids.length; i++) this.counters.skipped();
      const isTheirTurn = (record: BacklogRecord) => stop === undefined && this.isForNow(record);
      const work = waiting.filter(isTheirTurn).map((record) => this.lane.begin(record));
      const workedOff = await this.attempts.workOff(work);
      const late = workedOff.late.map(({ record }) => record);
      const deferred = workedOff.deferred.map(({ record }) => record);
      const end = stop ?? this.endFor(late);
      const indexed = [
        ...waiting.filter((record) => !isTheirTurn(record)),
        ...deferred,
        ...(end ? late : []),
      ];
      if (!(await this.index(indexed))) return 'shared';
      if (end || late.length === 0) return end ?? 'drained';
      // What is left did not fit into the claim: stragglers held slots, or the others took long. Read it again.
      await this.attempts.stragglersBelow(this.share.most);
      if (!(await this.claim.hold())) return 'shared';
      ids = late.map(({ id }) => id);
    }
  }

  /** @throws StoreError that kept an outcome from being written */
  private endFor(late: readonly BacklogRecord[]): StopReason | undefined {
    const end = this.attempts.outOfRoom();
    return end ?? (late.length > 0 && this.claim.isLast ? 'deadline' : undefined);
  }

  /** Not one that its producer delays, or has put into another queue meanwhile. */
  private isForNow(record: BacklogRecord): boolean {
    const now = this.deps.clock.now();
    const from = [record.availableAt, record.notBefore].map((time) =>
      time === undefined ? 0 : Date.parse(time),
    );
    return isPending(record) && record.queue === this.options.target.queue && Math.max(...from) <= now;
  }

  /** False: this process was frozen, and another run may have claimed them by now. */
  private async index(records: readonly BacklogRecord[]): Promise<boolean> {
    if (records.length === 0) return true;
    if (this.claim.renewInMs() <= 0 && !(await this.claim.hold())) return false;
    this.count(await indexAll(records, 0, this.placing));
    return true;
  }

  /** @throws StoreError that kept some from being indexed */
  private count({ indexed, quarantined, refused, trouble }: Indexed): void {
    this.counters.leftOver(indexed.length);
    this.counters.quarantined(quarantined);
    this.counters.refused(refused);
    if (trouble) throw trouble.error;
  }
}
