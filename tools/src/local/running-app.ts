import { toIso } from 'dynamo-backlog/engine';
import type { AlarmWatch } from './alarms/alarm-watch.js';
import { functionsAtWork } from './app-queues.js';
import { CurrentApp } from './current-app.js';
import { type FunctionsOptions, startFunctions } from './functions.js';
import { Scheduler } from './schedule/scheduler.js';
import type { RunLog } from './status/run-log.js';
import { detailsOf, reportRun } from './status/run-report.js';
import type { LocalApp, LocalRule } from './template/local-app.js';

export type RunningApp = Awaited<ReturnType<typeof startApp>>;

export interface RunningAppOptions extends Omit<FunctionsOptions, 'onMetrics'> {
  readonly log: Pick<RunLog, 'start'>;
  readonly alarms: AlarmWatch;
}

/** Starts what follows the app: its functions, what starts them, and its rules. No rule fires yet. */
export async function startApp(options: RunningAppOptions) {
  const { app, time, closers, log, alarms, onReport } = options;
  const current = new CurrentApp(app);
  const functions = await startFunctions({ ...options, onMetrics: (metrics) => alarms.add(metrics) });
  const { host, streams } = functions;

  const fire = async ({ id, label, functionName, event }: LocalRule, coalesced: number) => {
    const at = toIso(time.clock.now());
    const startedAt = performance.now();
    const ended = log.start({ at, rule: id, label });
    const invocation = await functions.invoke(functionName, event);
    ended();
    const durationMs = performance.now() - startedAt;
    onReport(reportRun({ at, rule: id, label, coalesced, durationMs, invocation }), detailsOf(invocation));
  };
  const scheduler = new Scheduler({
    rules: app.rules,
    time,
    fire: ({ rule, coalesced }) => fire(rule, coalesced),
  });
  closers.add(() => scheduler.stop());

  return {
    current,
    host,
    streams,
    call: functions.call,
    get debuggers() {
      return functions.debuggers;
    },
    scheduler,
    /** Fires the rule of this id now, if there is one. */
    async fireRule(id: string): Promise<void> {
      const rule = current.app.rules.find((one) => one.id === id);
      if (rule) await fire(rule, 0);
    },
    /** Opens a sandbox for each function that is needed first. Resolves when they are loaded. */
    warm: () => host.warm(functionsAtWork(current.app)),
    /** Prepares what `run` needs. @throws ConfigurationError if a debugger finds no port */
    prepare: (next: LocalApp) => functions.prepare(next),
    /** Runs this app from now on: records, messages and phases are kept, and what is at work ends as it began. */
    run(next: LocalApp): void {
      current.set(next);
      functions.replace(next);
      scheduler.replace(next.rules);
      alarms.replace(next.alarms);
    },
    /** Starts nothing any more; what runs may finish in `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      scheduler.stop();
      await functions.stop(graceMs);
    },
  };
}
