import type { Chaos } from './chaos.js';

interface Message {
  readonly messageId: string;
  readonly body: string;
}

/** The ids of the messages that failed, or all of them. */
type Consumer = (event: { Records: unknown[] }) => Promise<readonly string[] | 'all'>;

/** Six times the timeout of the function that reads it. */
const VISIBILITY_MS = 360_000;
const BATCH = 10;

/** A queue of SQS, and what reads it: in no order, at least once, again after a while if it failed. */
export class MessageQueue {
  /** Messages that are not deleted yet. */
  size = 0;
  private visible: Message[] = [];
  private sent = 0;

  constructor(
    private readonly chaos: Chaos,
    private readonly consume: Consumer,
  ) {}

  send(body: string, delaySeconds = 0): void {
    const { chaos } = this;
    if (chaos.happens('lostPermanently')) return;
    for (let i = chaos.deliveries(); i > 0; i--) {
      this.size++;
      const message = { messageId: `m${++this.sent}`, body };
      chaos.time.after(delaySeconds * 1000 + chaos.soonOrLateMs(20_000), () => this.show(message));
    }
  }

  private show(message: Message): void {
    this.visible.push(message);
    this.chaos.time.after(this.chaos.soonMs(), () => this.poll());
  }

  private poll(): void {
    if (this.visible.length === 0) return;
    const { random } = this.chaos;
    const batch = this.visible.sort(() => random() - 0.5).splice(0, BATCH);
    const Records = batch.map((message) => ({ eventSource: 'aws:sqs', ...message }));
    void this.consume({ Records }).then((failed) => {
      for (const message of batch) {
        const isDone = failed !== 'all' && !failed.includes(message.messageId);
        if (isDone && !this.chaos.happens('twice')) this.size--;
        else this.chaos.time.after(VISIBILITY_MS, () => this.show(message));
      }
    });
  }
}
