import type { Logger } from '@aws-lambda-powertools/logger';
import type { ArrivalsEvent } from '../../functions/intake/arrivals.js';
import { BatchKeys } from '../../functions/intake/batch-keys.js';
import type { RuleEvent } from '../../functions/intake/dead-run.js';
import { type BatchResponse, intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { renderRedelivery } from '../../functions/intake/queue-event.js';
import type { LambdaHandler } from '../../functions/lambda-context.js';
import type { Item } from '../../src/record/index.js';
import type { MemoryStore } from '../../src/store/memory/store.js';
import type { Random } from '../../src/support/random.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import type { RunSummary } from '../../src/worker/index.js';
import { AsyncInvocations, type RunEnd } from '../simulation/cloud/async-invocations.js';
import { Chaos, NO_TROUBLES } from '../simulation/cloud/chaos.js';
import { MessageQueue } from '../simulation/cloud/message-queue.js';
import { Stream } from '../simulation/cloud/stream.js';
import { between } from '../simulation/random.js';
import { Sandboxes } from './sandboxes.js';

/** The seams that the handlers of the queue and of the intake are made with, in each sandbox. */
export interface SandboxSeams {
  readonly store: MemoryStore;
  readonly clock: ReturnType<VirtualTime['clock']>;
  readonly random: Random;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string>>;
}

export interface CloudDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly queue: string;
  /** Batches of the stream that are at work at a time. */
  readonly batches: number;
  /** Called for each new sandbox: the writes of each are grouped by themselves. */
  readonly seams: () => SandboxSeams;
  /** Makes the handler of the queue's function, in a new sandbox. */
  readonly worker: (seams: SandboxSeams) => LambdaHandler<RunSummary>;
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

/**
 * The services around the functions of one queue: stream, asynchronous invocations, the redelivery queue and the rule of every
 * minute. The functions are the deployed handlers.
 */
export class Cloud {
  /** Invocations of the queue's function, by what has started them. */
  readonly runs = { arrivals: 0, rule: 0, other: 0, failed: 0 };
  /** Invocations of the intake. */
  intakes = 0;
  private readonly stream: Stream;
  private readonly invocations: AsyncInvocations;
  private readonly returns: MessageQueue;
  private readonly intake: Sandboxes<BatchResponse>;
  private readonly worker: Sandboxes<RunSummary>;
  private readonly clock: ReturnType<VirtualTime['clock']>;

  constructor(private readonly deps: CloudDeps) {
    const { time, random, batches, seams, worker } = deps;
    this.clock = time.clock();
    const network = new Network(time, random, () => NO_TROUBLES);
    this.worker = new Sandboxes(time, () => worker(seams()));
    this.intake = new Sandboxes(time, () =>
      intakeHandler({ ...seams(), invoker: this.invoker, batchKeys: BatchKeys, emit() {} }),
    );
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

  private async run(
    event: ArrivalsEvent | RuleEvent,
    startedBy: 'arrivals' | 'rule' | 'other',
  ): Promise<RunEnd> {
    this.runs[startedBy]++;
    const requestId = `run-${this.runs.arrivals + this.runs.rule + this.runs.other}`;
    try {
      await this.worker.invoke(event, requestId);
      return { ended: 'well', requestId };
    } catch {
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
