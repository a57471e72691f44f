import type { ActionResult, BacklogOperator, OperationOptions } from 'dynamo-backlog';
import type { ActionName, Which } from 'dynamo-backlog/engine';

/** A bulk action by the name of its method, with its options: the operator calls it, or a job stores it. */
export interface NamedAction {
  readonly action: ActionName;
  /** The options of the action, without those of every action. */
  readonly options: object;
}

type Method = (which: Which, options: object) => Promise<ActionResult>;

/**
 * Calls the operator's method of an action.
 *
 * @throws ConfigurationError for wrong options, or a selection of nothing
 */
export async function call(
  operator: BacklogOperator,
  { action, options }: NamedAction,
  which: Which,
  how: OperationOptions,
): Promise<ActionResult> {
  const method = operator[action] as Method;
  return method.call(operator, which, { ...how, ...options });
}
