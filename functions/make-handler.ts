import type { Logger } from '@aws-lambda-powertools/logger';
import { ownValue } from '../src/own-names.js';
import { cleanPrototypes, takePollution } from '../src/prototypes.js';
import { boundedStore } from '../src/store/bounded-store.js';
import { DynamoDbStore } from '../src/store/index.js';
import { show } from '../src/validation.js';
import {
  type BreakerMemory,
  type Process,
  type RunOptions,
  type RunSummary,
  run,
  runQueues,
  together,
} from '../src/worker/index.js';
import { isIdle, isLoneSuccess } from '../src/worker/summary.js';
import type { BacklogLambdaHandler } from './backlog-lambda-handler.js';
import { createDeps } from './deps.js';
import { type BacklogEvent, eventsIn } from './event.js';
import type { LambdaContext } from './lambda-context.js';
import { lambdaHandler, once } from './lambda-handler.js';
import { attemptLogger, createLogger } from './logger.js';
import { type EmitMetrics, emitMetrics } from './metrics.js';
import { OwnedQueues } from './owned-queues.js';
import { type HandlerChoices, planRun } from './plan.js';
import { type ProcessSeams, SERVES, WITH_SEAMS, type WithSeams } from './seams.js';
import { type QueueSettings, readSettings } from './settings.js';
import { untilStopped } from './stop.js';
import { BlockWatchdog } from './watchdog.js';

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
  shared: 'other runs have claimed some of these arrivals, or another region attempts them',
};

export function isTrouble({ ended }: RunSummary): boolean {
  return TROUBLES[ended] !== undefined;
}

/** The one shape of all handlers: settings once per sandbox, then event, plan, run, log line and metrics. */
export function makeHandler(
  choose: ChooseProcess,
  choices: HandlerChoices,
  overrides: ProcessSeams,
): BacklogLambdaHandler {
  const { env = process.env, adjust = (options: RunOptions) => options, registers } = overrides;
  const logger = (overrides.logger ?? createLogger()) as Logger;
  const start = once(() => {
    const settings = readSettings(env);
    const emit: EmitMetrics =
      overrides.emit ??
      ((summary, table) =>
        emitMetrics(
          summary,
          table,
          settings.metrics,
          settings.tableAlarms ? (ownValue(settings.queues, summary.queue)?.ownAlarms ?? []) : undefined,
        ));
    const deps = {
      ...createDeps(settings, overrides, DynamoDbStore),
      breakerMemory: new Map() satisfies BreakerMemory,
      watchdog: overrides.watchdog ?? (overrides.store ? undefined : new BlockWatchdog()),
    };
    return { settings, emit, deps, owned: new OwnedQueues(settings, deps, logger, registers) };
  });

  const runs = async (input: unknown, context: LambdaContext, stop: AbortSignal, failures: unknown[]) => {
    // An error here, and not at module load, leaves a log line everywhere.
    const { settings, emit, deps, owned } = start();
    const arn = context.invokedFunctionArn;
    const times = {
      functionTimeoutSeconds: settings.functionTimeoutSeconds,
      logsStacks: settings.logsStacks,
      logsErrorTexts: settings.logsErrorTexts,
      isDebugged: settings.isDebugged,
      invocation: context.awsRequestId,
      deadline: deps.clock.wall() + context.getRemainingTimeInMillis(),
      now: deps.clock.now(),
    };
    const { onLongAttempt } = overrides;
    const store = onLongAttempt ? deps.store : boundedStore(deps.store, deps.clock, times.deadline);
    const plans = eventsIn(input, settings.queues).flatMap(({ parse, weight }) => {
      try {
        const event = parse();
        const whyNotOurs = () => owned.whyNotOurs(store, arn, event.queue);
        const planned = planRun(event, choices, { process: choose(event), ...times });
        const options = adjust({ ...planned, stop, whyNotOurs });
        return [{ options, weight: choices.weights?.get(event.queue) ?? weight }];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
    await owned.atStart(
      store,
      arn,
      plans.map(({ options }) => options.target.queue),
    );
    const conflictOf = (queue: string) => {
      const conflict = owned.conflict(queue);
      if (conflict) failures.push(conflict);
      return conflict;
    };
    // Arrivals of another owner's queue are indexed first.
    const own = plans.filter(({ options: { target } }) => target.arrivals || !conflictOf(target.queue));
    const ready = await prepared(own, failures);
    // At its end, and not at that of the slowest queue, which may take the function beyond its timeout.
    const tell = (summary: RunSummary) => {
      emit(summary, settings.tables.records);
      report(logger, summary);
      return summary;
    };
    const goesOn = (queue: string, ended: Promise<RunSummary>) => onLongAttempt?.(queue, ended.then(tell));
    const runOne: typeof run = async (options, given) => {
      const turns = overrides.turnsOf?.(options.target.queue);
      const more = { ...(turns && { turns }), ...(onLongAttempt && { onLongAttempt: goesOn }) };
      const started = (overrides.run ?? run)(options, { ...given, ...more });
      return tell(await started.finally(() => turns?.rest()));
    };
    const ended = await runQueues(ready, { ...deps, logger: attemptLogger(logger) }, runOne);
    return ended.flatMap((one) => {
      if (one.status === 'fulfilled') {
        if (one.value.ended === 'notOwner') conflictOf(one.value.queue);
        return [one.value];
      }
      failures.push(one.reason);
      return [];
    });
  };

  /** What one queue of an event fails on keeps no other one from its run; the invocation fails when all have ended. */
  const handle = async (input: unknown, context: LambdaContext, stop: AbortSignal): Promise<RunSummary> => {
    const failures: unknown[] = [];
    cleanPrototypes();
    const summaries = await runs(input, context, stop, failures).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    for (const error of failures) logger.error('run failed', error as Error);
    endIfPolluted(logger);
    if (summaries.length === 0) throw failures[0];
    const summary = together(summaries);
    if (isTrouble(summary)) throw new RunFailedError(summary);
    if (failures.length > 0) throw failures[0];
    return summary;
  };
  const { stop: given } = overrides;
  const untilEnded = given ? (act: (stop: AbortSignal) => Promise<RunSummary>) => act(given) : untilStopped;
  const withSeams: WithSeams = (other) => makeHandler(choose, choices, { ...overrides, ...other(overrides) });
  return Object.defineProperties(
    lambdaHandler(logger, (input, context) => untilEnded((stop) => handle(input, context, stop))),
    { [WITH_SEAMS]: { value: withSeams }, [SERVES]: { value: choices.serves } },
  );
}

/**
 * Ends a sandbox whose objects all have had properties that some code has added: that code may have changed more. The next
 * event starts another one. What was settled by then is settled, and the leases are given back.
 */
function endIfPolluted(logger: Logger): void {
  const names = takePollution();
  if (names.length === 0) return;
  const properties = names.map(show).join(', ');
  logger.error('Object.prototype was changed during this run: the process ends, or is to be restarted', {
    properties,
  });
  // Elsewhere it is the process of a test, or of a worker.
  if (process.env.AWS_LAMBDA_RUNTIME_API !== undefined) process.exit(1);
}

/** What a process lacks, no record pays for: its queues are left alone. */
async function prepared<Run extends { readonly options: RunOptions }>(
  runs: readonly Run[],
  failures: unknown[],
): Promise<Run[]> {
  const lacking = new Set<Process>();
  const prepare = async (process: Process & { readonly prepare?: unknown }) => {
    try {
      if (typeof process.prepare === 'function') await process.prepare();
    } catch (error) {
      lacking.add(process);
      failures.push(error);
    }
  };
  await Promise.all(Array.from(new Set(runs.map(({ options }) => options.process)), prepare));
  return runs.filter(({ options }) => !lacking.has(options.process));
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
