import type { RetryPolicy } from '../policies/index.js';
import type { Status } from '../record/index.js';
import {
  changePolicy,
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
import { mergePatch } from './merge-patch.js';
import type { Action } from './operation.js';

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
    asksWay: true,
    putsOff: true,
    decide: (found, context) => snooze(found, until, context),
  };
}

export function runNowAction(): Action {
  return {
    actsOn: WAITING,
    asksWay: true,
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

export type PayloadEdit = { readonly payload: unknown } | { readonly merge: unknown };

export function editAction(edit: PayloadEdit, again: boolean): Action {
  return {
    actsOn: OPEN,
    bringsForward: again,
    startsAttempts: again,
    decide: (found, { now }) => {
      const payload = 'payload' in edit ? edit.payload : mergePatch(found.record.payload, edit.merge);
      return editPayload(found, payload, { again, now });
    },
  };
}

export function changePolicyAction(retry: RetryPolicy | null): Action {
  return { actsOn: OPEN, decide: (found, { now }) => changePolicy(found, retry, now) };
}

export function exportAction(): Pick<Action, 'actsOn'> {
  return { actsOn: [...OPEN, 'SUCCESS'] };
}
