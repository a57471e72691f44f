import { randomUUID } from 'node:crypto';
import { type Deliver, failuresOf } from '../event-source.js';

export interface MessageQueueOptions {
  readonly arn: string;
  readonly region: string;
  readonly batchSize: number;
  /** Number of deliveries of a message that fails each time. */
  readonly maxReceives: number;
  /** Delivers a batch to the queue's function. Undefined: no function reads it. */
  readonly deliver: Deliver<object> | undefined;
  /** Called with a message that was delivered too often. */
  readonly onDead: (body: string) => void;
  /** Called with a message that no function reads. */
  readonly onUnread: (body: string) => void;
}

interface Message {
  readonly messageId: string;
  readonly body: string;
  /** Time of the next delivery, by `performance.now()`, as the system's clock may be set forward and back. */
  readyAt: number;
  receives: number;
}

/** Delay before a message that failed comes again. SQS waits for the visibility timeout. */
const COMES_AGAIN_MS = 5_000;
/** Messages that come within this time are one batch. */
const GATHER_MS = 10;
/** Longest wait of a timer. Node can wait for longer, but a machine may sleep meanwhile. */
const MAX_WAIT_MS = 30_000;

/** One message queue with at most one reader, in memory, in real time. */
export class MessageQueue {
  private readonly waiting: Message[] = [];
  private timer: NodeJS.Timeout | undefined;
  private atWork = false;
  private stopped = false;

  constructor(private options: MessageQueueOptions) {}

  /** Changes the options. What waits stays, and a batch that is at work ends as it began. */
  configure(options: MessageQueueOptions): void {
    this.options = options;
    this.wake();
  }

  send(body: string, delaySeconds = 0): void {
    if (this.stopped) return;
    if (!this.options.deliver) {
      this.options.onUnread(body);
      return;
    }
    const readyAt = performance.now() + delaySeconds * 1000;
    this.waiting.push({ messageId: randomUUID(), body, readyAt, receives: 0 });
    this.wake();
  }

  /** Hands nothing over any more; what waits is dropped. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.waiting.length = 0;
  }

  private wake(): void {
    clearTimeout(this.timer);
    if (this.stopped || this.atWork || this.waiting.length === 0) return;
    const next =
      this.waiting.reduce((first, { readyAt }) => Math.min(first, readyAt), Number.POSITIVE_INFINITY) -
      performance.now();
    this.timer = setTimeout(() => void this.deliverNext(), Math.min(Math.max(GATHER_MS, next), MAX_WAIT_MS));
  }

  private async deliverNext(): Promise<void> {
    this.atWork = true;
    const now = performance.now();
    const batch = this.waiting.filter(({ readyAt }) => readyAt <= now).slice(0, this.options.batchSize);
    if (batch.length > 0) await this.deliver(batch);
    this.atWork = false;
    this.wake();
  }

  private async deliver(batch: readonly Message[]): Promise<void> {
    const { arn, region, deliver, maxReceives, onDead } = this.options;
    for (const message of batch) message.receives++;
    const Records = batch.map(({ messageId, body, receives }) => ({
      messageId,
      receiptHandle: messageId,
      body,
      attributes: { ApproximateReceiveCount: String(receives) },
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: arn,
      awsRegion: region,
    }));
    const failed = await this.failuresAmong(deliver?.({ Records }));
    for (const message of batch) {
      const fails = failed === 'all' || failed.has(message.messageId);
      message.readyAt = performance.now() + COMES_AGAIN_MS;
      if (fails && message.receives < maxReceives) continue;
      const place = this.waiting.indexOf(message);
      if (place >= 0) this.waiting.splice(place, 1);
      if (fails) onDead(message.body);
    }
  }

  private async failuresAmong(delivery: Promise<unknown> | undefined): Promise<ReadonlySet<unknown> | 'all'> {
    try {
      return failuresOf(await delivery);
    } catch {
      return 'all';
    }
  }
}
