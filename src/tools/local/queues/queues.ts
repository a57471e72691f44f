import { handOverTo } from '../event-source.js';
import type { Invoke } from '../function-host.js';
import type { LocalApp } from '../template/local-app.js';
import { MessageQueue } from './message-queue.js';

/** Puts a message into a queue of the app; false if there is none of that name. */
export type SendMessage = (queue: string, body: string, delaySeconds: number) => boolean;

export interface QueuesOptions {
  readonly app: Pick<LocalApp, 'queues' | 'queueReaders'>;
  readonly region: string;
  readonly invoke: Invoke;
  /** Called with a message that no function reads. */
  readonly onUnread: (queue: string, body: string) => void;
}

/** The app's message queues, in memory, each with the function that reads it. */
export class Queues {
  private readonly queues: ReadonlyMap<string, MessageQueue>;

  constructor({ app, region, invoke, onUnread }: QueuesOptions) {
    const entries = app.queues.map(({ name, maxReceives, deadLetterQueue }) => {
      const reader = app.queueReaders.find(({ queue }) => queue === name);
      const queue = new MessageQueue({
        arn: `arn:aws:sqs:${region}:000000000000:${name}`,
        region,
        batchSize: reader?.batchSize ?? 1,
        maxReceives,
        deliver: reader && handOverTo(reader.functionName, invoke),
        onDead: (body) => {
          if (deadLetterQueue === undefined || !this.send(deadLetterQueue, body, 0)) onUnread(name, body);
        },
        onUnread: (body) => onUnread(name, body),
      });
      return [name, queue] as const;
    });
    this.queues = new Map(entries);
  }

  readonly send: SendMessage = (name, body, delaySeconds) => {
    const queue = this.queues.get(name);
    queue?.send(body, delaySeconds);
    return queue !== undefined;
  };

  stop(): void {
    for (const queue of this.queues.values()) queue.stop();
  }
}
