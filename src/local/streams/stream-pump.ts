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
  readonly matches: (record: StreamRecord) => boolean;
  /** Resolves as soon as another batch is welcome; what comes meanwhile makes it larger. */
  readonly whenWelcome?: ((isFull: () => boolean) => Promise<void>) | undefined;
  readonly deliver: Deliver<StreamRecord>;
}

/** What comes within this time is one batch. */
const GATHER_MS = 10;
/**
 * Between the beginnings of two batches: of many small ones each would cost as much as one large one. Lambda asks a
 * stream four times a second.
 */
const BATCH_EVERY_MS = 200;
const LEAST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 10_000;

/**
 * Hands the changes of one table over to one function, batch after batch in their order, as an event source mapping
 * does: what fails comes again until it is taken or the runtime ends.
 */
export class StreamPump {
  private readonly waiting: StreamRecord[] = [];
  /** Above that of any runtime before this one: nobody takes its batches for theirs. */
  private sequence = BigInt(Date.now()) * 1_000_000n;
  private timer: NodeJS.Timeout | undefined;
  private atWork = false;
  private stopped = false;
  private pauseMs = 0;
  private lastAt = Number.NEGATIVE_INFINITY;
  private limit: number;

  constructor(private readonly options: StreamPumpOptions) {
    this.limit = options.batchSize;
  }

  wants(change: Omit<Change, 'table'>): boolean {
    return this.options.matches(this.recordOf(change));
  }

  add(change: Omit<Change, 'table'>): void {
    const record = this.recordOf(change);
    if (this.stopped || !this.options.matches(record)) return;
    this.waiting.push(record);
    this.wake();
  }

  /** Hands nothing over any more; what waits is dropped. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.length = 0;
  }

  private wake(): void {
    if (this.stopped || this.atWork || this.timer) return;
    const sinceLast = performance.now() - this.lastAt;
    const gatherMs = this.isFull() ? 0 : Math.max(GATHER_MS, BATCH_EVERY_MS - sinceLast);
    const waitMs = Math.max(gatherMs, this.pauseMs);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.handOver();
    }, waitMs);
  }

  private isFull(): boolean {
    return this.waiting.length >= this.limit;
  }

  private async handOver(): Promise<void> {
    this.atWork = true;
    await this.options.whenWelcome?.(() => this.isFull());
    this.lastAt = performance.now();
    const batch = this.waiting.slice(0, this.limit);
    const taken = batch.length > 0 ? await this.taken(batch) : 0;
    this.waiting.splice(0, taken);
    this.atWork = false;
    if (this.waiting.length > 0) this.wake();
  }

  /** How many of a batch need not come again. */
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
    this.pauseMs = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, 2 * this.pauseMs));
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
