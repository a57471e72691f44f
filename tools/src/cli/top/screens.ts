import type { ActionResult, BacklogRecord } from 'dynamo-backlog';
import type { FailureCause } from 'dynamo-backlog/overview';
import type { CausesRead } from '../../console/failures/read-causes.js';
import type { CauseAction } from './explore.js';

/** The causes of the failures of a queue. */
export interface CausesScreen {
  readonly name: 'causes';
  readonly queue: string;
  /** Undefined: it is being read. */
  readonly read: CausesRead | undefined;
  readonly selected: number;
}

/** Records of one cause. */
export interface RecordsScreen {
  readonly name: 'records';
  readonly queue: string;
  readonly cause: FailureCause;
  /** Undefined: they are being read. */
  readonly records: readonly BacklogRecord[] | undefined;
  readonly selected: number;
}

export type ListScreen = CausesScreen | RecordsScreen;

/** The question before an action on all records of a cause, its dry run, and its progress. */
export interface ActionDialog {
  readonly name: 'action';
  readonly action: CauseAction;
  readonly queue: string;
  readonly cause: FailureCause;
  /** Place in `PACES`. */
  readonly pace: number;
  /** The dry run. Undefined: it is under way. */
  readonly trial: ActionResult | undefined;
  /** Records changed so far. Undefined: it has not begun. */
  readonly changed: number | undefined;
  /** The end, in words. */
  readonly result: string | undefined;
}

/** The form of a pause, or of a mute; while it lasts, the question before it ends. */
export interface NoteDialog {
  readonly name: 'pause' | 'mute';
  readonly queue: string;
  /** True: the queue is paused, or its alarms are muted. */
  readonly isOn: boolean;
  /** The end of the mute, and its words. */
  readonly note?: string | undefined;
  /** A request is under way: keys wait for its end. */
  readonly isBusy: boolean;
  readonly reason: string;
  readonly until: string;
  readonly field: 'reason' | 'until';
  readonly error: string | undefined;
}

export type Dialog = ActionDialog | NoteDialog;

/** Records a second. Undefined: as fast as they can be written. */
export const PACES: readonly (number | undefined)[] = [undefined, 1, 5, 20, 100];
