import type { MinuteCount, QueueStatus, RuleStatus, RunReport, RunTrouble } from 'dynamo-backlog/overview';
import type { AlarmsStatus } from '../alarms/alarm-watch.js';
import type { DebuggerAddress } from '../debugging.js';
import type { ReloadNews } from '../reload/news.js';
import type { ErpState } from '../sample/sample-erp.js';
import type { Notice } from '../sandbox/function-logs.js';
import type { OutputLine } from '../sandbox/handler-output.js';
import type { LocalFunctionUrl } from '../template/local-app.js';

/** Everything that the terminal, the console and `/status.json` show. Times are the backlog's, ISO-8601. */
export interface RuntimeStatus {
  readonly startedAt: string;
  readonly now: string;
  /** Seconds of the backlog that pass in a real one while the clock is not paused. */
  readonly speed: number;
  /** The speed that was asked for, while the clock is slower: the machine cannot keep up. Absent: it is not. */
  readonly askedSpeed?: number | undefined;
  /** The backlog's time is frozen, and no rule fires. */
  readonly paused: boolean;
  /** Milliseconds that the backlog's time is ahead of the real one; negative: behind. Default: 0. */
  readonly aheadMs?: number | undefined;
  readonly endpoint: string;
  readonly statusPage: string;
  readonly app: string;
  readonly dataDir?: string | undefined;
  readonly logs: string;
  readonly tables: readonly string[];
  /**
   * Destination of records, by origin and path. Absent: none is known; the rules of this package's own app are disabled
   * then.
   */
  readonly deliverTo?: string | undefined;
  /** Ports that were taken, and the ones that were used in their place. Default: none. */
  readonly ports?: readonly TakenPort[] | undefined;
  readonly queues: readonly QueueStatus[];
  /** Time when the counts of the queues were read. Absent: they have not been read. */
  readonly countedAt?: string | undefined;
  /** Runs that are shown have ended since: a large table is counted less often. */
  readonly countsBehind: boolean;
  readonly rules: readonly RuleStatus[];
  /**
   * Runs that did something, in the order of their start. What they changed is in the counts, unless these are behind.
   */
  readonly runs: readonly RunReport[];
  /** Runs that are at work, in the order of their start. Some have ended, and are not in the counts yet. */
  readonly running: readonly RunningRun[];
  /** Runs of rules that fail or do not end. Default: none. */
  readonly troubles?: readonly RunTrouble[] | undefined;
  /** Errors that handlers threw, the newest last, each once. */
  readonly errors: readonly HandlerError[];
  /** Warnings and errors of functions, the latest last, each once. */
  readonly notices: readonly RepeatedNotice[];
  /** Lines that code of the app has written, the newest last. Default: none. */
  readonly output?: readonly OutputLine[] | undefined;
  readonly totals: RunTotals;
  /** The app's CloudWatch alarms. Absent: it has none. */
  readonly alarms?: AlarmsStatus | undefined;
  /** Addresses of debuggers, with `--inspect`. Empty: the app has no function of its own. */
  readonly debuggers?: readonly DebuggerAddress[] | undefined;
  /** URLs at which functions answer. Absent: the app has none. */
  readonly functionUrls?: readonly LocalFunctionUrl[] | undefined;
  /** Result of the last save of the app's files. Its time is the real one. */
  readonly reload?: ReloadNews | undefined;
  readonly sample?: { readonly inserted: number; readonly erp?: ErpState | undefined } | undefined;
}

/** A run that is at work. */
export interface RunningRun {
  /** Time of its start. */
  readonly at: string;
  readonly rule: string;
  readonly label: string;
  /** Real milliseconds since then. */
  readonly runningMs: number;
  /** Real milliseconds that its function may take. Absent: not known, as under a debugger. */
  readonly timeoutMs?: number | undefined;
}

/** Something that a function has logged, once or again and again. */
export interface RepeatedNotice extends Notice {
  /** Time when it last did. */
  readonly at: string;
  /** Number of times since the start. */
  readonly count: number;
}

/** Error that a handler threw. */
export interface HandlerError {
  /** Time when it last did. */
  readonly at: string;
  /** The queue, or the rule whose run it ended. */
  readonly where: string;
  readonly text: string;
  /** The record that it last failed on. Absent: it ended a whole run. */
  readonly record?: string | undefined;
  /** Places in the handler's own code, the innermost first: `at charge (src/orders.ts:12:5)`. */
  readonly stack: readonly string[];
  /** Number of times since it came up. */
  readonly count: number;
}

/** A port that another program has. */
export interface TakenPort {
  readonly port: number;
  /** The one that is used in its place. */
  readonly instead: number;
  /** `another dynamo-backlog (process 123, /path/of/the/app)`, or `another program`. */
  readonly by: string;
}

/** Content of `/activity.json`, for the overview in a terminal. */
export interface RuntimeActivity {
  /** Minutes of each queue, the oldest first: the last two hours, without the minutes in which no attempt ended. */
  readonly minutes: Readonly<Record<string, readonly MinuteCount[]>>;
  /** Newest firing of each rule, also one that found nothing to do. */
  readonly lastRuns: Readonly<Record<string, RunReport>>;
}

/** The totals of a start. */
export const NO_RUNS: RunTotals = {
  runs: 0,
  attempted: 0,
  succeeded: 0,
  failed: 0,
  dead: 0,
  snoozed: 0,
  pending: 0,
  cancelled: 0,
  unsettled: 0,
  broken: 0,
  late: 0,
  givenUp: 0,
};

/** Sums over all runs since the start. */
export interface RunTotals {
  readonly runs: number;
  readonly attempted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dead: number;
  readonly snoozed: number;
  readonly pending: number;
  readonly cancelled: number;
  readonly unsettled: number;
  /** Invocations that ended badly. */
  readonly broken: number;
  readonly late: number;
  readonly givenUp: number;
}
