import type { RetryMode } from '../record/index.js';
import type { RunSummary } from '../worker/index.js';

/** Facts that a local runtime has of its backlog beside the tables. */
export interface RuntimeKnowledge {
  /** The queues and rules as they are now. */
  status(): QueuesAndRules;
  /** Attempts of one queue by minute, of the last two hours. Minutes without an attempt are left out. */
  minutesOf(queue: string): readonly MinuteCount[];
  /** The last run of a rule. Undefined: the rule has not fired since the start. */
  lastRunOf(rule: string): RunReport | undefined;
}

/** Queues and rules of a local runtime. */
export interface QueuesAndRules {
  /** The queues of the app, and others that records name. */
  readonly queues: readonly QueueStatus[];
  /** The rules of the app. */
  readonly rules: readonly RuleStatus[];
  /** Runs of rules that fail or do not end. Default: none is known. */
  readonly troubles?: readonly RunTrouble[] | undefined;
  /** The speed of the clock that was asked for, while it is slower: the machine cannot keep up. Default: it is not. */
  readonly askedSpeed?: number | undefined;
}

/** Queue of a local runtime, with its records by status. */
export interface QueueStatus {
  /** Its name. */
  readonly name: string;
  /** Absent if records name a queue that the app does not have. */
  readonly retryMode?: RetryMode | undefined;
  /** The app has no queue of that name, so no rule serves it. Absent: it has. */
  readonly unserved?: true | undefined;
  /** The type of its retry policy. */
  readonly policy?: string | undefined;
  /** The table of its records. */
  readonly table: string;
  /** Records that were not attempted yet. */
  readonly NEW: number;
  /** Records that wait for another attempt. */
  readonly ERROR: number;
  /** Records that succeeded and are still stored. */
  readonly SUCCESS: number;
  /** Records that were given up. */
  readonly DEAD: number;
  /** Time when the next of its rules fires. */
  readonly nextRunAt?: string | undefined;
}

/** Rule of a local runtime, with its firings since the start. */
export interface RuleStatus {
  /** Its id in the template. */
  readonly id: string;
  /** Its name on screens. */
  readonly label: string;
  /** Its schedule, such as `rate(1 minute)`. */
  readonly expression: string;
  /** Queues whose records its runs attempt. Empty: it attempts none, such as the sweep. */
  readonly queues: readonly string[];
  /** The tier that it runs, from 1; absent: it is no rule of a tier. */
  readonly tier?: number | undefined;
  /** The time zone of a schedule that has one. */
  readonly timeZone?: string | undefined;
  /** False: it does not fire. */
  readonly enabled: boolean;
  /** Time of its next firing, ISO-8601. */
  readonly nextAt?: string | undefined;
  /** Firings since the start. */
  readonly fired: number;
  /** Firings that could not start in time, and were made up for by a later one. */
  readonly late: number;
  /** The function threw, ended its process, or ran out of time. */
  readonly failed: number;
  /** Firings that were given up, as no sandbox was free for a minute. */
  readonly givenUp: number;
  /** The number of its latest runs that failed, one after the other. Default: 0. */
  readonly failedInARow?: number | undefined;
}

/** Runs of a rule or a queue that fail, are lost or do not end. */
export interface RunTrouble {
  /** It, in one sentence. */
  readonly text: string;
  /** It has come several times in succession. */
  readonly isRepeated: boolean;
  /** The queues that it is about. */
  readonly queues: readonly string[];
}

/** Result of one firing of a rule. */
export interface RunReport {
  /** ISO-8601, the backlog's time. */
  readonly at: string;
  /** The rule's id. */
  readonly rule: string;
  /** The rule's name on screens. */
  readonly label: string;
  /** The end of the run: the function answered, threw, ended its process, or ran out of time; or the firing was given up. */
  readonly outcome: 'ok' | 'error' | 'exited' | 'timedOut' | 'givenUp';
  /** Result in one line, without its duration. */
  readonly text: string;
  /** True if there is nothing to show: it met no record and made up for no missed run, or its queue is paused. */
  readonly idle: boolean;
  /** Firings that had passed meanwhile, and that this one stands for. */
  readonly coalesced: number;
  /** Real time. */
  readonly durationMs: number;
  /** The run's own summary; absent: it gave none. */
  readonly summary?: RunSummary | undefined;
}

/** Attempts that ended within one minute of the backlog's time. */
export interface MinuteCount {
  /** Beginning of the minute, epoch milliseconds. */
  readonly at: number;
  /** Attempts that succeeded. */
  readonly succeeded: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Successes after the last run with a failure. Default: not known. */
  readonly succeededSince?: number | undefined;
}
