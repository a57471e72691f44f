import { causeText, count, names, records } from 'dynamo-backlog/overview';
import { actionWords, selectionText } from '../../jobs/job-words.js';
import { cut, type Paint, padEnd, width } from '../paint.js';
import {
  type ActionDialog,
  BEGINNINGS,
  type Dialog,
  type NoteDialog,
  PACES,
  type UndoDialog,
} from './screens.js';
import { oneColumnEach, wrapped } from './text.js';

const MAX_WIDTH = 68;

/** The lines of a picture with a dialog over them. */
export function withDialog(
  lines: readonly string[],
  dialog: Dialog,
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  const inner = Math.max(20, Math.min(MAX_WIDTH, columns - 4));
  const content = linesOf(dialog, inner, paint);
  const box = [
    `┌${'─'.repeat(inner + 2)}┐`,
    ...content.map((line) => `│ ${padEnd(cut(line, inner), inner)} │`),
    `└${'─'.repeat(inner + 2)}┘`,
  ];
  const from = Math.max(0, Math.floor((lines.length - box.length) / 2));
  const left = ' '.repeat(Math.max(0, Math.floor((columns - width(box[0] ?? '')) / 2)));
  // Lines under the dialog are left out whole: half a line would read as a part of it.
  return lines.map((line, i) => {
    const row = box[i - from];
    return row === undefined ? paint('dim', line) : left + row;
  });
}

function linesOf(dialog: Dialog, columns: number, paint: Paint): string[] {
  if (dialog.name === 'action') return actionLines(dialog, columns, paint);
  return dialog.name === 'undo' ? undoLines(dialog, columns, paint) : noteLines(dialog, columns);
}

function undoLines({ job, isBusy, error }: UndoDialog, columns: number, paint: Paint): string[] {
  const { changed } = job.counts;
  return [
    paint('bold', `Undo job ${job.id}, ${actionWords(job).label} of ${records(changed)}`),
    oneColumnEach(selectionText(job)),
    '',
    'A job of its own puts back the state and payload of before. What was attempted, changed or removed since is left alone.',
    ...(error === undefined ? [] : ['', oneColumnEach(error)]),
    '',
    isBusy ? 'asking …   esc: back' : `enter: undo ${count(changed)}   esc: cancel`,
  ].flatMap((line) => wrapped(line, columns, 3));
}

function actionLines(dialog: ActionDialog, columns: number, paint: Paint): string[] {
  const { action, queues, cause, trial, pace, begins, error } = dialog;
  const verb = action === 'runNow' ? 'Retry' : 'Redrive';
  const kind = action === 'runNow' ? 'records in retry' : 'dead records';
  const title = `${verb} the ${kind} of ${oneColumnEach(names(queues))}`;
  const perSecond = PACES[pace];
  const speed = perSecond === undefined ? 'as fast as they can be written' : `${perSecond} a second`;
  const isAny = (trial?.changed ?? 0) > 0;
  return [
    paint('bold', title),
    oneColumnEach(causeText(cause.cause)),
    '',
    `Begins    ${BEGINNINGS[begins]?.words}   ↑ ↓`,
    `Pace      ${speed}   ← →`,
    `Dry run   ${trialText(trial)}`,
    ...(isAny ? [`          ${oneColumnEach(trial?.examples.slice(0, 3).join(', ') ?? '')}`] : []),
    '',
    'A job: it goes on while you look elsewhere, and can be stopped.',
    ...(error === undefined ? [] : ['', ...wrapped(oneColumnEach(error), columns, 3)]),
    '',
    `${isAny ? `enter: ${verb} ${count(trial?.changed ?? 0)}   ` : ''}tab: ${action === 'runNow' ? 'the dead ones' : 'those in retry'}   esc: cancel`,
  ];
}

function trialText(trial: ActionDialog['trial']): string {
  if (!trial) return 'under way …';
  const { changed, matched, skipped } = trial;
  const left = Object.values(skipped).reduce((sum, number) => sum + number, 0);
  return `${count(matched)} match, ${count(changed)} would change${left > 0 ? `, ${count(left)} left alone` : ''}`;
}

/** Words of the forms. */
const FORMS = {
  pause: {
    begin: (queue: string) => `Pause ${queue}`,
    end: (queue: string) => `Let ${queue} go on?`,
    help: [
      'Until: 90m, 2h, or 2026-11-26T16:00Z; no alarm goes off before. Empty: no end.',
      'Records keep coming in, and wait.',
    ],
    endHelp: 'Its records are attempted again.',
    keys: ['pause', 'resume'],
  },
  mute: {
    begin: (queue: string) => `Mute the alarms of ${queue}`,
    end: (queue: string) => `Let the alarms of ${queue} notify again?`,
    help: [
      'Until: 90m, 2h, or 2026-11-26T16:00Z; 15 days at most.',
      'No alarm notifies meanwhile. Those that are still on then do.',
    ],
    endHelp: 'Those that are on notify at once.',
    keys: ['mute', 'unmute'],
  },
} as const;

function noteLines(
  { name, queue, isOn, note, isBusy, reason, until, field, error }: NoteDialog,
  columns: number,
): string[] {
  const { begin, end, help, endHelp, keys } = FORMS[name];
  const own = oneColumnEach(queue);
  const trouble = error === undefined ? [] : ['', ...wrapped(oneColumnEach(error), columns, 3)];
  const input = (text: string, isHere: boolean) => `${oneColumnEach(text)}${isHere ? '▏' : ''}`;
  const words = note === undefined ? [] : wrapped(oneColumnEach(`Muted ${note}.`), columns, 4);
  const content = isOn
    ? [...words, endHelp]
    : [
        `Reason   ${input(reason, field === 'reason')}`,
        `Until    ${input(until, field === 'until')}`,
        '',
        ...help,
      ];
  const enter = `enter: ${isOn ? keys[1] : keys[0]}${isOn ? '' : '   tab: next field'}   esc: cancel`;
  return [
    isOn ? end(own) : begin(own),
    '',
    ...content,
    ...trouble,
    '',
    isBusy ? 'asking …   esc: back' : enter,
  ].flatMap((line) => wrapped(line, columns, 2));
}
