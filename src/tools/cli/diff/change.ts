/** How much a change concerns the records that wait. */
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
  /** As the deployed template names it. Absent: the change is not of one queue. */
  readonly queue?: string | undefined;
  readonly what: string;
  /** What happens to records. */
  readonly effect: string;
  /** What to do, where there is something to do. */
  readonly todo?: string | undefined;
  /** A command for that. */
  readonly command?: string | undefined;
  /** How many records wait in the queue, or in all queues of a table; absent where they were not counted. */
  readonly waiting?: number | undefined;
}

/** A change before it is known whose it is. */
export type Difference = Omit<Change, 'backlog' | 'queue' | 'waiting'>;
