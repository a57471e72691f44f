import { ConfigurationError, StoreAccessError, StoreError } from 'dynamo-backlog';
import {
  type Clock,
  isOfOneRecord,
  lanesOf,
  type QueueWeights,
  readJson,
  type StoreTypes,
  type SweepStore,
} from 'dynamo-backlog/engine';
import type { AttemptLogger } from 'dynamo-backlog/lambda';
import type { EmitMetrics } from '../../../functions/metrics.js';
import { parseQueues } from '../../../functions/settings.js';
import { loadHandlers } from './handlers.js';
import { ownerOf, registeredOtherwise, type WorkedQueue, workedQueues } from './queues.js';
import type { WorkerOptions } from './worker.js';

/** Flags of the command line that do not go into the environment. */
export interface WorkFlags
  extends Pick<WorkerOptions, 'everyMs' | 'graceSeconds' | 'attemptTimeout' | 'concurrency'> {
  /** The module, and the export where it has several: `handlers.js#orders`. */
  readonly handler: string;
  /** `--queue`, with weights. Empty: not given. */
  readonly queues: QueueWeights;
}

export interface PrepareDeps {
  readonly store: SweepStore;
  readonly clock: Clock;
  /** The variables of the process, with the flags in them. */
  readonly env: Record<string, string | undefined>;
  readonly log: AttemptLogger;
  readonly stop: AbortSignal;
  /** Makes the recipient of the metrics, for the module of that path. Undefined: the functions' own. */
  readonly emitFor: (path: string) => Promise<EmitMetrics | undefined>;
}

const RETRY_MS = 5_000;
const LOADING_MS = 10_000;

/**
 * Loads the module, looks at both tables, and puts together what the worker is to do. While DynamoDB does not answer, it
 * waits. What only a change of the configuration can help is an error.
 *
 * @throws ConfigurationError naming the flag
 * @throws StoreAccessError if a table does not exist, or may not be used
 */
export async function prepare(flags: WorkFlags, deps: PrepareDeps): Promise<WorkerOptions> {
  const { handler, queues: weights, ...rest } = flags;
  const { env, store, log } = deps;
  const isSet = env.BACKLOG_QUEUES !== undefined || env.BACKLOG_QUEUES_FILE !== undefined;
  const given = isSet ? parseQueues(readJson(env, 'BACKLOG_QUEUES')) : undefined;
  const { path, handlers } = await loaded(handler, deps);
  const emit = await deps.emitFor(path);
  const registry = await answered(() => store.registry.read(), deps).catch((error: unknown) => {
    throw isOfOneRecord(error) ? noControlTable(error as Error) : error;
  });
  const queues = workedQueues({ flags: weights, queues: given, handlers, registry });
  for (const { queue, ...both } of registeredOtherwise(queues, registry)) {
    log.warn('the queue is registered with other settings: each run follows its own', { queue, ...both });
  }
  await looksAtRecords(queues, deps);
  return { ...rest, ...environmentOf(queues, registry, env), queues, emit };
}

/** Tells that a module takes long to load, such as one that waits for a database: the process would say nothing. */
async function loaded(handler: string, { clock, log, stop }: Pick<PrepareDeps, 'clock' | 'log' | 'stop'>) {
  const settled = new AbortController();
  const over = AbortSignal.any([stop, settled.signal]);
  // The timer keeps the process alive, too: Node.js silently ends a process that only waits for a promise.
  const waiting = async () => {
    for (let seconds = LOADING_MS / 1000; ; seconds += LOADING_MS / 1000) {
      await clock.sleep(LOADING_MS, over);
      stop.throwIfAborted();
      if (settled.signal.aborted) return;
      log.warn('--handler: the module is still loading (a top-level await?)', { module: handler, seconds });
    }
  };
  const loading = loadHandlers(handler).finally(() => settled.abort());
  await Promise.race([loading, waiting()]);
  return loading;
}

function noControlTable(error: Error): ConfigurationError {
  return new ConfigurationError(
    `--control-table: expected the control table of the backlog, which is not the table of its records: ${error.message}`,
    { cause: error },
  );
}

/** A function's variables, with what was found out. */
function environmentOf(
  queues: readonly WorkedQueue[],
  registry: StoreTypes.Registry,
  env: PrepareDeps['env'],
) {
  const names = queues.map(({ name }) => name);
  const registered = queues.map(({ timeoutSeconds = 0 }) => timeoutSeconds);
  const timeoutSeconds = Math.max(Number(env.BACKLOG_FUNCTION_TIMEOUT_SECONDS), ...registered);
  const settings = Object.fromEntries(queues.map((queue) => [queue.name, queue.settings]));
  return {
    timeoutSeconds,
    env: {
      ...env,
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: String(timeoutSeconds),
      BACKLOG_OWNER: env.BACKLOG_OWNER ?? ownerOf(names, registry),
      BACKLOG_QUEUES: JSON.stringify(settings),
    },
  };
}

/** One look at the index, which costs half a read unit. */
async function looksAtRecords([first]: readonly WorkedQueue[], deps: PrepareDeps): Promise<void> {
  const [lane = ''] = lanesOf(first?.name ?? '', 0, 1);
  const until = deps.clock.now();
  await answered(() => deps.store.pages.query({ lane, until, order: 'oldestFirst', limit: 1 }), deps);
}

async function answered<Answer>(
  ask: () => Promise<Answer>,
  { clock, log, stop }: Pick<PrepareDeps, 'clock' | 'log' | 'stop'>,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isLasting = error instanceof StoreAccessError || isOfOneRecord(error);
      const isPassing = error instanceof StoreError && !isLasting;
      if (!isPassing || stop.aborted) throw error;
      log.warn('DynamoDB does not answer yet', { error: error.message });
      await clock.sleep(RETRY_MS, stop);
    }
  }
}
