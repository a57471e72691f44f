import type { Logger } from '@aws-lambda-powertools/logger';
import { type IndexingDeps, indexWhenFree, needsIndexing, readEach } from '../../src/intake/index.js';
import { type BacklogRecord, whyUnfit } from '../../src/record/index.js';
import { isNumbered } from '../../src/record/seq.js';
import { ownValue } from '../../src/support/own-names.js';
import type { EmitIntakeMetrics } from '../metrics.js';
import type { BatchKeys } from './batch-keys.js';
import type { Invoker } from './invoker.js';
import type { Lines } from './lines.js';
import type { IntakeSettings } from './settings.js';

export interface IntakeDeps {
  readonly indexing: IndexingDeps;
  readonly invoker: Invoker;
  readonly settings: IntakeSettings;
  readonly logger: Logger;
  /** The keys of the records of this batch. Default: no queue is fair between keys. */
  readonly keys?: BatchKeys | undefined;
  /** The lines of the queues with order. Default: no queue has. */
  readonly lines?: Pick<Lines, 'sift' | 'admit'> | undefined;
  /** Short waits for which this sandbox has sent messages. Default: none are remembered. */
  readonly sentWaits?: Set<string> | undefined;
}

/**
 * Delay before the intake looks at records for which it has started a run: by then the run has claimed them, or Lambda
 * has given its event up.
 */
const STARTED_AFTER_SECONDS = 75;
/** Delay between two looks at whether a run is over. */
const LOOK_AGAIN_SECONDS = 30;
/**
 * Delay before a passive region looks at records: most are done by then, or indexed, in the active region, and that is
 * replicated.
 */
const ELSEWHERE_SECONDS = 120;
/** The same for records with numbers in a queue with order, which may wait for their turn for long: the longest that SQS has. */
const IN_LINE_ELSEWHERE_SECONDS = 900;
/** Age up to which a passive region looks at records again. The sweep finds older ones, in the region that is active then. */
const LOOKED_AT_FOR_MS = 86_400_000;

/** One invocation of the intake: it handles records, and counts them by what was done. */
export class IntakeBatch {
  /** Records by what was done, in the order of the log line. */
  readonly counts = {
    /** Handed to their functions, which count them. */
    started: 0,
    indexed: 0,
    repaired: 0,
    unknownQueue: 0,
    quarantined: 0,
    refused: 0,
    redelivered: 0,
    notIndexed: 0,
    /** They come again by the stream or the redelivery queue. */
    unprocessed: 0,
    later: 0,
    /** Left alone: gone, done, or indexed by another process. */
    skipped: 0,
  };

  constructor(private readonly deps: IntakeDeps) {}

  /**
   * Indexes records; those that are under attempt are looked at again later, and those whose turn it is not wait for it.
   *
   * @param previousQueues queues whose runs may have them, beside those that they are in now. Default: all
   * @param swept the sweep has found them
   * @returns those that must come again, as DynamoDB or SQS did not answer
   */
  async index(
    ids: readonly string[],
    {
      previousQueues,
      swept = false,
    }: { previousQueues?: readonly string[] | undefined; swept?: boolean } = {},
  ): Promise<readonly string[]> {
    const { indexing, logger, settings } = this.deps;
    if (ids.length === 0) return [];
    if (settings.isPassive) return this.leaveWaiting(await this.stillNotIndexed(ids));
    const where = {
      onArrival: settings.mayBeClaimed ?? settings.arrivalFunctions,
      previousQueues: previousQueues ?? settings.previousQueues ?? Object.keys(settings.queues),
    };
    // The region that was active before may have heard of the end of a head as it was passive already.
    const checksHead = swept || settings.primaryRegion !== undefined;
    const { ids: admitted, undone } = (await this.deps.lines?.admit(ids, checksHead)) ?? { ids, undone: [] };
    const { indexed, skipped, quarantined, refused, waiting, trouble } = await indexWhenFree(
      admitted,
      indexing,
      where,
    );
    const repaired = indexed.filter(({ problems }) => problems.length > 0);
    for (const { id, problems } of repaired) logger.warn('attributes replaced', { id, problems });
    const strangers = indexed.filter(({ queue }) => !Object.hasOwn(settings.queues, queue));
    for (const { id, queue } of strangers) logger.warn('no rule serves this queue', { id, queue });
    this.counts.indexed += indexed.length;
    if (swept) this.counts.notIndexed += indexed.length;
    this.counts.repaired += repaired.length;
    this.counts.unknownQueue += strangers.length;
    this.counts.quarantined += quarantined;
    this.counts.refused += refused;
    this.counts.skipped += skipped;
    if (trouble) logger.error('records could not be looked at, and come again', trouble.error);
    return [...undone, ...(trouble?.ids ?? []), ...(await this.sendBack(waiting, LOOK_AGAIN_SECONDS))];
  }

  /**
   * Has records looked at when any run that was started for them has shown itself.
   *
   * @returns those that must come again, as SQS did not answer
   */
  lookLater(ids: readonly string[]): Promise<readonly string[]> {
    return this.sendBack(ids, STARTED_AFTER_SECONDS);
  }

  /**
   * Looks again later at records that the active region's intake takes care of: if this region has become the active one by
   * then, and no one has, it does.
   *
   * @returns those that must come again, as SQS did not answer
   */
  leaveToOtherRegion(ids: readonly string[]): Promise<readonly string[]> {
    return this.sendBack(ids, ELSEWHERE_SECONDS);
  }

  private async leaveWaiting(records: readonly BacklogRecord[]): Promise<readonly string[]> {
    const { queues } = this.deps.settings;
    const isInLine = (record: BacklogRecord) =>
      isNumbered(record) && ownValue(queues, record.queue)?.order !== undefined;
    const idsOf = (some: readonly BacklogRecord[]) => some.map(({ id }) => id);
    return [
      ...(await this.leaveToOtherRegion(idsOf(records.filter((record) => !isInLine(record))))),
      ...(await this.sendBack(idsOf(records.filter(isInLine)), IN_LINE_ELSEWHERE_SECONDS)),
    ];
  }

  private async stillNotIndexed(ids: readonly string[]): Promise<BacklogRecord[]> {
    const { clock } = this.deps.indexing;
    const { records } = await readEach([...new Set(ids)], this.deps.indexing);
    const isRecent = ({ insertedAt }: BacklogRecord) =>
      clock.now() - Date.parse(insertedAt) < LOOKED_AT_FOR_MS;
    // The active region can do no more for a record that is unfit than this one could: it may stay as it is for ever.
    const waits = (record: BacklogRecord) =>
      needsIndexing(record, this.deps.indexing) && isRecent(record) && whyUnfit(record) === undefined;
    return records.filter(waits);
  }

  private async sendBack(ids: readonly string[], delaySeconds: number): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    try {
      await this.deps.invoker.sendToRedelivery(ids, delaySeconds);
    } catch (error) {
      this.deps.logger.error(
        'records could not be sent to the redelivery queue, and come again',
        error as Error,
      );
      return ids;
    }
    this.counts.later += ids.length;
    return [];
  }

  /**
   * Reports records without a payload. There is nothing to repair, and it may be intended; but a producer that forgot
   * the payload must be noticed.
   */
  withoutPayload(records: readonly { readonly id: string }[]): void {
    for (const { id } of records) this.deps.logger.warn('record without a payload', { id });
    this.counts.repaired += records.length;
  }

  report(emit: EmitIntakeMetrics): void {
    const { started: _, later, skipped: __, ...metrics } = this.counts;
    const isQuiet = Object.values(metrics).every((count) => count === 0) && later === 0;
    const said = Object.entries(this.counts).filter(([, count]) => count > 0);
    this.deps.logger[isQuiet ? 'debug' : 'info']('intake', Object.fromEntries(said));
    emit(metrics, this.deps.settings.tables.records);
  }
}
