import { setMaxListeners } from 'node:events';
import {
  areEqual,
  type Clock,
  longAttempts,
  PageTurns,
  type Random,
  type RunSummary,
} from 'dynamo-backlog/engine';
import type { AttemptLogger } from 'dynamo-backlog/lambda';
import type { EmitMetrics } from '../../../functions/metrics.js';
import { type Invoked, invokeWith, type ProcessSeams } from '../../../functions/seams.js';
import { BlockWatchdog } from '../../../functions/watchdog.js';
import type { Health } from './health.js';
import { type Job, jobsOf } from './jobs.js';
import { errorLine } from './log.js';
import { LongAttempts } from './long-attempts.js';
import type { WorkedQueue } from './queues.js';
import { repeat } from './repeat.js';

/** Options of a worker. */
export interface WorkerOptions {
  readonly queues: readonly WorkedQueue[];
  /** The environment, as a function has it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Time between looks at a queue that retries per record. */
  readonly everyMs: number;
  /** The longest time of a run. */
  readonly timeoutSeconds: number;
  /** The time that attempts have to end by themselves once the process is to end. */
  readonly graceSeconds: number;
  /** Replaces the `attemptTimeout` of settings and code. */
  readonly attemptTimeout?: number | undefined;
  /** Replaces the concurrency of settings and code. */
  readonly concurrency?: number | undefined;
  /** The recipient of the metrics. Default: the metrics of a function, on stdout. */
  readonly emit?: EmitMetrics | undefined;
}

export interface WorkerDeps extends Pick<ProcessSeams, 'store' | 'logger'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly stop: AbortSignal;
  readonly health: Health;
  /** The log for what no handler logs. */
  readonly log?: AttemptLogger | undefined;
}

/** A queue's settings or code are wrong, as its very first run has found. */
export class FirstRunError extends Error {}

/**
 * Works on queues until the process is to end: each job makes the runs that a rule would start, by the handler that a
 * function would have.
 *
 * @throws FirstRunError if a queue's first run shows that it is configured wrongly
 */
export async function workOn(options: WorkerOptions, deps: WorkerDeps): Promise<void> {
  const { queues, everyMs, timeoutSeconds } = options;
  const { health } = deps;
  const failed = new AbortController();
  const stop = AbortSignal.any([deps.stop, failed.signal]);
  // All jobs and attempts listen to this signal.
  setMaxListeners(0, stop, deps.stop);
  const invokers = invokersOf(options, { ...deps, stop });
  const jobs = queues.flatMap((queue) => jobsOf(queue, everyMs, timeoutSeconds));
  let wrong: Error | undefined;
  const hadRun = new Set<string>();
  const run = async (job: Job, invoke: Invoke) => {
    health.begins(job);
    try {
      const { summary } = await invoke(job);
      health.ends(job, summary ?? { ended: 'byMiddleware' });
      hadRun.add(job.queue);
      return summary ?? NO_RUN;
    } catch (error) {
      health.fails(job, reasonOf(error));
      // The name decides, not the class: the user's module may have its own copy of this package.
      const { name, maySettle = false } = error as { name?: string; maySettle?: boolean };
      if (name === 'ConfigurationError' && !maySettle && !hadRun.has(job.queue)) {
        wrong ??= new FirstRunError((error as Error).message, { cause: error });
        failed.abort();
      }
      throw error;
    }
  };
  for (const job of jobs) health.watch(job);
  const { long } = invokers;
  await Promise.all(
    jobs.map((job) => {
      const invoke = invokers.of.get(job.queue) as Invoke;
      const mayRun = () => long.leavesRoom(job.queue);
      return repeat(job, { ...deps, stop, mayRun, run: (one) => run(one, invoke) });
    }),
  );
  // Long attempts have got the signal to end as well.
  await long.ended();
  if (wrong) throw wrong;
}

type Invoke = (job: Job) => Promise<Invoked>;

/** The end of a run that a middleware has prevented: the next look comes as after a run that found nothing. */
const NO_RUN = { ended: 'drained', attempted: 0 } as const;

/** The functions that invoke each queue's handler, with what this process hands it. */
function invokersOf(options: WorkerOptions, deps: WorkerDeps) {
  const long = new LongAttempts();
  const seams = seamsOf(options, deps, long);
  const replace = () => seams;
  const { clock, log } = deps;
  const of = new Map<string, Invoke>(
    options.queues.map(({ name, handler: { handler } }) => {
      const onOuterError = (error: unknown) =>
        log?.error('a middleware failed', { queue: name, ...errorLine(error) });
      const invoke = ({ event }: Job) => {
        const endsAt = clock.wall() + options.timeoutSeconds * 1000;
        const context = { getRemainingTimeInMillis: () => endsAt - clock.wall() };
        return invokeWith(handler, event, context, replace, { onOuterError });
      };
      return [name, invoke] as const;
    }),
  );
  return { of, long };
}

function seamsOf(
  options: WorkerOptions,
  { store, logger, clock, random, stop }: WorkerDeps,
  long: LongAttempts,
): ProcessSeams {
  const { queues, env, emit, everyMs, graceSeconds, attemptTimeout, concurrency } = options;
  const turns = turnsOf(queues, random);
  return {
    ...(store && { store, clock }),
    ...(logger && { logger }),
    // A blocked loop stops all queues.
    ...(!store && { watchdog: new BlockWatchdog(true) }),
    ...(emit && { emit }),
    env,
    stop,
    registers: false,
    turnsOf: (queue) => turns?.of(queue),
    longAttempts: (tell) => longAttempts((queue, ended) => long.add(queue, ended.then(tell))),
    adjust: ({ limits, tickSeconds, ...rest }) => ({
      ...rest,
      // A progressive queue keeps to its tiers.
      tickSeconds: rest.target.band ? tickSeconds : everyMs / 1000,
      stopGraceSeconds: graceSeconds,
      limits: {
        ...limits,
        ...(attemptTimeout === undefined ? {} : { attemptTimeout }),
        concurrency: long.roomOf(rest.target.queue, concurrency ?? limits.concurrency),
      },
    }),
  };
}

/** Queues of different weights take turns for as long as the process lives; one that has no run under way rests. */
function turnsOf(queues: readonly WorkedQueue[], random: Random): PageTurns | undefined {
  const weights = new Map(queues.map(({ name, weight }) => [name, weight]));
  if (areEqual(weights)) return undefined;
  const turns = new PageTurns(weights, random);
  for (const name of weights.keys()) turns.of(name).rest();
  return turns;
}

function reasonOf(error: unknown): string {
  const { summary, message } = error as { summary?: RunSummary; message?: string };
  return summary?.trouble ?? message ?? String(error);
}
