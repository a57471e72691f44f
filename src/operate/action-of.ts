import { availableAtOf, type Delay } from '../client/delay.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import {
  type Action,
  changePolicyAction,
  discardAction,
  editAction,
  moveAction,
  redriveAction,
  runNowAction,
  snoozeAction,
} from './actions.js';
import {
  changePolicySchema,
  discardSchema,
  editSchema,
  moveSchema,
  operationSchema,
  parsePolicy,
  redriveSchema,
  snoozeSchema,
} from './option-schemas.js';
import type { OperationOptions } from './options.js';
import { isPlainObject } from './selection.js';

/** An action with its options checked. */
interface ActionMade {
  readonly action: Action;
  /** The options that every action has. */
  readonly how: OperationOptions;
}

type Make = (options: unknown, now: number) => ActionMade;

/** The actions by the names of the operator's methods. Each checks its options; `now` is the backlog's time. */
const ACTIONS = {
  redrive(options) {
    const { queue, retry, ...how } = parseOptions(redriveSchema, options, 'redrive');
    return { action: redriveAction({ queue, retry: parsePolicy(retry, 'redrive.retry') }), how };
  },
  discard(options) {
    const parsed = parseOptions(discardSchema, options, 'discard');
    const { reason, retention: keep, delete: removes, ...how } = parsed;
    const retention = keep === 'forever' ? undefined : keep;
    return { action: discardAction({ reason, retention, delete: removes }), how };
  },
  snooze(options, now) {
    const { delay, at, ...how } = parseOptions(snoozeSchema, options, 'snooze');
    const until = availableAtOf({ delay, at } as Delay, now);
    if (until === undefined || until <= now) {
      throw new ConfigurationError('snooze: expected "delay" or "at", a time that lies ahead');
    }
    return { action: snoozeAction(until), how };
  },
  runNow(options) {
    return { action: runNowAction(), how: parseOptions(operationSchema, options, 'runNow') };
  },
  editPayload(options) {
    const { payload, merge, redrive, ...how } = parseOptions(editSchema, options, 'editPayload');
    if ((payload === undefined) === (merge === undefined)) {
      throw new ConfigurationError('editPayload: expected either "payload" or "merge"');
    }
    if (payload === undefined && !isPlainObject(merge)) {
      throw new ConfigurationError(`editPayload.merge: expected an object, got ${show(merge)}`);
    }
    return { action: editAction(isPlainObject(merge) ? { merge } : { payload }, redrive), how };
  },
  move(options) {
    const { queue, ...how } = parseOptions(moveSchema, options, 'move');
    return { action: moveAction(queue), how };
  },
  changePolicy(options) {
    const { retry, ...how } = parseOptions(changePolicySchema, options, 'changePolicy');
    const policy = parsePolicy(retry, 'changePolicy.retry');
    if (policy === undefined) {
      throw new ConfigurationError('changePolicy.retry: expected a policy, or null for none, got nothing');
    }
    return { action: changePolicyAction(policy), how };
  },
} satisfies Record<ActionName, Make>;

/** The name of an action: a method of `BacklogOperator`. */
export type ActionName =
  | 'redrive'
  | 'discard'
  | 'snooze'
  | 'runNow'
  | 'editPayload'
  | 'move'
  | 'changePolicy';

export function isActionName(name: unknown): name is ActionName {
  return typeof name === 'string' && Object.hasOwn(ACTIONS, name);
}

/**
 * Makes an action of its options.
 *
 * @param now the backlog's time, epoch milliseconds
 * @throws ConfigurationError for wrong options
 */
export function actionOf(name: ActionName, options: unknown, now: number): ActionMade {
  return (ACTIONS[name] as Make)(options, now);
}
