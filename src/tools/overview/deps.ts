import type { BacklogOperatorOptions } from '../../operate/index.js';
import type { RetryPolicy } from '../../policies/index.js';
import type { RunReport } from '../local/status/run-report.js';
import type { MinuteCount, RuntimeStatus } from '../local/status/status.js';

/** What an overview is made from. */
export interface OverviewDeps {
  /** The tables, and the backlog's clock. */
  readonly backlog: BacklogOperatorOptions;
  /** Queues that are shown even if no run has served them yet. Default: none. */
  readonly queues?: (() => readonly KnownQueue[]) | undefined;
  /** How long counts are shown before they are read again, in real milliseconds. Default: 5,000. */
  readonly countsForMs?: number | undefined;
  /** The local runtime of the backlog. Default: the backlog is in AWS, and its rules are not known. */
  readonly runtime?: RuntimeKnowledge | undefined;
}

/** A queue of the app. */
export interface KnownQueue {
  /** Its name. */
  readonly name: string;
  /** Its policy, where the app says it. */
  readonly retry?: RetryPolicy | undefined;
}

/** What a local runtime knows of its backlog beside the tables. */
export interface RuntimeKnowledge {
  status(): RuntimeStatus;
  /** The last two hours, of one queue. Minutes without an attempt are left out. */
  minutesOf(queue: string): readonly MinuteCount[];
  /** Undefined: the rule has not fired since the start. */
  lastRunOf(rule: string): RunReport | undefined;
}
