import { type Deliver, failuresOf } from '../event-source.js';
import type { Change } from './change.js';

/** A record of a stream, as Lambda hands it over. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventSource: 'aws:dynamodb';
  readonly eventVersion: string;
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Readonly<Record<string, unknown>>;
    readonly NewImage?: unknown;
    readonly OldImage?: unknown;
    readonly SequenceNumber: string;
    readonly StreamViewType: string;
  };
}

export interface StreamPumpOptions {
  readonly region: string;
  readonly streamArn: string;
  /** Names of the table's key attributes. */
  readonly keys: readonly string[];
  readonly viewType: string;
  readonly batchSize: number;
  /** A batch that the function fails on comes again in halves, not as it was. */
  readonly bisects: boolean;
  /** Age in seconds at which what the function fails on is given up. Default: never. */
  readonly maxAgeSeconds?: number | undefined;
  /** Called with the place in the stream of a batch that was given up. */
  readonly givesUp?: ((batch: GivenUpBatch) => void) | undefined;
  readonly matches: (record: StreamRecord) => boolean;
  /** Resolves as soon as another batch is welcome; what comes meanwhile makes it larger. */
  readonly whenWelcome?: ((isFull: () => boolean) => Promise<void>) | undefined;
  readonly deliver: Deliver<StreamRecord>;
}

/** Message that Lambda sends to an on-failure destination. Ids of records are not in it, nor what they hold. */
export interface GivenUpBatch {
  readonly DDBStreamBatchInfo: {
    readonly shardId: string;
    readonly startSequenceNumber: string;
    readonly endSequenceNumber: string;
    readonly approximateArrivalOfFirstRecord: string;
    readonly approximateArrivalOfLastRecord: string;
    readonly batchSize: number;
    readonly streamArn: string;
  };
}

/** Changes that come within this time are one batch. */
const GATHER_MS = 10;
/**
 * Time between the beginnings of two batches: each of many small ones would cost as much as one large one. Lambda asks
 * a stream four times a second.
 */
const BATCH_EVERY_MS = 200;
/** Lambda's limit of an event. A batch of large images has fewer. */
const MAX_EVENT_BYTES = 6_000_000;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/**
 * Hands the changes of one table over to one function, batch after batch in their order, as an event source mapping
 * does. What fails comes again until it is taken, is too old, or the runtime ends.
 */
export class StreamPump {
  private readonly waiting: StreamRecord[] = [];
  /** Time when each of those came, by its number. */
  private readonly cameAt = new Map<string, number>();
  /** Sequence number above those of any runtime before this one, so that no function confuses its batches with those. */
  private sequence = BigInt(Date.now()) * 1_000_000n;
  private timer: NodeJS.Timeout | undefined;
  private atWork = false;
  private stopped = false;
  private pauseMs = 0;
  private lastAt = Number.NEGATIVE_INFINITY;
  private limit: number;

  constructor(private options: StreamPumpOptions) {
    this.limit = options.batchSize;
  }

  /** Changes the options. What waits stays, and a batch that is at work ends as it began. */
  configure(options: StreamPumpOptions): void {
    this.options = options;
    this.limit = options.batchSize;
  }

  wants(change: Omit<Change, 'table'>): boolean {
    return this.options.matches(this.recordOf(change));
  }

  add(change: Omit<Change, 'table'>): void {
    const record = this.recordOf(change);
    if (this.stopped || !this.options.matches(record)) return;
    this.waiting.push(record);
    this.cameAt.set(record.dynamodb.SequenceNumber, Date.now());
    this.wake();
  }

  /** Hands nothing over any more; what waits is dropped. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.length = 0;
    this.cameAt.clear();
  }

  private wake(): void {
    if (this.stopped || this.atWork || this.timer) return;
    const sinceLast = performance.now() - this.lastAt;
    const gatherMs = this.isFull() ? 0 : Math.max(GATHER_MS, BATCH_EVERY_MS - sinceLast);
    const waitMs = Math.max(gatherMs, this.pauseMs);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.deliverNext();
    }, waitMs);
  }

  private isFull(): boolean {
    return this.waiting.length >= this.limit;
  }

  private async deliverNext(): Promise<void> {
    this.atWork = true;
    await this.options.whenWelcome?.(() => this.isFull());
    this.lastAt = performance.now();
    const batch = this.nextBatch();
    const taken = batch.length > 0 ? await this.taken(batch) : 0;
    this.drop(taken);
    if (taken < batch.length) this.giveUp(batch.slice(taken));
    this.atWork = false;
    if (this.waiting.length > 0) this.wake();
  }

  /** The changes that have waited longest, at least one. */
  private nextBatch(): StreamRecord[] {
    const batch: StreamRecord[] = [];
    let bytes = 0;
    for (const record of this.waiting.slice(0, this.limit)) {
      bytes += Buffer.byteLength(JSON.stringify(record));
      if (batch.length > 0 && bytes > MAX_EVENT_BYTES) break;
      batch.push(record);
    }
    return batch;
  }

  private drop(count: number): void {
    for (const { dynamodb } of this.waiting.splice(0, count)) this.cameAt.delete(dynamodb.SequenceNumber);
  }

  /** Gives up those of what has just failed that are too old. */
  private giveUp(failed: readonly StreamRecord[]): void {
    const { maxAgeSeconds = Number.POSITIVE_INFINITY, givesUp, streamArn } = this.options;
    const isYoung = ({ dynamodb }: StreamRecord) =>
      Date.now() - (this.cameAt.get(dynamodb.SequenceNumber) ?? 0) < maxAgeSeconds * 1000;
    const youngest = failed.findIndex(isYoung);
    const old = youngest < 0 ? failed : failed.slice(0, youngest);
    const [first, last] = [old[0]?.dynamodb, old.at(-1)?.dynamodb];
    if (!first || !last) return;
    this.drop(old.length);
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
    givesUp?.({
      DDBStreamBatchInfo: {
        shardId: 'shardId-00000000000000000000-local',
        startSequenceNumber: first.SequenceNumber,
        endSequenceNumber: last.SequenceNumber,
        approximateArrivalOfFirstRecord: iso(first.ApproximateCreationDateTime),
        approximateArrivalOfLastRecord: iso(last.ApproximateCreationDateTime),
        batchSize: old.length,
        streamArn,
      },
    });
  }

  /** Delivers a batch. Returns how many of its changes need not come again. */
  private async taken(batch: readonly StreamRecord[]): Promise<number> {
    try {
      const failures = failuresOf(await this.options.deliver({ Records: batch }));
      const failed = batch.findIndex(({ dynamodb }) => failures.has(dynamodb.SequenceNumber));
      this.limit = this.options.batchSize;
      if (failed < 0) {
        this.pauseMs = 0;
        return batch.length;
      }
      this.slowDown();
      return failed;
    } catch {
      this.limit = this.options.bisects ? Math.max(1, Math.ceil(batch.length / 2)) : batch.length;
      this.slowDown();
      return 0;
    }
  }

  private slowDown(): void {
    this.pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, 2 * this.pauseMs));
  }

  private recordOf({ before, after, at = Date.now() }: Omit<Change, 'table'>): StreamRecord {
    const { region, streamArn, keys, viewType } = this.options;
    const item = after ?? before ?? {};
    const sequence = String(++this.sequence).padStart(21, '0');
    return {
      eventID: sequence,
      eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
      eventSource: 'aws:dynamodb',
      eventVersion: '1.1',
      awsRegion: region,
      eventSourceARN: streamArn,
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(at / 1000),
        Keys: Object.fromEntries(keys.map((key) => [key, item[key]])),
        ...(after !== undefined && viewType.startsWith('NEW') ? { NewImage: after } : {}),
        ...(before !== undefined && viewType.endsWith('OLD_IMAGES') ? { OldImage: before } : {}),
        ...(before !== undefined && viewType === 'OLD_IMAGE' ? { OldImage: before } : {}),
        SequenceNumber: sequence,
        StreamViewType: viewType,
      },
    };
  }
}
