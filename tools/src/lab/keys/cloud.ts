import type { Item, Random, RunSummary, VirtualTime } from 'dynamo-backlog/engine';
import type { Process } from 'dynamo-backlog/lambda';
import {
  type BatchResponse,
  type HandlerParts,
  type Invoker,
  intakeWith,
  queueHandler,
  renderRedelivery,
} from '../../work/deployed-handlers.js';
import { AsyncInvocations, type RunEnd } from '../cloud/async-invocations.js';
import { Chaos, NO_TROUBLES } from '../cloud/chaos.js';
import { MessageQueue } from '../cloud/message-queue.js';
import { Sandboxes } from '../cloud/sandboxes.js';
import { Stream } from '../cloud/stream.js';
import { between } from '../draws.js';

export interface CloudDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly queue: string;
  /** Batches of the stream that are at work at a time. */
  readonly batches: number;
  /** Called for each new sandbox: the writes of each are grouped by themselves. */
  readonly parts: () => HandlerParts;
  /** The code of the queue's function. */
  readonly process: Process;
  /** Gets the summary of each run. */
  readonly ended: (summary: RunSummary) => void;
}

/** Records in a batch of the stream. */
const BATCH_SIZE = 100;
/** The request that starts a function. */
const START_REQUEST_MS = 20;
const TICK_MS = 60_000;

/** Nothing goes wrong. Lambda starts a function within 50 to 100 ms. So long the stream also waits for a batch to fill. */
class Network extends Chaos {
  override soonMs(): number {
    return between(this.random, 50, 100);
  }
}

type QueueEvent = Parameters<Invoker['invoke']>[0]['event'];

/**
 * The services around the functions of one queue: stream, asynchronous invocations, the redelivery queue and the rule of every
 * minute. The functions are the deployed handlers.
 */
export class Cloud {
  /** Invocations of the queue's function, by what has started them. */
  readonly runs = { arrivals: 0, rule: 0, other: 0, failed: 0 };
  /** The error of the first run that failed. */
  trouble: unknown;
  /** Invocations of the intake. */
  intakes = 0;
  private readonly stream: Stream;
  private readonly invocations: AsyncInvocations<QueueEvent>;
  private readonly returns: MessageQueue;
  private readonly intake: Sandboxes<BatchResponse>;
  private readonly worker: Sandboxes<RunSummary>;
  private readonly clock: ReturnType<VirtualTime['clock']>;

  constructor(private readonly deps: CloudDeps) {
    const { time, random, batches, parts, process, ended } = deps;
    this.clock = time.clock();
    const network = new Network(time, random, () => NO_TROUBLES);
    this.worker = new Sandboxes(time, () => queueHandler(parts(), process, ended));
    this.intake = new Sandboxes(time, () => intakeWith(parts(), this.invoker));
    this.invocations = new AsyncInvocations(
      network,
      (event) => this.run(event, 'arrivals' in event ? 'arrivals' : 'other'),
      (body) => this.returns.send(body),
    );
    this.returns = new MessageQueue(network, (event) => this.ingest(event));
    this.stream = new Stream(
      network,
      { shards: batches, batchSize: BATCH_SIZE, standstill: undefined },
      async (event) => {
        const failed = await this.ingest(event);
        return failed === 'all' ? 'all' : failed[0];
      },
      (ids) => {
        throw new Error(`the stream has given up ${ids.length} records`);
      },
    );
    this.tick();
  }

  wrote(kind: 'INSERT' | 'MODIFY', item: Item): void {
    this.stream.wrote(kind, item);
  }

  private tick(): void {
    this.deps.time.after(TICK_MS, () => {
      this.tick();
      const event = { queue: this.deps.queue };
      void this.run(event, 'rule').then((end) => this.invocations.ended(event, end));
    });
  }

  private async run(event: QueueEvent, startedBy: 'arrivals' | 'rule' | 'other'): Promise<RunEnd> {
    this.runs[startedBy]++;
    const requestId = `run-${this.runs.arrivals + this.runs.rule + this.runs.other}`;
    try {
      await this.worker.invoke(event, requestId);
      return { ended: 'well', requestId };
    } catch (error) {
      this.trouble ??= error;
      this.runs.failed++;
      return { ended: 'failed', requestId };
    }
  }

  /** The ids of what failed. */
  private async ingest(event: { readonly Records: unknown[] }): Promise<readonly string[] | 'all'> {
    this.intakes++;
    try {
      const { batchItemFailures } = await this.intake.invoke(event);
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    } catch {
      return 'all';
    }
  }

  private readonly invoker: Invoker = {
    invoke: async ({ event }) => {
      await this.clock.sleep(START_REQUEST_MS);
      this.invocations.accept(event);
      return 'accepted';
    },
    sendToRedelivery: async (ids, delaySeconds) => {
      for (const body of renderRedelivery(ids)) this.returns.send(body, delaySeconds);
    },
    sendShortWait: async (wait, delaySeconds) =>
      this.returns.send(JSON.stringify({ shortWait: wait }), delaySeconds),
    giveUp: async () => {},
  };
}
