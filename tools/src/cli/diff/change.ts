/** Degree to which a change concerns the records that wait. */
export type Severity = 'leftBehind' | 'attention' | 'safe';

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ['leftBehind', 'attention', 'safe'];

/** One thing that a deployment changes. */
export interface Change {
  /** The same for the same kind of change, for programs. */
  readonly kind: string;
  readonly severity: Severity;
  /** The construct's path in its stack. */
  readonly backlog: string;
  /** Name of the queue in the deployed template. Absent: the change is not of one queue. */
  readonly queue?: string | undefined;
  readonly what: string;
  /** Consequence for records. */
  readonly effect: string;
  /** Advice, if there is something to do. */
  readonly todo?: string | undefined;
  /** A command for that. */
  readonly command?: string | undefined;
  /** Number of records that wait in the queue, or in all queues of a table. Absent: they were not counted. */
  readonly waiting?: number | undefined;
}

/** A change without its Backlog and queue, which the caller adds. */
export type Difference = Omit<Change, 'backlog' | 'queue' | 'waiting'>;
