import '../../loaded-limits.js';
import { Logger } from '@aws-lambda-powertools/logger';
import { type BacklogHandlerOptions, backlogHandler } from '../../../functions/backlog-handler.js';
import { type LambdaFunction, SERVES, type SeamedHandler } from '../../../functions/seams.js';
import type { QueuesSettings } from '../../../functions/settings.js';
import { intercepted } from '../../../src/store/bounded-store.js';
import { MemoryStore, StoreUnavailableError } from '../../../src/store/index.js';
import type { OperatorStore } from '../../../src/store/operator-store.js';
import { seededRandom } from '../../../src/support/seeded-random.js';
import { VirtualTime } from '../../../src/support/virtual-time.js';
import type { FoundHandler } from '../../../tools/src/work/handlers.js';
import { Health } from '../../../tools/src/work/health.js';
import { workedQueues } from '../../../tools/src/work/queues.js';
import { type WorkerOptions, workOn } from '../../../tools/src/work/worker.js';

export const START = Date.parse('2026-03-01T00:00:00.000Z');
const REGISTRY_ENV = {
  BACKLOG_TABLE: 'records',
  BACKLOG_CONTROL_TABLE: 'control',
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
};

/** Workers on one store in memory, on virtual time. */
export class World {
  readonly time = new VirtualTime(START, () => new Promise((resolve) => setImmediate(resolve)));
  readonly clock = this.time.clock();
  readonly memory = new MemoryStore({ clock: this.clock });
  readonly random = seededRandom(7);
  readonly requests = new Map<string, number>();
  readonly lines: string[] = [];
  /** The log lines of the process itself. */
  readonly reported: unknown[][] = [];
  isDown = false;
  private readonly stops: AbortController[] = [];

  private readonly log = (() => {
    const tell = (...line: unknown[]) => void this.reported.push(line);
    return { debug: tell, info: tell, warn: tell, error: tell };
  })();

  get seconds(): number {
    return (this.time.now - START) / 1000;
  }

  put(id: string, queue = 'orders', more: Record<string, unknown> = {}): void {
    const at = new Date(this.time.now).toISOString();
    const own = { id, queue, payload: {}, status: 'NEW', insertedAt: at, lane: queue, dueAt: at, rev: 'r' };
    this.memory.put({ ...own, ...more });
  }

  /** Starts a worker process. */
  worker(
    handlers: BacklogHandlerOptions | readonly BacklogHandlerOptions[],
    queues: QueuesSettings,
    options: Partial<WorkerOptions> = {},
  ) {
    const made = [handlers].flat().map((each, i) => {
      const handler = backlogHandler(each) as SeamedHandler;
      return { name: `handler${i}`, handler, serves: handler[SERVES] };
    });
    return this.start(made, queues, options);
  }

  /** Starts a worker process with one handler, as a module exports it. */
  work(handler: LambdaFunction, queues: QueuesSettings) {
    return this.start([{ name: 'handler', handler, serves: undefined }], queues, {});
  }

  private start(made: readonly FoundHandler[], queues: QueuesSettings, options: Partial<WorkerOptions>) {
    const found = workedQueues({ flags: new Map(), queues, handlers: made, registry: { queues: new Map() } });
    const stop = new AbortController();
    this.stops.push(stop);
    const health = new Health(this.clock, 300_000, stop.signal);
    const env = { ...REGISTRY_ENV, BACKLOG_QUEUES: JSON.stringify(queues), ...options.env };
    const ended = workOn(
      {
        queues: found,
        everyMs: 5_000,
        timeoutSeconds: 300,
        graceSeconds: 10,
        emit: () => {},
        ...options,
        env,
      },
      {
        store: this.store(),
        clock: this.clock,
        random: this.random,
        logger: this.logger(),
        stop: stop.signal,
        health,
        log: this.log,
      },
    );
    // What ends it is looked at later.
    ended.catch(() => {});
    return { ended, health, stop: () => stop.abort() };
  }

  async pass(seconds: number): Promise<void> {
    await this.time.runUntil(this.time.now + seconds * 1000);
  }

  count(name: string): number {
    return this.requests.get(name) ?? 0;
  }

  statuses(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status } of this.memory.items()) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
    return counts;
  }

  private logger(): Logger {
    const logger = new Logger({ logLevel: 'INFO' });
    const keep = (line: string) => void this.lines.push(line);
    return Object.assign(logger, {
      console: { debug: keep, info: keep, warn: keep, error: keep, log: keep },
    });
  }

  private store(): OperatorStore {
    return intercepted(this.memory, async (name, call) => {
      this.requests.set(name, (this.requests.get(name) ?? 0) + 1);
      if (this.isDown) throw new StoreUnavailableError('no answer');
      return call();
    });
  }
}
