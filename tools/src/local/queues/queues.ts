import { deliverTo } from '../event-source.js';
import type { Invoke } from '../function-host.js';
import type { LocalApp, LocalQueue } from '../template/local-app.js';
import { MessageQueue, type MessageQueueOptions } from './message-queue.js';

/** Puts a message into a queue of the app; false if there is none of that name. */
export type SendMessage = (queue: string, body: string, delaySeconds: number) => boolean;

export interface QueuesOptions {
  readonly app: Pick<LocalApp, 'queues' | 'queueReaders'>;
  readonly region: string;
  readonly invoke: Invoke;
  /** Called with a message that no function reads. */
  readonly onUnread: (queue: string, body: string) => void;
  readonly onSent?: ((queue: string) => void) | undefined;
}

/** The app's message queues, in memory, each with the function that reads it. */
export class Queues {
  private queues: ReadonlyMap<string, MessageQueue> = new Map();

  constructor(private readonly options: QueuesOptions) {
    this.replace(options.app);
  }

  /** Runs these queues from now on. Messages of a queue that stays are kept; those of one that is gone are dropped. */
  replace(app: QueuesOptions['app']): void {
    const previous = this.queues;
    const entries = app.queues.map((queue) => {
      const { name } = queue;
      const options = this.optionsOf(queue, app.queueReaders);
      const known = previous.get(name);
      known?.configure(options);
      return [name, known ?? new MessageQueue(options)] as const;
    });
    this.queues = new Map(entries);
    for (const [name, queue] of previous) if (!this.queues.has(name)) queue.stop();
  }

  readonly send: SendMessage = (name, body, delaySeconds) => {
    const queue = this.queues.get(name);
    queue?.send(body, delaySeconds);
    if (queue) this.options.onSent?.(name);
    return queue !== undefined;
  };

  stop(): void {
    for (const queue of this.queues.values()) queue.stop();
  }

  private optionsOf(
    { name, maxReceives, deadLetterQueue }: LocalQueue,
    readers: LocalApp['queueReaders'],
  ): MessageQueueOptions {
    const { region, invoke, onUnread } = this.options;
    const reader = readers.find(({ queue }) => queue === name);
    return {
      arn: `arn:aws:sqs:${region}:000000000000:${name}`,
      region,
      batchSize: reader?.batchSize ?? 1,
      maxReceives,
      deliver: reader && deliverTo(reader.functionName, invoke),
      onDead: (body) => {
        if (deadLetterQueue === undefined || !this.send(deadLetterQueue, body, 0)) onUnread(name, body);
      },
      onUnread: (body) => onUnread(name, body),
    };
  }
}
