import type { RetryPolicy } from '../policies/index.js';
import type { BacklogRecord, Status } from '../record/index.js';
import type { Found } from '../store/operator-store.js';
import {
  changePolicy,
  type Decision,
  type DecisionContext,
  type DiscardWishes,
  discard,
  editPayload,
  isUnwanted,
  move,
  type RedriveWishes,
  redrive,
  runNow,
  snooze,
} from './changes.js';
import { mergeInto } from './merge-patch.js';

/** What is done to each record. */
export interface Action {
  readonly actsOn: readonly Status[];
  /** The statuses of a selection that names none. Default: all it acts on. */
  readonly byDefault?: readonly Status[] | undefined;
  readonly decide: (found: Found, context: DecisionContext) => Decision;
  /** Records that a selection leaves out, unless it names their reason. */
  readonly leavesOut?: ((record: BacklogRecord) => boolean) | undefined;
  /** The next attempt may come sooner by it: it must be known that none is under way elsewhere. */
  readonly bringsForward?: boolean | undefined;
  /** A record that is attempted after it may match again: each record of a selection is changed once. */
  readonly startsAttempts?: boolean | undefined;
  /** What it decides depends on how the record's queue retries. */
  readonly needsRetryMode?: boolean | undefined;
  /** Records that it changes get later due times in the index; otherwise earlier ones, or none. */
  readonly putsOff?: boolean | undefined;
}

const WAITING: readonly Status[] = ['NEW', 'ERROR'];
const DEAD: readonly Status[] = ['DEAD'];
const OPEN: readonly Status[] = [...WAITING, ...DEAD];

export function redriveAction(wishes: RedriveWishes): Action {
  return {
    actsOn: DEAD,
    leavesOut: isUnwanted,
    bringsForward: true,
    startsAttempts: true,
    decide: (found, { now }) => redrive(found, wishes, now),
  };
}

export function discardAction(wishes: DiscardWishes): Action {
  return {
    actsOn: OPEN,
    byDefault: DEAD,
    decide: (found, context) => discard(found, wishes, context),
  };
}

/** @param until the backlog's time, epoch milliseconds */
export function snoozeAction(until: number): Action {
  return {
    actsOn: WAITING,
    needsRetryMode: true,
    putsOff: true,
    decide: (found, context) => snooze(found, until, context),
  };
}

export function runNowAction(): Action {
  return {
    actsOn: WAITING,
    needsRetryMode: true,
    bringsForward: true,
    startsAttempts: true,
    decide: runNow,
  };
}

export function moveAction(queue: string): Action {
  return {
    actsOn: OPEN,
    byDefault: WAITING,
    bringsForward: true,
    decide: (found, context) => move(found, queue, context),
  };
}

export type PayloadEdit =
  | { readonly payload: unknown }
  | { readonly merge: Readonly<Record<string, unknown>> };

export function editAction(edit: PayloadEdit, again: boolean): Action {
  return {
    actsOn: OPEN,
    bringsForward: again,
    startsAttempts: again,
    decide: (found, { now }) => {
      const after = 'payload' in edit ? edit : mergeInto(found.record.payload, edit.merge);
      if ('refused' in after) return { do: 'refuse', reason: after.refused };
      return editPayload(found, after.payload, { again, now });
    },
  };
}

export function changePolicyAction(retry: RetryPolicy | null): Action {
  return { actsOn: OPEN, decide: (found, { now }) => changePolicy(found, retry, now) };
}

export function exportAction(): Pick<Action, 'actsOn'> {
  return { actsOn: [...OPEN, 'SUCCESS'] };
}
