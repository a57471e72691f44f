import type { BacklogOperatorOptions } from 'dynamo-backlog';

/** The part of a console, or of `backlog top`, that an operator acts through. */
export interface OperatorDeps {
  /** The tables, and the backlog's clock. */
  readonly backlog: BacklogOperatorOptions;
  /** The right to act. */
  readonly access: Access;
  /** Gets each action with what came of it. */
  readonly onAction: (entry: ActionEntry) => void;
}

/** The operator's name, or why no action is possible. */
export type Access =
  | { readonly write: true; readonly as: string }
  | { readonly write: false; readonly reason: string };

/** One action of an operator, for the log. */
export interface ActionEntry {
  /** Real time, ISO-8601. */
  readonly at: string;
  /** The operator's name. */
  readonly as: string;
  /** The action in words: `redrive 12 records of orders`. */
  readonly text: string;
  /** Its result: `12 records redriven`. */
  readonly result: string;
}
