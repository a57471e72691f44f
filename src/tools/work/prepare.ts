import type { EmitMetrics } from '../../../functions/metrics.js';
import { parseQueues } from '../../../functions/settings.js';
import type { Clock } from '../../clock.js';
import type { AttemptLogger } from '../../logger.js';
import { lanesOf } from '../../record/index.js';
import { readJson } from '../../settings-file.js';
import { type Registry, StoreAccessError, StoreError, type SweepStore } from '../../store/index.js';
import type { QueueWeights } from '../../worker/index.js';
import { loadHandlers } from './handlers.js';
import { ownerOf, type WorkedQueue, workedQueues } from './queues.js';
import type { WorkerOptions } from './worker.js';

/** What a user says on the command line, beside what goes into the environment. */
export interface WorkFlags
  extends Pick<WorkerOptions, 'everyMs' | 'graceSeconds' | 'attemptTimeout' | 'concurrency'> {
  /** The module, and the export where it has several: `handlers.js#orders`. */
  readonly handler: string;
  /** With weights. Empty: not given. */
  readonly queues: QueueWeights;
}

export interface PrepareDeps {
  readonly store: SweepStore;
  readonly clock: Clock;
  /** The process's own: the flags are in it. */
  readonly env: Record<string, string | undefined>;
  readonly log: AttemptLogger;
  readonly stop: AbortSignal;
  /** Makes what takes the metrics, for the module of that path. Undefined: the functions' own. */
  readonly emitFor: (path: string) => Promise<EmitMetrics | undefined>;
}

const RETRY_MS = 5_000;

/**
 * Loads the module, looks at both tables, and puts together what the worker is to do. While DynamoDB does not answer, it
 * waits. What only a change of the configuration can help is an error.
 *
 * @throws ConfigurationError naming the flag
 * @throws StoreAccessError if a table does not exist, or may not be used
 */
export async function prepare(flags: WorkFlags, deps: PrepareDeps): Promise<WorkerOptions> {
  const { handler, queues: weights, ...rest } = flags;
  const { env, store } = deps;
  const { path, handlers } = await loadHandlers(handler);
  const emit = await deps.emitFor(path);
  const registry = await answered(() => store.readRegistry(), deps);
  const isSet = env.BACKLOG_QUEUES !== undefined || env.BACKLOG_QUEUES_FILE !== undefined;
  const given = isSet ? parseQueues(readJson(env, 'BACKLOG_QUEUES')) : undefined;
  const queues = workedQueues({ flags: weights, queues: given, handlers, registry });
  await looksAtRecords(queues, deps);
  return { ...rest, ...environmentOf(queues, registry, env), queues, emit };
}

/** A function's variables, with what was found out. */
function environmentOf(queues: readonly WorkedQueue[], registry: Registry, env: PrepareDeps['env']) {
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
  await answered(() => deps.store.queryDue({ lane, until, order: 'oldestFirst', limit: 1 }), deps);
}

async function answered<Answer>(
  ask: () => Promise<Answer>,
  { clock, log, stop }: Pick<PrepareDeps, 'clock' | 'log' | 'stop'>,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = error instanceof StoreError && !(error instanceof StoreAccessError);
      if (!isPassing || stop.aborted) throw error;
      log.warn('DynamoDB does not answer yet', { error: error.message });
      await clock.sleep(RETRY_MS, stop);
    }
  }
}
