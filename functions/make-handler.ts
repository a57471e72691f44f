import type { Logger } from '@aws-lambda-powertools/logger';
import { boundedStore } from '../src/store/bounded-store.js';
import { DynamoDbStore } from '../src/store/index.js';
import {
  type BreakerMemory,
  type Process,
  type RunOptions,
  type RunSummary,
  type run,
  runQueues,
  together,
} from '../src/worker/index.js';
import { isIdle, isLoneSuccess } from '../src/worker/summary.js';
import { createDeps, type HandlerDeps } from './deps.js';
import { type BacklogEvent, parseEvents } from './event.js';
import type { HandlerLogger } from './handler-logger.js';
import type { LambdaContext } from './lambda-context.js';
import { lambdaHandler, once } from './lambda-handler.js';
import { attemptLogger, createLogger } from './logger.js';
import { type EmitMetrics, emitMetrics } from './metrics.js';
import { OwnedQueues } from './owned-queues.js';
import { type HandlerChoices, planRun } from './plan.js';
import { type QueueSettings, readSettings } from './settings.js';
import { untilStopped } from './stop.js';

/** A Lambda handler for a rule's event. Its result is the run's summary. */
export type BacklogLambdaHandler = (event: unknown, context: LambdaContext) => Promise<RunSummary>;

/** Everything a handler touches that tests replace. */
export interface HandlerSeams extends Partial<HandlerDeps> {
  /** A logger of your own, such as a `Logger` of Powertools. Default: one with the function's log level. */
  readonly logger?: HandlerLogger | undefined;
  /** For tests: in place of `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For tests: gets a run's summary and the table's name, in place of CloudWatch's metrics. */
  readonly emit?: EmitMetrics | undefined;
  /** For tests: in place of the run itself. */
  readonly run?: typeof run | undefined;
}

/** Picks what is done with the records of the event's queue; refuses a queue it is not for. */
export type ChooseProcess = (event: BacklogEvent & { settings: QueueSettings }) => Process;

/**
 * The run ended early because of DynamoDB, or of others. Thrown, so that the function's errors show it, cause first.
 */
class RunFailedError extends Error {
  override readonly name = 'RunFailedError';
  constructor(readonly summary: RunSummary) {
    const trouble = summary.trouble ?? TROUBLES[summary.ended];
    super(
      `the run ended early (${trouble}); what is left is due at the next run. ${JSON.stringify(summary)}`,
    );
  }
}

/** Ends of a run that fail the invocation: the event of arrivals then comes back by its on-failure destination. */
const TROUBLES: { readonly [end in RunSummary['ended']]?: string } = {
  storeError: 'DynamoDB throttled or did not answer',
  shared: 'other runs have claimed some of these arrivals',
};

export function isTrouble({ ended }: RunSummary): boolean {
  return TROUBLES[ended] !== undefined;
}

/** The one shape of all handlers: settings once per sandbox, then event, plan, run, log line and metrics. */
export function makeHandler(
  choose: ChooseProcess,
  choices: HandlerChoices,
  overrides: HandlerSeams,
): BacklogLambdaHandler {
  const { env = process.env } = overrides;
  const logger = (overrides.logger ?? createLogger()) as Logger;
  const start = once(() => {
    const settings = readSettings(env);
    const emit: EmitMetrics =
      overrides.emit ?? ((summary, table) => emitMetrics(summary, table, settings.metrics));
    const deps = {
      ...createDeps(settings, overrides, DynamoDbStore),
      breakerMemory: new Map() satisfies BreakerMemory,
    };
    return { settings, emit, deps, owned: new OwnedQueues(settings, deps, logger) };
  });

  const handle = async (input: unknown, context: LambdaContext, stop: AbortSignal): Promise<RunSummary> => {
    try {
      // An error here, and not at module load, leaves a log line everywhere.
      const { settings, emit, deps, owned } = start();
      const arn = context.invokedFunctionArn;
      const times = {
        functionTimeoutSeconds: settings.functionTimeoutSeconds,
        logsStacks: settings.logsStacks,
        deadline: deps.clock.wall() + context.getRemainingTimeInMillis(),
        now: deps.clock.now(),
      };
      const events = parseEvents(input, settings.queues);
      const store = boundedStore(deps.store, deps.clock, times.deadline);
      const isOwner = (queue: string) => owned.isOwn(store, arn, queue);
      await owned.atStart(
        store,
        arn,
        events.map(({ event }) => event.queue),
      );
      const runs = events.map(({ event, weight }) => ({
        options: {
          ...planRun(event, choices, { process: choose(event), ...times }),
          stop,
          isOwner: () => isOwner(event.queue),
        },
        weight: choices.weights?.get(event.queue) ?? weight,
      }));
      const { ready, lacking } = await prepared(runs, owned);
      if (ready.length === 0 && lacking) throw lacking;
      const summaries = await runQueues(ready, { ...deps, logger: attemptLogger(logger) }, overrides.run);
      for (const one of summaries) {
        emit(one, settings.tables.records);
        report(logger, one);
      }
      const summary = together(summaries);
      if (isTrouble(summary)) throw new RunFailedError(summary);
      const conflict = summaries.find(({ ended }) => ended === 'notOwner')?.queue;
      const missing = lacking ?? (conflict === undefined ? undefined : owned.conflict(conflict));
      if (missing) throw missing;
      return summary;
    } catch (error) {
      if (!(error instanceof RunFailedError)) logger.error('run failed', error as Error);
      throw error;
    }
  };
  return lambdaHandler(logger, (input, context) => untilStopped((stop) => handle(input, context, stop)));
}

/**
 * What a process lacks, no record pays for: its queue is left alone, and the invocation fails after the others' runs. So
 * it is with a queue of another owner, whose arrivals are indexed first.
 */
async function prepared<Run extends { readonly options: RunOptions }>(
  runs: readonly Run[],
  owned: OwnedQueues,
) {
  const lacks = new Map<Process, unknown>();
  const prepare = async (process: Process & { readonly prepare?: unknown }) => {
    try {
      if (typeof process.prepare === 'function') await process.prepare();
    } catch (error) {
      lacks.set(process, error);
    }
  };
  await Promise.all(Array.from(new Set(runs.map(({ options }) => options.process)), prepare));
  const conflict = ({ target }: RunOptions) => (target.arrivals ? undefined : owned.conflict(target.queue));
  const [lacking] = [...lacks.values(), ...runs.flatMap(({ options }) => conflict(options) ?? [])];
  const isReady = ({ options }: Run) => !lacks.has(options.process) && !conflict(options);
  return { ready: runs.filter(isReady), lacking };
}

function report(logger: Logger, summary: RunSummary): void {
  const isQuiet = (isIdle(summary) || isLoneSuccess(summary)) && !summary.caughtUp;
  logger[isTrouble(summary) ? 'error' : isQuiet ? 'debug' : 'info']('run', lineOf(summary));
}

/** Every byte of a log costs: a count of zero is left out, and so is the lane where it is named as its queue is. */
function lineOf(summary: RunSummary): Record<string, unknown> {
  const isSaid = ([name, value]: [string, unknown]) =>
    value !== 0 && !(name === 'lane' && value === summary.queue);
  return Object.fromEntries(Object.entries(summary).filter(isSaid));
}
