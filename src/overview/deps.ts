import type { BacklogOperatorOptions } from '../operate/index.js';
import type { RetryPolicy } from '../policies/index.js';
import type { RuntimeKnowledge } from './runtime.js';

/** The sources of an overview. */
export interface OverviewDeps {
  /** The tables, and the backlog's clock. */
  readonly backlog: BacklogOperatorOptions;
  /** Queues that are shown even if no run has served them yet. Default: none. */
  readonly queues?: (() => readonly KnownQueue[]) | undefined;
  /** The time for which counts are shown before they are read again, in real milliseconds. Default: 5,000. */
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
