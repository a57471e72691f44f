import type { Item } from '../../../src/record/index.js';
import { toAttributes } from '../../../src/store/dynamodb/attribute-values.js';
import { between } from '../random.js';
import type { Chaos } from './chaos.js';

/** True if the batch was taken; else it comes again. */
type Consumer = (event: { Records: unknown[] }) => Promise<boolean>;

export interface StreamOptions {
  readonly shards: number;
  readonly batchSize: number;
  /** Nothing is delivered then. */
  readonly standstill: { readonly fromMs: number; readonly untilMs: number } | undefined;
}

let sequence = 0;

/**
 * The table's stream and what reads it: the changes of a record in their order, in batches; a batch that fails comes
 * again and holds up all behind it. What was delivered may be delivered again, cut into other batches.
 */
export class Stream {
  private readonly shards: Shard[];

  constructor(
    private readonly chaos: Chaos,
    { shards, batchSize, standstill }: StreamOptions,
    consume: Consumer,
  ) {
    const start = chaos.time.now;
    const isStill = () =>
      standstill !== undefined &&
      chaos.time.now >= start + standstill.fromMs &&
      chaos.time.now < start + standstill.untilMs;
    this.shards = Array.from({ length: shards }, () => new Shard(chaos, batchSize, isStill, consume));
  }

  get isReadThrough(): boolean {
    return this.shards.every((shard) => shard.isReadThrough);
  }

  /** Somebody wrote a record. As the filter of the real one has it, only what waits without a place is delivered. */
  wrote(eventName: 'INSERT' | 'MODIFY', item: Item): void {
    if (typeof item.lane === 'string' || item.status === 'SUCCESS' || this.chaos.happens('lostForGood'))
      return;
    const id = String(item.id);
    const shard = this.shards[(id.charCodeAt(id.length - 1) ?? 0) % this.shards.length];
    shard?.add({
      eventName,
      eventSource: 'aws:dynamodb',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(this.chaos.time.now / 1000),
        SequenceNumber: String(++sequence).padStart(12, '0'),
        Keys: { id: { S: id } },
        NewImage: toAttributes(item),
      },
    });
  }
}

class Shard {
  private readonly changes: unknown[] = [];
  private checkpoint = 0;
  private isRead = false;

  constructor(
    private readonly chaos: Chaos,
    private readonly batchSize: number,
    private readonly isStill: () => boolean,
    private readonly consume: Consumer,
  ) {}

  get isReadThrough(): boolean {
    return this.checkpoint >= this.changes.length;
  }

  add(change: unknown): void {
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
      const part = chaos.happens('cutAnew') ? batch.slice(0, between(chaos.random, 1, batch.length)) : batch;
      chaos.time.after(chaos.soonOrLateMs(60_000), () => void this.consume({ Records: part }));
    }
    void this.consume({ Records: batch }).then((taken) => {
      const comesAgain = !taken || chaos.happens('twice');
      if (!comesAgain) {
        this.checkpoint += batch.length;
        this.isRead = false;
        return this.readOn();
      }
      const next = chaos.happens('cutAnew') ? between(chaos.random, 1, this.batchSize) : size;
      chaos.time.after(chaos.soonOrLateMs(30_000), () => this.deliver(next));
    });
  }
}
