import type { RetryPolicy } from '../policies/index.js';
import { type BacklogRecord, isUnwanted, type Status } from '../record/index.js';
import type { Found } from '../store/operator-store.js';
import {
  changePolicy,
  type Decision,
  type DecisionContext,
  type DiscardWishes,
  discard,
  editPayload,
  move,
  type RedriveWishes,
  redriveInto,
  runNow,
  snooze,
} from './changes.js';
import { mergeInto } from './merge-patch.js';

/** An operator's action: the records that it is for, and what it does to each. */
export interface Action {
  readonly actsOn: readonly Status[];
  /** The statuses of a selection that names none. Default: all of `actsOn`. */
  readonly byDefault?: readonly Status[] | undefined;
  readonly decide: (found: Found, context: DecisionContext) => Decision;
  /** Tells which records a selection leaves out, unless it filters by `deadReason`. */
  readonly leavesOut?: ((record: BacklogRecord) => boolean) | undefined;
  /** The next attempt may come sooner. So records that are under attempt in another lane are left out. */
  readonly bringsForward?: boolean | undefined;
  /** A record may be attempted and match again. So a selection leaves out what was attempted since the action began. */
  readonly startsAttempts?: boolean | undefined;
  /** The reason for which long attempts are asked to end. Default: records under a long attempt are left alone. */
  readonly cancelReason?: string | undefined;
  /** The decision depends on the retry mode of the record's queue. */
  readonly needsRetryMode?: boolean | undefined;
  /** Changed records get this due time in the index, epoch milliseconds. Default: earlier ones, or none. */
  readonly putsOffUntil?: number | undefined;
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
    decide: (found, { now }) => redriveInto(found, wishes, now),
  };
}

export function discardAction(wishes: DiscardWishes): Action {
  return {
    actsOn: OPEN,
    byDefault: DEAD,
    cancelReason: wishes.delete ? undefined : (wishes.reason ?? 'by an operator'),
    decide: (found, context) => discard(found, wishes, context),
  };
}

/** @param until the backlog's time, epoch milliseconds */
export function snoozeAction(until: number): Action {
  return {
    actsOn: WAITING,
    needsRetryMode: true,
    putsOffUntil: until,
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
