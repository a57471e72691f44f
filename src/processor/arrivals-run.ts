import { type BacklogRecord, isPending, isUnplaced } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { ArrivalsClaim } from './arrivals-claim.js';
import { Attempts } from './attempts.js';
import { Lane } from './lane.js';
import type { Arrivals, RunOptions } from './options.js';
import type { RunParts } from './parts.js';
import { placeAll, placeRecords } from './placing.js';
import type { RunEnd } from './summary.js';
import type { Tally } from './tally.js';

/**
 * Attempts records that have just come, before they have a place in the index: a success is their only write, and a
 * failure gives them their place. Whoever cannot be attempted now is given a place without an attempt.
 *
 * Should this run be lost, its event comes back to the intake, which gives all of them their place.
 */
export class ArrivalsRun {
  private readonly lane: Lane;
  private readonly claim: ArrivalsClaim;
  private readonly attempts: Attempts;

  constructor(
    private readonly options: RunOptions,
    private readonly parts: RunParts,
    private readonly tally: Tally,
    private readonly arrivals: Arrivals,
  ) {
    const { target, limits, process, deadline } = options;
    const { concurrency, attemptTimeoutSeconds } = limits;
    const { batch, ids } = arrivals;
    this.lane = new Lane(options, parts, undefined);
    this.claim = new ArrivalsClaim({
      ...parts,
      queue: target.queue,
      batch,
      count: ids.length,
      concurrency,
      attemptTimeoutSeconds,
      deadline,
    });
    this.attempts = new Attempts({
      ...parts,
      lane: this.lane,
      lease: this.claim,
      tally,
      process,
      deadline,
      limits: { ...limits, maxRecords: limits.maxRecords ?? Number.POSITIVE_INFINITY },
    });
  }

  async attempt(): Promise<RunEnd> {
    const { ids } = this.arrivals;
    // Several runs at once would each keep the pace, and pass it together.
    if (this.options.limits.attemptsPerSecond !== undefined) return this.leaveToRules('paced');
    const claimed = await this.claim.take();
    if (claimed === 'taken') return 'held';
    if (claimed === 'full') return this.leaveToRules('crowded');
    try {
      return await this.attemptAll(ids);
    } finally {
      await this.release();
    }
  }

  private async leaveToRules(ended: RunEnd): Promise<RunEnd> {
    const { placed } = await placeRecords(this.arrivals.ids, this.parts);
    this.tally.leftOver(placed.length);
    return ended;
  }

  private async attemptAll(ids: readonly string[]): Promise<RunEnd> {
    const { records, stop } = await this.lane.read(ids);
    const waiting = records.filter(isUnplaced);
    for (let i = waiting.length; i < new Set(ids).size; i++) this.tally.skipped();
    const isTheirTurn = (record: BacklogRecord) => stop === undefined && this.isForNow(record);
    const late = await this.attempts.workOff(waiting.filter(isTheirTurn).map((record) => ({ record })));
    await this.place([
      ...waiting.filter((record) => !isTheirTurn(record)),
      ...late.map(({ record }) => record),
    ]);
    await this.attempts.stragglersBelow(1);
    return stop ?? this.attempts.outOfRoom() ?? 'drained';
  }

  /** Not one that its producer delays, or has put into another queue meanwhile. */
  private isForNow(record: BacklogRecord): boolean {
    const now = this.parts.clock.now();
    const from = [record.availableAt, record.notBefore].map((time) =>
      time === undefined ? 0 : Date.parse(time),
    );
    return isPending(record) && record.queue === this.options.target.queue && Math.max(...from) <= now;
  }

  private async place(records: readonly BacklogRecord[]): Promise<void> {
    if (records.length === 0) return;
    const { placed } = await placeAll(records, 0, this.parts);
    this.tally.leftOver(placed.length);
  }

  private async release(): Promise<void> {
    try {
      await this.claim.release();
    } catch (error) {
      // The work is done; a claim that cannot be given back runs out by itself.
      if (!(error instanceof StoreError)) throw error;
      this.parts.logger.warn('the claim on arrivals could not be given back', { error: error.message });
    }
  }
}
