import '../loaded-limits.js';
import { type RetryPolicy, resolvePolicy, type TierBand } from '../../src/policies/index.js';
import type { RetryMode } from '../../src/record/index.js';
import type { BacklogStore } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import type { KeyMemory } from '../../src/worker/guards/busy-keys.js';
import {
  type Arrivals,
  type BreakerChoice,
  type BreakerMemory,
  type DestinationOf,
  type FailingMemory,
  type HistoryOptions,
  historyLimits,
  type Process,
  type RetryFunction,
  type RunOptions,
  type RunSummary,
  redactionOf,
  resolveBreaker,
  retryDecider,
  run,
  type Watchdog,
} from '../../src/worker/index.js';
import { longAttempts } from '../../src/worker/long-attempts.js';
import type { QueueTurns } from '../../src/worker/page-turns.js';
import { seededRandom } from '../simulation/random.js';
import { storeForTest, type TestStore } from '../store/test-store.js';

export const START = Date.parse('2026-03-01T00:00:00.000Z');
const FUNCTION_TIMEOUT_SECONDS = 300;

/** One queue `q` on virtual time; in memory, or on DynamoDB Local in `npm run test:dynamodb-local`. */
export class Harness {
  readonly time: VirtualTime = new VirtualTime(START, () => this.quiet());
  readonly clock = this.time.clock();
  readonly store: TestStore;
  readonly warnings: string[] = [];
  /** Lines of failed attempts and of dead records: those with a status. */
  readonly failures: Record<string, unknown>[] = [];
  private readonly random = seededRandom(1);
  private readonly quiet: () => Promise<void>;

  constructor() {
    const { store, quiet } = storeForTest(this.clock);
    this.store = store;
    this.quiet = quiet;
  }

  put(id: string, attributes: Record<string, unknown> = {}): void {
    const at = new Date(this.time.now).toISOString();
    this.store.put({
      id,
      status: 'NEW',
      queue: 'q',
      payload: {},
      insertedAt: at,
      lane: 'q',
      dueAt: String(attributes.insertedAt ?? at),
      rev: 'inserted',
      ...attributes,
    });
  }

  item(id: string): Record<string, unknown> {
    const found = this.store.items().find((item) => item.id === id);
    if (!found) throw new Error(`no item ${id}`);
    return found;
  }

  statuses(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status } of this.store.items()) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
    return counts;
  }

  /** Starts a run; `time` must be moved for it to get on. */
  start(process: Process, options: RunChoices = {}): Promise<RunSummary> {
    const {
      queue = 'q',
      retryFunction,
      retryQueue,
      deadOn,
      decisionsFor,
      history = {},
      knows,
      band,
      catchUp,
      retryMode,
      arrivals,
      firstBand,
      retry,
      store = this.store,
      deadlineSeconds = FUNCTION_TIMEOUT_SECONDS,
      breaker,
      destination,
      breakers,
      lanes,
      part,
      shards,
      fairness,
      busyLanes,
      keys,
      turns,
      stop,
      ownershipConflict,
      isPassive,
      invocation,
      exactSince,
      watchdog,
      onLongAttempt,
      failingMemory,
      ...limits
    } = options;
    const defaultPolicy: RetryPolicy = band
      ? { type: 'progressive' }
      : { type: 'constant', interval: 60, jitter: 'none' };
    return run(
      {
        target: {
          queue,
          lane: queue,
          band,
          catchUp,
          retryMode,
          arrivals,
          firstBand,
          lanes,
          part,
          shards,
          fairness,
          busyLanes,
          exactSince,
        },
        process,
        policy: resolvePolicy(retry ?? defaultPolicy),
        retryDecider: retryFunction && retryDecider(retryFunction),
        retryQueue,
        deadOn,
        decisionsFor,
        history: historyLimits(history),
        redaction: redactionOf(history),
        logsErrorTexts: history.redact !== undefined,
        knows,
        // One look, and not what comes behind it: test/schedules has runs that stay.
        limits: { concurrency: 10, attemptTimeout: 30, ...limits },
        breaker: resolveBreaker(breaker),
        destination,
        stop,
        ownershipConflict,
        isPassive,
        invocation,
        deadline: this.clock.wall() + deadlineSeconds * 1000,
        functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
        tickSeconds: 60,
      },
      {
        store,
        clock: this.clock,
        random: this.random,
        breakerMemory: breakers,
        failingMemory,
        keyMemory: keys,
        ...(turns && { turns }),
        watchdog,
        ...(onLongAttempt && { longAttempts: longAttempts(onLongAttempt) }),
        logger: {
          debug() {},
          info() {},
          warn: (text, more) => this.note('WARN', text, more),
          error: (text, more) => this.note('ERROR', text, more),
        },
      },
    );
  }

  private note(level: string, message: string, more: Record<string, unknown> = {}): void {
    if ('status' in more || message === 'more attempts failed')
      this.failures.push({ level, message, ...more });
    else this.warnings.push(message);
  }

  run(process: Process, options: RunChoices = {}): Promise<RunSummary> {
    return this.time.until(this.start(process, options));
  }

  async pass(seconds: number): Promise<void> {
    await this.time.runUntil(this.time.now + seconds * 1000);
  }

  sleep(seconds: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(seconds * 1000, signal);
  }
}

type Decisions =
  | 'retryQueue'
  | 'deadOn'
  | 'decisionsFor'
  | 'knows'
  | 'ownershipConflict'
  | 'isPassive'
  | 'invocation';

export type RunChoices = Partial<RunOptions['limits']> &
  Partial<Pick<RunOptions, Decisions>> & {
    readonly queue?: string;
    readonly exactSince?: number;
    readonly retryFunction?: RetryFunction;
    readonly history?: HistoryOptions;
    readonly band?: TierBand;
    readonly catchUp?: readonly TierBand[];
    readonly retryMode?: RetryMode;
    readonly arrivals?: Arrivals;
    readonly firstBand?: TierBand | undefined;
    readonly retry?: RetryPolicy;
    readonly store?: BacklogStore;
    readonly deadlineSeconds?: number;
    readonly breaker?: BreakerChoice;
    readonly destination?: DestinationOf;
    readonly lanes?: readonly string[];
    /** The number of this run among those that share the queue's lanes. */
    readonly part?: number;
    readonly shards?: number;
    readonly fairness?: boolean;
    readonly busyLanes?: readonly string[];
    /** The keys that the process remembers. Default: each run is a process of its own. */
    readonly keys?: KeyMemory;
    /** The turns of the queue among others. Default: it is the only one. */
    readonly turns?: QueueTurns;
    readonly stop?: AbortSignal;
    /** Attempts of more than a minute go on without their run. */
    readonly onLongAttempt?: (queue: string, ended: Promise<RunSummary>) => void;
    readonly watchdog?: Watchdog;
    /** The breakers that the process remembers. Default: each run is a process of its own. */
    readonly breakers?: BreakerMemory;
    readonly failingMemory?: FailingMemory;
  };

/** The due time that a wait of a policy is stored with, which begins so many seconds after the start. */
export function due(waitSeconds: number, failedAtSeconds = 0): string {
  const at = START + failedAtSeconds * 1000;
  return new Date(
    at + (waitSeconds < 60 ? waitSeconds * 1000 + 1 : waitSeconds * 1000 - 30_000),
  ).toISOString();
}

export const succeed: Process = () => {};
export const fail: Process = () => {
  throw new Error('as always');
};

export const YOUNG: TierBand = {
  number: 1,
  every: 300,
  fromAge: 0,
  untilAge: 86_400,
  last: false,
};
