import type { Logger } from '@aws-lambda-powertools/logger';
import { boundedStore } from '../src/store/bounded-store.js';
import { DynamoDbStore } from '../src/store/index.js';
import { frozenLogger } from '../src/support/logger.js';
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
import { createDeps } from './deps.js';
import { type BacklogEvent, eventsIn } from './event.js';
import type { LambdaContext } from './lambda-context.js';
import { once } from './lambda-handler.js';
import { createLogger } from './logger.js';
import { type EmitMetrics, emitMetrics } from './metrics.js';
import { OwnedQueues } from './owned-queues.js';
import { type HandlerChoices, planQueue, planRun, type QueuePlan } from './plan.js';
import { isTrouble, RunFailedError, reportRun } from './run-report.js';
import type { ProcessSeams } from './seams.js';
import { type QueueSettings, readSettings, type Settings } from './settings.js';
import { endIfPolluted, untilStopped } from './stop.js';
import { BlockWatchdog } from './watchdog.js';

/** Picks what is done with the records of the event's queue; refuses a queue it is not for. */
export type ChooseProcess = (event: BacklogEvent & { settings: QueueSettings }) => Process;

/** A run that an event asks for, with its share among the others. */
interface Planned {
  readonly options: RunOptions;
  readonly weight: number;
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
    if (stop) return this.runAll(event, context, stop);
    return untilStopped((signal) => this.runAll(event, context, signal));
  }

  private load() {
    const { env = process.env, registers, emit, watchdog, store } = this.seams;
    const settings = readSettings(env);
    const deps = {
      ...createDeps(settings, this.seams, DynamoDbStore),
      logger: frozenLogger(this.logger),
      breakerMemory: new Map() satisfies BreakerMemory,
      failingMemory: new Map(),
      keyMemory: new Map(),
      watchdog: watchdog ?? (store ? undefined : new BlockWatchdog()),
    };
    const looksUp = settings.owner !== undefined || registers === false;
    const owned = looksUp ? new OwnedQueues(settings, deps, this.logger, registers) : undefined;
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
    const { deps, owned } = this.start();
    const { invokedFunctionArn: arn } = context;
    const deadline = deps.clock.wall() + context.getRemainingTimeInMillis();
    const store = this.seams.longAttempts ? deps.store : boundedStore(deps.store, deps.clock, deadline);
    const planned = this.plan(event, context, { deadline, stop }, failures);
    const queues = planned.map(({ options }) => options.target.queue);
    await owned?.atStart(store, arn, queues);
    // Arrivals of any queue are kept: another owner's are indexed first.
    const own = planned.filter(
      ({ options: { target } }) => target.arrivals || !this.hasConflict(target.queue, failures),
    );
    const ready = (await prepared(own, failures)).map(({ options, weight }) => ({
      options: { ...options, ...owned?.checksOf(store, arn, options.target.queue) },
      weight,
    }));
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

  private plan(
    event: unknown,
    { awsRequestId: invocation }: LambdaContext,
    { deadline, stop }: { readonly deadline: number; readonly stop: AbortSignal },
    failures: unknown[],
  ): Planned[] {
    const { settings, deps, plans } = this.start();
    const { functionTimeoutSeconds } = settings;
    const given = { functionTimeoutSeconds, invocation, deadline, now: deps.clock.now() };
    return eventsIn(event, settings.queues).flatMap(({ parse, weight }) => {
      try {
        const one = parse();
        const { queue } = one;
        const plan = plans.get(queue) ?? planQueue(queue, one.settings, this.choices, settings);
        plans.set(queue, plan);
        const options = { ...planRun(one, plan, { process: this.choose(one), ...given }), stop };
        const adjusted = this.seams.adjust?.(options) ?? options;
        return [{ options: adjusted, weight: this.choices.weights?.get(queue) ?? weight }];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
  }

  /**
   * Makes a run, and reports it at its end: not at that of the slowest queue, which may take the function beyond its
   * timeout.
   */
  private readonly runOne: typeof run = async (options, given) => {
    const { turnsOf, longAttempts, run: other } = this.seams;
    const turns = turnsOf?.(options.target.queue);
    const more = { ...(turns && { turns }), ...(longAttempts && { longAttempts: longAttempts(this.tell) }) };
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
    const conflict = this.start().owned?.conflict(queue);
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
  const processes = new Map<Process & { readonly prepare?: unknown }, RunOptions>(
    runs.map(({ options }) => [options.process, options]),
  );
  const all = [...processes].map(async ([process, options]) => {
    try {
      if (typeof process.prepare === 'function') await process.prepare(options);
    } catch (error) {
      lacking.add(process);
      failures.push(error);
    }
  });
  await Promise.all(all);
  return runs.filter(({ options }) => !lacking.has(options.process));
}
