import type { Logger } from '@aws-lambda-powertools/logger';
import { boundedStore } from '../src/store/bounded-store.js';
import { type BacklogStore, DynamoDbStore } from '../src/store/index.js';
import { ownValue } from '../src/support/own-names.js';
import { cleanPrototypes } from '../src/support/prototypes.js';
import {
  type BreakerMemory,
  type Process,
  type RunOptions,
  type RunSummary,
  run,
  runQueues,
  together,
} from '../src/worker/index.js';
import { longAttempts } from '../src/worker/long-attempts.js';
import { createDeps } from './deps.js';
import { endIfPolluted } from './end-if-polluted.js';
import { type BacklogEvent, eventsIn, type ParsedEvent } from './event.js';
import type { LambdaContext } from './lambda-context.js';
import { once } from './lambda-handler.js';
import { attemptLogger, createLogger } from './logger.js';
import { type EmitMetrics, emitMetrics } from './metrics.js';
import { OwnedQueues } from './owned-queues.js';
import { type HandlerChoices, planQueue, planRun, type QueuePlan } from './plan.js';
import { isTrouble, RunFailedError, reportRun } from './run-report.js';
import type { ProcessSeams } from './seams.js';
import { type QueueSettings, readSettings, type Settings } from './settings.js';
import { untilStopped } from './stop.js';
import { BlockWatchdog } from './watchdog.js';

/** Picks what is done with the records of the event's queue; refuses a queue it is not for. */
export type ChooseProcess = (event: BacklogEvent & { settings: QueueSettings }) => Process;

/** A run that an event asks for, with its share among the others. */
interface Planned {
  readonly options: RunOptions;
  readonly weight: number;
}

/** One invocation. */
interface Invocation {
  readonly context: LambdaContext;
  readonly stop: AbortSignal;
  readonly store: BacklogStore;
  /** The errors of some of its queues; every other queue has its run all the same. */
  readonly failures: unknown[];
}

/**
 * The work of a function, in the order of its methods. An event becomes runs. Those of queues that are not its own, or whose
 * process lacks something, are left out. The rest take turns. Settings are read, and clients made, once per sandbox.
 */
export class QueueFunction {
  readonly logger: Logger;
  private readonly start: () => ReturnType<QueueFunction['load']>;

  constructor(
    private readonly choose: ChooseProcess,
    private readonly choices: HandlerChoices,
    private readonly seams: ProcessSeams,
  ) {
    this.logger = (seams.logger ?? createLogger()) as Logger;
    // An error is thrown by every invocation, and not when the module is loaded: so each one leaves a log line.
    this.start = once(() => this.load());
  }

  /** @throws RunFailedError for a run that ended early, and the first error of a queue's run, once all have ended */
  handle(event: unknown, context: LambdaContext): Promise<RunSummary> {
    const { stop } = this.seams;
    const act = (signal: AbortSignal) => this.runAll(event, context, signal);
    return stop ? act(stop) : untilStopped(act);
  }

  private load() {
    const { env = process.env, registers, emit, watchdog, store } = this.seams;
    const settings = readSettings(env);
    const deps = {
      ...createDeps(settings, this.seams, DynamoDbStore),
      breakerMemory: new Map() satisfies BreakerMemory,
      watchdog: watchdog ?? (store ? undefined : new BlockWatchdog()),
    };
    const owned = new OwnedQueues(settings, deps, this.logger, registers);
    const plans = new Map<string, QueuePlan>();
    return { settings, deps, owned, plans, emit: emit ?? metricsBy(settings) };
  }

  private async runAll(event: unknown, context: LambdaContext, stop: AbortSignal): Promise<RunSummary> {
    const failures: unknown[] = [];
    cleanPrototypes();
    const summaries = await this.runsOf(event, context, stop, failures).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    for (const error of failures) this.logger.error('run failed', error as Error);
    endIfPolluted(this.logger);
    if (summaries.length === 0) throw failures[0];
    const summary = together(summaries);
    if (isTrouble(summary)) throw new RunFailedError(summary);
    if (failures.length > 0) throw failures[0];
    return summary;
  }

  private async runsOf(event: unknown, context: LambdaContext, stop: AbortSignal, failures: unknown[]) {
    const { deps } = this.start();
    const deadline = deps.clock.wall() + context.getRemainingTimeInMillis();
    const store = this.seams.onLongAttempt ? deps.store : boundedStore(deps.store, deps.clock, deadline);
    const invocation = { context, stop, store, failures };
    const planned = this.plan(event, deadline, invocation);
    const owned = await this.ownOf(planned, invocation);
    const ready = await prepared(owned, failures);
    return this.run(ready, invocation);
  }

  private plan(event: unknown, deadline: number, { context, stop, failures }: Invocation): Planned[] {
    const { settings, deps } = this.start();
    const { functionTimeoutSeconds } = settings;
    const { awsRequestId: invocation } = context;
    const given = { functionTimeoutSeconds, invocation, deadline, now: deps.clock.now() };
    return eventsIn(event, settings.queues).flatMap(({ parse, weight }) => {
      try {
        const one = parse();
        const planned = planRun(one, this.planOf(one), { process: this.choose(one), ...given });
        const options = { ...planned, stop };
        const adjusted = this.seams.adjust?.(options) ?? options;
        return [{ options: adjusted, weight: this.choices.weights?.get(one.queue) ?? weight }];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
  }

  private planOf({ queue, settings: ofQueue }: ParsedEvent): QueuePlan {
    const { settings, plans } = this.start();
    const { logsStacks, logsErrorTexts, isDebugged } = settings;
    const plan =
      plans.get(queue) ?? planQueue(queue, ofQueue, this.choices, { logsStacks, logsErrorTexts, isDebugged });
    plans.set(queue, plan);
    return plan;
  }

  /** Keeps the queues of its owner, and arrivals of any queue: another owner's are indexed first. */
  private async ownOf(planned: readonly Planned[], { context, store, failures }: Invocation) {
    const { owned } = this.start();
    const { invokedFunctionArn: arn } = context;
    const queues = planned.map(({ options }) => options.target.queue);
    await owned.atStart(store, arn, queues);
    const own = planned.filter(
      ({ options: { target } }) => target.arrivals || !this.hasConflict(target.queue, failures),
    );
    return own.map(({ options, weight }) => ({
      options: { ...options, ...owned.checksOf(store, arn, options.target.queue) },
      weight,
    }));
  }

  private async run(ready: readonly Planned[], { failures }: Invocation): Promise<RunSummary[]> {
    const deps = { ...this.start().deps, logger: attemptLogger(this.logger) };
    const ended = await runQueues(ready, deps, this.runOne);
    return ended.flatMap((one) => {
      if (one.status === 'rejected') {
        failures.push(one.reason);
        return [];
      }
      if (one.value.ended === 'notOwner') this.hasConflict(one.value.queue, failures);
      return [one.value];
    });
  }

  /**
   * Makes a run, and reports it at its end: not at that of the slowest queue, which may take the function beyond its
   * timeout.
   */
  private readonly runOne: typeof run = async (options, given) => {
    const { turnsOf, onLongAttempt, run: other } = this.seams;
    const turns = turnsOf?.(options.target.queue);
    const goesOn = (queue: string, ended: Promise<RunSummary>) =>
      onLongAttempt?.(queue, ended.then(this.tell));
    const more = { ...(turns && { turns }), ...(onLongAttempt && { longAttempts: longAttempts(goesOn) }) };
    const started = (other ?? run)(options, { ...given, ...more });
    return this.tell(await started.finally(() => turns?.rest()));
  };

  private readonly tell = (summary: RunSummary): RunSummary => {
    const { emit, settings } = this.start();
    emit(summary, settings.tables.records);
    reportRun(this.logger, summary);
    return summary;
  };

  private hasConflict(queue: string, failures: unknown[]): boolean {
    const conflict = this.start().owned.conflict(queue);
    if (conflict) failures.push(conflict);
    return conflict !== undefined;
  }
}

function metricsBy({ metrics, tableAlarms, queues }: Settings): EmitMetrics {
  return (summary, table) =>
    emitMetrics(
      summary,
      table,
      metrics,
      tableAlarms ? (ownValue(queues, summary.queue)?.ownAlarms ?? []) : undefined,
    );
}

/** Queues whose `prepare()` fails are left out, so no record counts a failure. */
async function prepared(runs: readonly Planned[], failures: unknown[]): Promise<Planned[]> {
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
