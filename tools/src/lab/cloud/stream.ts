import { type Item, toAttributes } from 'dynamo-backlog/engine';
import { between } from '../draws.js';
import type { Chaos } from './chaos.js';

/** The change from which the stream goes on, if not behind the batch: its number, or `all` if the function failed. */
type Consumer = (event: { Records: StreamChange[] }) => Promise<string | 'all' | undefined>;

interface StreamChange {
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly Keys: { readonly id: { readonly S: string } };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

export interface StreamOptions {
  readonly shards: number;
  readonly batchSize: number;
  /** Nothing is delivered then. */
  readonly standstill: { readonly fromMs: number; readonly untilMs: number } | undefined;
  /** Ends and removals of records with numbers are delivered, too. Default: false. */
  readonly hasOrder?: boolean | undefined;
}

/** Shorter than the real one: worlds end sooner than it. */
const MAX_FAILING_MS = 60_000;

/**
 * The table's stream and what reads it. Changes of a record are delivered in their order, in batches. The part of a batch that
 * fails is delivered again, in halves if the function itself has failed. It holds up all changes behind it, and is given up
 * when it is too old. What was delivered may be delivered again, cut into other batches.
 */
export class Stream {
  private readonly shards: Shard[];
  private readonly hasOrder: boolean;
  /** The last sequence number of this world: a world is the same whatever was played before it. */
  private sequence = 0;

  constructor(
    private readonly chaos: Chaos,
    { shards, batchSize, standstill, hasOrder = false }: StreamOptions,
    consume: Consumer,
    gaveUp: (ids: readonly string[]) => void,
  ) {
    this.hasOrder = hasOrder;
    const start = chaos.time.now;
    const isStill = () =>
      standstill !== undefined &&
      chaos.time.now >= start + standstill.fromMs &&
      chaos.time.now < start + standstill.untilMs;
    this.shards = Array.from({ length: shards }, () => new Shard(chaos, batchSize, isStill, consume, gaveUp));
  }

  get isReadThrough(): boolean {
    return this.shards.every((shard) => shard.isReadThrough);
  }

  /**
   * Adds a write of a record. As with the filter of the real stream, only some are delivered: records that wait and are not indexed,
   * that their producer has indexed, or that wait for less than a tick. With an order, ends of records with numbers are, too.
   *
   * @param before the record before, where old images matter
   */
  wrote(eventName: 'INSERT' | 'MODIFY' | 'REMOVE', item: Item, before?: Item): void {
    const isOver = item.status === 'SUCCESS' || item.status === 'DEAD';
    const isEnd = this.hasOrder && typeof item.seq === 'number' && isOver;
    const isWritten =
      typeof item.lane === 'string'
        ? typeof item.rev === 'string' && item.exact === undefined
        : item.status === 'SUCCESS';
    const passes = eventName === 'REMOVE' ? this.hasOrder && item.status !== 'SUCCESS' : isEnd || !isWritten;
    if (!passes || this.chaos.happens('lostPermanently')) return;
    const id = String(item.id);
    const shard = this.shards[(id.charCodeAt(id.length - 1) ?? 0) % this.shards.length];
    shard?.add({
      eventName,
      eventSource: 'aws:dynamodb',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(this.chaos.time.now / 1000),
        SequenceNumber: String(++this.sequence).padStart(12, '0'),
        Keys: { id: { S: id } },
        ...(eventName !== 'REMOVE' && { NewImage: toAttributes(item) }),
        ...(before && { OldImage: toAttributes(before) }),
      },
    });
  }
}

class Shard {
  private readonly changes: StreamChange[] = [];
  private failingSince: number | undefined;
  private checkpoint = 0;
  private isRead = false;

  constructor(
    private readonly chaos: Chaos,
    private readonly batchSize: number,
    private readonly isStill: () => boolean,
    private readonly consume: Consumer,
    private readonly gaveUp: (ids: readonly string[]) => void,
  ) {}

  get isReadThrough(): boolean {
    return this.checkpoint >= this.changes.length;
  }

  add(change: StreamChange): void {
    this.changes.push(change);
    this.readOn();
  }

  private readOn(): void {
    if (this.isRead || this.isReadThrough) return;
    this.isRead = true;
    this.chaos.time.after(this.chaos.soonMs(), () => this.deliver(this.batchSize));
  }

  private deliver(size: number): void {
    const { chaos } = this;
    if (this.isStill()) return void chaos.time.after(10_000, () => this.deliver(size));
    const batch = this.changes.slice(this.checkpoint, this.checkpoint + size);
    // Another reader takes over while this one is at work, and begins with the same batch, or a part of it.
    if (chaos.happens('twice')) {
      const part = chaos.happens('cutAgain') ? batch.slice(0, between(chaos.random, 1, batch.length)) : batch;
      chaos.time.after(chaos.soonOrLateMs(60_000), () => void this.consume({ Records: part }));
    }
    void this.consume({ Records: batch }).then((failed) => {
      const firstFailed = batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failed);
      const taken = failed === undefined ? batch.length : Math.max(0, firstFailed);
      const isTooOld = this.isTooOld(taken);
      if (isTooOld) this.gaveUp(batch.map(({ dynamodb }) => dynamodb.Keys.id.S));
      const done = isTooOld ? batch.length : chaos.happens('twice') ? 0 : taken;
      this.checkpoint += done;
      if (done === batch.length) {
        this.isRead = false;
        return this.readOn();
      }
      const rest = failed === 'all' ? Math.ceil(batch.length / 2) : size;
      const next = chaos.happens('cutAgain') ? between(chaos.random, 1, this.batchSize) : rest;
      chaos.time.after(chaos.soonOrLateMs(30_000), () => this.deliver(next));
    });
  }

  /** Tells whether a batch has failed for so long that the sweep has to find its records. */
  private isTooOld(taken: number): boolean {
    const { now } = this.chaos.time;
    this.failingSince = taken > 0 ? undefined : (this.failingSince ?? now);
    if (this.failingSince === undefined || now - this.failingSince < MAX_FAILING_MS) return false;
    this.failingSince = undefined;
    return true;
  }
}
