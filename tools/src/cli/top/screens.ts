import type { ActionResult, BacklogRecord } from 'dynamo-backlog';
import type { Job } from 'dynamo-backlog/engine';
import type { FailureCause } from 'dynamo-backlog/overview';
import type { CausesRead } from '../../console/failures/read-causes.js';
import type { BeginOptions, CauseAction } from './explore.js';

/** The incidents, or the jobs, as the overview has read them. */
export interface OverviewScreen {
  readonly name: 'incidents' | 'jobs';
  readonly path: readonly string[];
  /** The id of the selected one. Undefined, or that of one that is gone: the first one is. */
  readonly selected: string | undefined;
}

/** The causes of the failures of a queue, or of all queues of an incident. */
export interface CausesScreen {
  readonly name: 'causes';
  /** The way here: `queues`, `orders`, `causes`. */
  readonly path: readonly string[];
  readonly queues: readonly string[];
  /** Undefined: it is being read. */
  readonly read: CausesRead | undefined;
  readonly selected: number;
}

/** Records of one cause. */
export interface RecordsScreen {
  readonly name: 'records';
  readonly path: readonly string[];
  readonly queues: readonly string[];
  readonly cause: FailureCause;
  /** Undefined: they are being read. */
  readonly records: readonly BacklogRecord[] | undefined;
  readonly selected: number;
}

/** A list whose items are read for it. */
export type ReadScreen = CausesScreen | RecordsScreen;
export type ListScreen = OverviewScreen | ReadScreen;

/** The question before a job on all records of a cause, and its dry run. */
export interface ActionDialog {
  readonly name: 'action';
  readonly action: CauseAction;
  readonly queues: readonly string[];
  readonly cause: FailureCause;
  /** Place in `PACES`. */
  readonly pace: number;
  /** Place in `BEGINNINGS`. */
  readonly begins: number;
  /** The dry run. Undefined: it is under way. */
  readonly trial: ActionResult | undefined;
  /** The reason why it cannot begin. */
  readonly error: string | undefined;
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

/** The question before the undo of a job. */
export interface UndoDialog {
  readonly name: 'undo';
  readonly job: Job;
  /** A request is under way: Enter waits for its end. */
  readonly isBusy: boolean;
  /** The reason why it cannot begin. */
  readonly error: string | undefined;
}

export type Dialog = ActionDialog | NoteDialog | UndoDialog;

/** Records a second. Undefined: as fast as they can be written. */
export const PACES: readonly (number | undefined)[] = [undefined, 1, 5, 20, 100];

const DAY_SECONDS = 86_400;

/** The beginnings of a job, each with its words: at once, after a probe, or when the destination works again. */
export const BEGINNINGS: readonly (Pick<BeginOptions, 'probe' | 'whenBack'> & { readonly words: string })[] =
  [
    { words: 'now' },
    { words: '5 first, and the others if all of these succeed', probe: 5 },
    { words: 'when it is back, within a day', whenBack: DAY_SECONDS },
  ];
