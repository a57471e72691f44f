import type { BacklogOperatorOptions } from '../operate/index.js';
import type { RetryPolicy } from '../policies/index.js';
import type { RetryMode } from '../record/index.js';
import type { RuntimeKnowledge } from './runtime.js';

/** The sources of an overview. */
export interface OverviewDeps {
  /** The tables, and the backlog's clock. */
  readonly backlog: BacklogOperatorOptions;
  /** All queues of the app, which are shown even if no run has served them yet: no rule serves another one. Default: not known. */
  readonly queues?: (() => readonly KnownQueue[]) | undefined;
  /** Queues that are shown beside those of the tables, such as those of a deployed stack. There may be more. Default: none. */
  readonly deployed?: readonly KnownQueue[] | undefined;
  /** The time for which counts are shown before they are read again, in real milliseconds. Default: 5,000. */
  readonly countsForMs?: number | undefined;
  /** The local runtime of the backlog. Default: the backlog is in AWS, and its rules are not known. */
  readonly runtime?: RuntimeKnowledge | undefined;
}

/** A queue of the app, or of a deployed stack. */
export interface KnownQueue {
  /** Its name. */
  readonly name: string;
  /** Its policy, where the app says it. */
  readonly retry?: RetryPolicy | undefined;
  /** Its retry mode, if no run has noted it yet. */
  readonly retryMode?: RetryMode | undefined;
}
