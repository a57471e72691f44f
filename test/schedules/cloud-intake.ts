import { Logger } from '@aws-lambda-powertools/logger';
import { IntakeBatch, type IntakeDeps } from '../../functions/intake/intake-batch.js';
import { take } from '../../functions/intake/intake-handler.js';
import { type QueuesSettings, readSettings } from '../../functions/settings.js';
import type { Item } from '../../src/record/index.js';
import { toAttributes } from '../../src/store/dynamodb/attribute-values.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import { environment } from '../functions/support.js';

export interface CloudIntakeDeps {
  readonly time: VirtualTime;
  readonly store: MemoryStore;
  readonly random: () => number;
  readonly queues: () => QueuesSettings;
  readonly invoke: (queue: string, event: object) => void;
}

/**
 * The table's stream, the redelivery queue and the real intake between them, as far as waits of less than a tick need them. Delays
 * are as in the cloud: Lambda asks a stream four times a second, and takes a message within 200 ms.
 */
export class CloudIntake {
  losesMessages = false;
  /** Deliveries of each message. */
  copies = 1;
  /** Messages that were sent. */
  messages = 0;
  /** Invocations of the intake, and how long they took. */
  runs = 0;
  seconds = 0;
  private changes = 0;
  private readonly sentWaits = new Set<string>();

  constructor(private readonly deps: CloudIntakeDeps) {}

  /** A run has settled a record: the stream's filter lets it through if it waits for less than a tick. */
  sees(item: Item | undefined): void {
    if (typeof item?.lane !== 'string' || item.exact === undefined) return;
    const dynamodb = {
      SequenceNumber: String(++this.changes),
      Keys: { id: { S: String(item.id) } },
      NewImage: toAttributes(item),
    };
    this.later(250, { eventSource: 'aws:dynamodb', eventName: 'MODIFY', dynamodb });
  }

  private later(mostMs: number, record: object): void {
    const { time, random } = this.deps;
    time.after(50 + random() * mostMs, () => void this.take({ Records: [record] }));
  }

  private async take(event: object): Promise<void> {
    const { time } = this.deps;
    const startedAt = time.now;
    const deps = this.intakeDeps();
    await take(event, new IntakeBatch(deps), deps);
    this.runs++;
    this.seconds += (time.now - startedAt) / 1000;
  }

  private intakeDeps(): IntakeDeps {
    const { time, store, random, queues, invoke } = this.deps;
    const clock = time.clock();
    const functions = new Map(Object.keys(queues()).map((queue) => [queue, queue]));
    const settings = { ...readSettings(environment(queues())), arrivalFunctions: functions };
    return {
      settings: { ...settings, redeliveryUrl: undefined, eventDlqUrl: undefined },
      logger: SILENT,
      sentWaits: this.sentWaits,
      indexing: { store, clock, random, logger: SILENT_LINES, shardsOf: () => 1, serves: () => true },
      invoker: {
        invoke: async ({ functionName, event }) => {
          await clock.sleep(20);
          time.after(20 + random() * 80, () => invoke(functionName, event));
          return 'accepted';
        },
        sendShortWait: async (wait, delaySeconds) => {
          await clock.sleep(15);
          this.messages++;
          const message = {
            eventSource: 'aws:sqs',
            messageId: 'm',
            body: JSON.stringify({ shortWait: wait }),
          };
          for (let i = this.losesMessages ? 0 : this.copies; i > 0; i--)
            time.after(delaySeconds * 1000, () => this.later(150, message));
        },
        sendToRedelivery: async () => {},
        giveUp: async () => {},
      },
    };
  }
}

const SILENT = new Logger({ logLevel: 'SILENT', serviceName: 'test' });
const SILENT_LINES = { debug() {}, info() {}, warn() {}, error() {} };
