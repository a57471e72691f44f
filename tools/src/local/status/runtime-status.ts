import { toIso, withoutUrlSecrets } from 'dynamo-backlog/engine';
import { type QueueStatus, type RuleStatus, type RunReport, Serving } from 'dynamo-backlog/overview';
import type { AlarmWatch } from '../alarms/alarm-watch.js';
import type { AppQueue } from '../app-queues.js';
import type { DebuggerAddress } from '../debugging.js';
import type { StatusCounts } from '../emulator.js';
import type { SampleErp } from '../sample/sample-erp.js';
import type { SampleShop } from '../sample/sample-shop.js';
import type { Scheduler } from '../schedule/scheduler.js';
import type { Timekeeper } from '../schedule/timekeeper.js';
import type { LocalApp, LocalRule } from '../template/local-app.js';
import { queuesOf } from '../template/target.js';
import type { RunLog } from './run-log.js';
import { runTroubles } from './run-troubles.js';
import type { RunningRun, RuntimeStatus, TakenPort } from './status.js';

export interface RuntimeStatusDeps {
  readonly app: LocalApp;
  readonly appName: string;
  readonly queues: readonly AppQueue[];
  /** Tables that hold records. */
  readonly tables: readonly string[];
  readonly deliverTo: string | undefined;
  readonly dynamodb: string;
  readonly page: string;
  readonly ports: readonly TakenPort[];
  readonly dataDir: string | undefined;
  readonly logs: string;
  readonly time: Timekeeper;
  readonly scheduler: Pick<Scheduler, 'nextOf'>;
  readonly alarms: Pick<AlarmWatch, 'status'>;
  readonly log: RunLog;
  readonly shop: SampleShop | undefined;
  readonly erp: SampleErp | undefined;
  readonly debuggers: readonly DebuggerAddress[] | undefined;
}

/** A run that has ended is shown after this real time, though its effect has not been counted. */
const COUNTED_WITHIN_MS = 1_000;

/** Puts together what a runtime shows of itself. */
export class RuntimeStatusView {
  readonly #parts: RuntimeStatusDeps;
  /** Counts by table. */
  #counts: ReadonlyMap<string, StatusCounts> = new Map();
  #countedAt: string | undefined;
  /** Number of runs that had ended when the count began. */
  #counted = 0;
  #counting = { at: '', runs: 0 };

  constructor(deps: RuntimeStatusDeps) {
    this.#parts = deps;
  }

  /** A count begins: it has the effect of the runs that have ended by now. */
  countBegins(): void {
    this.#counting = { at: toIso(this.#parts.time.clock.now()), runs: this.#parts.log.added };
  }

  /** Sets the result of the count that has begun. */
  setCounts(counts: ReadonlyMap<string, StatusCounts>): void {
    this.#counts = counts;
    this.#countedAt = this.#counting.at;
    this.#counted = this.#counting.runs;
  }

  status(): RuntimeStatus {
    const {
      app,
      appName,
      tables,
      deliverTo,
      dynamodb,
      page,
      ports,
      dataDir,
      logs,
      time,
      log,
      shop,
      erp,
      debuggers,
    } = this.#parts;
    const now = time.clock.now();
    const rules = app.rules.map((rule) => this.#rule(rule));
    const runs = this.#runs();
    return {
      startedAt: toIso(time.startedAt),
      now: toIso(now),
      aheadMs: now - time.clock.wall(),
      speed: time.setting.speed,
      paused: time.setting.paused === true,
      endpoint: dynamodb,
      statusPage: page,
      ...(dataDir === undefined ? {} : { dataDir }),
      logs,
      tables,
      ...(deliverTo === undefined ? {} : { deliverTo: withoutUrlSecrets(deliverTo) }),
      app: withoutUrlSecrets(appName),
      ...(ports.length > 0 ? { ports } : {}),
      queues: this.#queues(),
      ...(this.#countedAt === undefined ? {} : { countedAt: this.#countedAt }),
      rules,
      ...runs,
      troubles: runTroubles(rules, runs.running, (id) => log.lastOf(id)),
      errors: log.errors.current,
      notices: log.notices,
      output: log.output,
      totals: log.totals,
      ...this.#alarms(),
      ...(debuggers === undefined ? {} : { debuggers }),
      ...(app.functionUrls.length > 0 ? { functionUrls: app.functionUrls } : {}),
      ...(shop || erp ? { sample: { inserted: shop?.inserted ?? 0, erp: erp?.state } } : {}),
    };
  }

  /** A run is shown as ended together with the counts that have its effect: neither is behind the other. */
  #runs(): Pick<RuntimeStatus, 'runs' | 'running' | 'countsBehind'> {
    const { log } = this.#parts;
    const now = performance.now();
    const runs: RunReport[] = [];
    const uncounted: RunningRun[] = [];
    let countsBehind = false;
    for (const run of log.runs) {
      const end = log.endOf(run);
      const isCounted = end.number <= this.#counted;
      if (isCounted || now - end.at > COUNTED_WITHIN_MS) {
        runs.push(run);
        countsBehind ||= !isCounted;
      } else {
        const { at, rule, label, durationMs } = run;
        uncounted.push({ at, rule, label, runningMs: durationMs });
      }
    }
    const working = log.running.map((run) => ({ ...run, ...this.#timeoutOf(run.rule) }));
    return {
      runs: runs.sort(byStart),
      running: [...uncounted, ...working].sort(byStart),
      countsBehind,
    };
  }

  /** A function under a debugger may take as long as it likes. */
  #timeoutOf(id: string): Pick<RunningRun, 'timeoutMs'> {
    const { app, debuggers = [] } = this.#parts;
    const { functionName } = app.rules.find((rule) => rule.id === id) ?? {};
    const lambda = app.functions.find(({ name }) => name === functionName);
    const isDebugged = debuggers.some((one) => one.functionName === functionName);
    return lambda && !isDebugged ? { timeoutMs: lambda.timeoutSeconds * 1000 } : {};
  }

  #alarms(): Pick<RuntimeStatus, 'alarms'> {
    const alarms = this.#parts.alarms.status();
    return alarms.watched + alarms.unknown.length === 0 ? {} : { alarms };
  }

  #rule({ id, label, expression, timeZone, enabled, event }: LocalRule): RuleStatus {
    const next = this.#parts.scheduler.nextOf(id);
    return {
      id,
      label,
      expression,
      queues: queuesOf(event),
      ...tierOf(event),
      ...(timeZone === undefined ? {} : { timeZone }),
      enabled,
      ...(next === undefined ? {} : { nextAt: toIso(next) }),
      ...this.#parts.log.ofRule(id),
    };
  }

  /** The app's queues, and those that records name though the app has none of that name. */
  #queues(): QueueStatus[] {
    const { queues, tables } = this.#parts;
    return tables.flatMap((table) => {
      const counts = this.#counts.get(table) ?? new Map<string, Record<string, number>>();
      const known = queues.filter((queue) => queue.table === table);
      const serving = new Serving({ app: known.map(({ name }) => name) });
      const names = new Set([...known.map(({ name }) => name), ...counts.keys()]);
      return [...names].map((name): QueueStatus => {
        const own = known.find((queue) => queue.name === name);
        const next = this.#nextRun(name);
        const { NEW = 0, ERROR = 0, SUCCESS = 0, DEAD = 0, ...others } = counts.get(name) ?? {};
        const misspelt = Object.values(others).reduce((sum, count) => sum + count, 0);
        return {
          name,
          retryMode: own?.retryMode,
          ...(serving.isUnserved(name) ? { unserved: true } : {}),
          policy: own?.policy,
          table,
          // A status that is none counts as NEW: that is how a run reads it.
          NEW: NEW + misspelt,
          ERROR,
          SUCCESS,
          DEAD,
          ...(next === undefined ? {} : { nextRunAt: toIso(next) }),
        };
      });
    });
  }

  #nextRun(queue: string): number | undefined {
    const times = this.#parts.app.rules
      .filter(({ event }) => queuesOf(event).includes(queue))
      .map(({ id }) => this.#parts.scheduler.nextOf(id))
      .filter((next) => next !== undefined);
    return times.length > 0 ? Math.min(...times) : undefined;
  }
}

/** Compares by start. Two of the same time keep their order. */
function byStart(one: { readonly at: string }, other: { readonly at: string }): number {
  return one.at < other.at ? -1 : one.at > other.at ? 1 : 0;
}

function tierOf(event: unknown): { readonly tier?: number } {
  const { tier } = (typeof event === 'object' && event !== null ? event : {}) as {
    tier?: { number?: unknown };
  };
  return typeof tier?.number === 'number' ? { tier: tier.number } : {};
}
