import '../loaded-limits.js';
import { Logger } from '@aws-lambda-powertools/logger';
import { type BacklogHandlerOptions, backlogHandler } from '../../functions/index.js';
import type { QueuesSettings } from '../../functions/settings.js';
import type { BacklogRecord, Item } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { MemoryStore } from '../../src/store/index.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Clock } from '../../src/support/clock.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import type { Process, RunSummary } from '../../src/worker/index.js';
import { environment } from '../functions/support.js';
import { seededRandom } from '../simulation/random.js';
import { CloudIntake } from './cloud-intake.js';

/** A minute at which the rules fire. */
const START = Date.UTC(2026, 10, 20, 9, 30);
const FUNCTION_TIMEOUT_MS = 300_000;

export interface CloudOptions {
  readonly queues: QueuesSettings;
  readonly process: Process;
  /** Options in the code of the handlers. */
  readonly code?: Pick<BacklogHandlerOptions, 'retry'>;
  /** Seconds that each attempt takes. */
  readonly attemptSeconds?: number;
  /** Rules are late by up to so much, each firing by its own. */
  readonly lateSeconds?: number;
  /** The event of the one rule that serves all queues. Default: a rule for each. */
  readonly event?: object;
}

/**
 * The rules of some queues that retry per record. They invoke the real handlers every minute, on virtual time. Every invocation
 * is on its own, and several of them overlap as they do in the cloud.
 */
export class Cloud {
  readonly time = new VirtualTime(START);
  readonly clock = this.time.clock();
  readonly store = new MemoryStore({ clock: this.clock });
  readonly requests: Record<string, number> = {};
  readonly summaries: RunSummary[] = [];
  /** Invocations that have not ended. */
  running = 0;
  /** The duration of all invocations that have ended. */
  seconds = 0;
  readonly attempts: { readonly id: string; readonly second: number }[] = [];
  private readonly random = seededRandom(7);
  private ticks = 0;
  private life = 0;
  readonly intake: CloudIntake;
  private queues: QueuesSettings;

  constructor(private readonly options: CloudOptions) {
    this.queues = options.queues;
    const { time, store, random } = this;
    const invoke = (queue: string, event: object) => void this.invoke(queue, event);
    this.intake = new CloudIntake({ time, store, random, invoke, queues: () => this.queues });
  }

  /** Invocations that start from now on have these queues; those under way go on with what they had. */
  deploy(queues: QueuesSettings): void {
    this.queues = queues;
  }

  second(): number {
    return (this.time.now - START) / 1000;
  }

  /** When a record was attempted, seconds from the first tick. */
  attemptsOf(id: string): number[] {
    return this.attempts.flatMap((attempt) => (attempt.id === id ? [attempt.second] : []));
  }

  item(id: string): Item | undefined {
    return this.store.items().find((item) => item.id === id);
  }

  /** Stores a record that is indexed, as the intake would have placed it. */
  async insert(id: string, queue: string, attributes: Item | object = {}): Promise<void> {
    const now = new Date(this.time.now).toISOString();
    const place = { insertedAt: now, dueAt: now, lane: queue, rev: 'inserted' };
    await this.store.records.insert({
      id,
      status: 'NEW',
      queue,
      payload: {},
      ...place,
      ...attributes,
    } as Item);
  }

  /** Lets the rules fire for so long. */
  async pass(seconds: number): Promise<void> {
    const until = this.time.now + seconds * 1000;
    for (;;) {
      const tick = START + this.ticks * 60_000;
      if (tick > until) break;
      await this.time.runUntil(tick);
      this.ticks++;
      const { event, lateSeconds = 0 } = this.options;
      for (const queue of event ? [undefined] : Object.keys(this.queues)) {
        this.time.after(this.random() * 1000 * lateSeconds, () => void this.invoke(queue, event));
      }
    }
    await this.time.runUntil(until);
  }

  /** Starts a function as its rule does, or as the intake. */
  async invoke(queue: string | undefined, event: object = {}): Promise<void> {
    const startedAt = this.time.now;
    const { code } = this.options;
    const handler = backlogHandler({
      ...(queue === undefined ? {} : { queue }),
      process: this.process,
      ...code,
      clock: this.mortal(),
      store: this.counted(),
      random: this.random,
      logger: SILENT,
      env: environment(this.queues),
      emit: () => {},
    });
    this.running++;
    const context = {
      awsRequestId: 'request',
      functionName: 'backlog',
      getRemainingTimeInMillis: () => startedAt + FUNCTION_TIMEOUT_MS - this.time.now,
    };
    try {
      this.summaries.push(await handler(queue === undefined ? event : { queue, ...event }, context));
    } finally {
      this.running--;
      this.seconds += (this.time.now - startedAt) / 1000;
    }
  }

  /** The same, until it has ended. */
  invokeNow(queue: string): Promise<void> {
    return this.time.until(this.invoke(queue));
  }

  /** Ends all invocations that are under way. */
  kill(): void {
    this.life++;
    this.running = 0;
  }

  private readonly process: Process = async (record, context) => {
    this.attempts.push({ id: record.id, second: this.second() });
    await this.clock.sleep(1000 * (this.options.attemptSeconds ?? 0.05));
    return this.options.process(record, context);
  };

  /** A clock whose sleeps never end for an invocation that was killed meanwhile. */
  private mortal(): Clock {
    const { life } = this;
    return {
      ...this.clock,
      sleep: async (milliseconds, signal) => {
        await this.clock.sleep(milliseconds, signal);
        if (life !== this.life) await new Promise(() => {});
      },
    };
  }

  private counted(): BacklogStore {
    return intercepted(this.store, async (name, call, [record]) => {
      this.requests[name] = (this.requests[name] ?? 0) + 1;
      const answer = await call();
      if (name === 'records.settle' && answer === 'settled')
        this.intake.sees(this.item((record as BacklogRecord).id));
      return answer;
    });
  }
}

export const never: Process = () => {
  throw new Error('never');
};

const SILENT = new Logger({ logLevel: 'SILENT', serviceName: 'test' });
