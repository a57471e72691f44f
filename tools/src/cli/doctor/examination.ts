import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import type { BacklogRecord } from 'dynamo-backlog';
import { type Clock, type Item, isNotIndexed, isPending, parseRecord } from 'dynamo-backlog/engine';
import type { RawItems } from '../../../../src/store/dynamodb/raw-items.js';
import type { Finding, Findings } from './findings.js';
import { repairOf } from './index-checks.js';
import { checkContents, checkRecord, isUnread, named, type RecordContext } from './record-checks.js';

const BATCH = 100;

export interface ExaminationContext extends Omit<RecordContext, 'now'> {
  readonly clock: Clock;
  /** An intake is notified of records that are put without a lane, and has them attempted. */
  readonly hasIntake: boolean;
  /** The ids of the heads of lines, by queue and key; see `ControlFacts`. Undefined: not known. */
  readonly lines?: ReadonlyMap<string, string | undefined> | undefined;
  /** Milliseconds: a record that was not indexed for so long is not about to be attempted for the first time. */
  readonly settledMs: number;
}

/** Looks at records one by one; at those that are not indexed a second time, when the intake has had its chance. */
export class Examination {
  /** Ids of records whose index keys can be repaired at once. */
  readonly misindexed: string[] = [];
  /** Ids of records that have not been indexed for long enough. */
  readonly stuck: string[] = [];
  /**
   * Records that have not been indexed for long, and whose status is none of the library's: whether they are to be done
   * is not known.
   */
  strangers = 0;
  /** Records that are not indexed, and may still be. */
  unsettled = 0;
  /** Records that wait, and were attempted before. */
  attempted = 0;
  private readonly suspects = new Map<string, string>();
  private readonly startedAt: number;

  constructor(
    private readonly findings: Findings,
    private readonly context: ExaminationContext,
  ) {
    this.startedAt = context.clock.wall();
  }

  look(item: Item): void {
    const { clock, hasIntake } = this.context;
    const now = clock.now();
    const record = parseRecord(item, now);
    if (isPending(record) && record.attempts > 0) this.attempted++;
    if (!isNotIndexed(record)) {
      this.note(item, record, checkRecord(item, record, { ...this.context, now }));
      if (repairOf(item, record, now)) this.misindexed.push(record.id);
    } else if (this.waitsInLine(record)) {
      this.note(item, record, [named('inLine'), ...checkContents(item, record, { ...this.context, now })]);
    } else if (hasIntake) {
      this.suspects.set(record.id, fingerprint(item));
    } else {
      this.noteStuck(item, record);
    }
  }

  /** Tells whether another record of its key has its turn, or none has: it is not to be in the index yet. */
  private waitsInLine({ id, queue, key, seq, status }: BacklogRecord): boolean {
    const { lines } = this.context;
    const line = `${queue}#${key}`;
    const isPlaced = seq !== undefined && status !== 'DEAD' && lines?.has(line) === true;
    return isPlaced && lines.get(line) !== id;
  }

  get hasSuspects(): boolean {
    return this.suspects.size > 0;
  }

  /**
   * Looks once more at those that are not indexed.
   *
   * @param isBusy whether runs are at work on arrivals of a queue since the first look
   */
  async lookAgain(items: Pick<RawItems, 'getMany'>, isBusy: (queue: string) => boolean): Promise<void> {
    const ids = [...this.suspects.keys()];
    for (let i = 0; i < ids.length; i += BATCH) {
      for (const item of await items.getMany(ids.slice(i, i + BATCH))) this.judge(item, isBusy);
    }
  }

  private judge(item: Item, isBusy: (queue: string) => boolean): void {
    const { clock, settledMs } = this.context;
    const now = clock.now();
    const record = parseRecord(item, now);
    if (!isNotIndexed(record)) {
      this.note(item, record, checkRecord(item, record, { ...this.context, now }));
      return;
    }
    const isUnchanged = this.suspects.get(record.id) === fingerprint(item);
    if (isUnchanged && clock.wall() - this.startedAt >= settledMs) {
      this.noteStuck(item, record);
      return;
    }

    const isDated = item.insertedAt !== undefined && !isUnread('insertedAt', record);
    const isYoung = isDated && now - Date.parse(record.insertedAt) < settledMs;
    const old = isDated ? 'notIndexed' : 'notIndexedUndated';
    this.unsettled++;
    const kind = isBusy(record.queue) || isYoung ? 'arriving' : old;
    this.note(item, record, [named(kind), ...checkContents(item, record, { ...this.context, now })]);
  }

  private noteStuck(item: Item, record: BacklogRecord): void {
    const now = this.context.clock.now();
    this.note(item, record, checkRecord(item, record, { ...this.context, now }));
    if (isUnread('status', record)) this.strangers++;
    else this.stuck.push(record.id);
  }

  private note(item: Item, record: BacklogRecord, findings: readonly Finding[]): void {
    // A time that was made up says nothing.
    const isRead = item.insertedAt !== undefined && !isUnread('insertedAt', record);
    const since = isRead ? record.insertedAt : undefined;
    for (const finding of findings) this.findings.add(finding, { id: record.id, since });
  }
}

/** The same for the same item: a record that was overwritten meanwhile has begun again. */
function fingerprint(item: Item): string {
  return createHash('sha1').update(serialize(item)).digest('base64');
}
