import { isLost, type Job, selectedQueues } from 'dynamo-backlog/engine';
import { count, names, shortened } from 'dynamo-backlog/overview';

/** The words of an action: `Redrive`, and 12 records `redriven`. */
export interface ActionWords {
  readonly label: string;
  readonly done: string;
}

const MAX_VALUE = 80;

const WORDS: Readonly<Record<Job['action'], ActionWords>> = {
  redrive: { label: 'Redrive', done: 'redriven' },
  discard: { label: 'Discard', done: 'discarded' },
  snooze: { label: 'Snooze', done: 'put off' },
  runNow: { label: 'Retry now', done: 'made due' },
  editPayload: { label: 'Edit', done: 'edited' },
  move: { label: 'Move', done: 'moved' },
  changePolicy: { label: 'Change policy', done: 'given another policy' },
  undo: { label: 'Undo', done: 'put back' },
};

export function actionWords({ action, options }: Pick<Job, 'action' | 'options'>): ActionWords {
  if (action === 'discard' && options.delete === true)
    return { label: 'Remove permanently', done: 'removed' };
  if (action === 'editPayload' && options.redrive === true)
    return { label: 'Edit and redrive', done: 'edited' };
  if (action === 'undo')
    return { label: `Undo ${shortened(String(options.job), MAX_VALUE)}`, done: 'put back' };
  const to = action === 'move' || action === 'redrive' ? options.queue : undefined;
  const words = WORDS[action];
  return to === undefined
    ? words
    : { ...words, label: `${words.label} to ${shortened(String(to), MAX_VALUE)}` };
}

/** `DEAD of orders, HttpError 503, older than 2d`: foreign text, as an operator or a program has written it. */
export function selectionText({ action, which }: Pick<Job, 'action' | 'which'>): string {
  if (action === 'undo') return 'records that have not changed since';
  if (isIds(which)) return which.length === 1 ? '1 named record' : `${count(which.length)} named records`;
  const { queue: _, status, all, ...filters } = which;
  const queues = selectedQueues(which);
  const statuses = [status ?? []].flat();
  const parts = [
    [statuses.join(', '), queues.length > 0 ? `of ${names(queues)}` : ''].filter(Boolean).join(' '),
    ...Object.entries(filters).map(([name, value]) => filterText(name, value)),
  ];
  const text = parts.filter(Boolean).join(', ');
  return text === '' ? (all ? 'all records' : 'records') : text;
}

function isIds(which: Job['which']): which is readonly string[] {
  return Array.isArray(which);
}

const NAMES: Readonly<Record<string, string>> = {
  errorName: '',
  errorContains: 'error contains',
  messagePattern: 'message like',
  deadReason: 'given up as',
  idPrefix: 'id begins with',
  key: 'key',
  olderThan: 'older than',
  youngerThan: 'younger than',
  failedWithin: 'failed within',
  failedBefore: 'failed longer ago than',
};

function filterText(name: string, value: unknown): string {
  if (value === undefined) return '';
  // A value of a payload may be a customer's.
  if (name === 'payload' || name === 'attributes') return `by ${name}`;
  const text = typeof value === 'number' ? `${value} s` : String(value);
  return `${NAMES[name] ?? name} ${shortened(text, MAX_VALUE)}`.trim();
}

/** `68 of 599`, `68 of at least 1,000`, `68` */
export function countsText({ counts: { changed }, total, isTotalLeast, state }: Job): string {
  if (total === undefined || state === 'done' || changed > total) return count(changed);
  return `${count(changed)} of ${isTotalLeast ? 'at least ' : ''}${count(total)}`;
}

/** `2026-11-28 11:15 UTC`: the time at which an armed job is given up. */
export function armedText(armedUntil = '?'): string {
  return `${armedUntil.slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * `Stopped at 68 of 599: interrupted`, `Process lost at 68 of 599: "backlog jobs go-on k3v9x2ab" goes on with it`
 *
 * @param wall real time, epoch milliseconds
 */
export function stateText(job: Job, wall: number): string {
  const { state, why, armedUntil } = job;
  if (isLost(job, wall)) {
    const at = state === 'armed' ? ' while it was armed' : ` at ${countsText(job)}`;
    return `Process lost${at}: "backlog jobs go-on ${job.id}" goes on with it`;
  }
  const because = why === undefined ? '' : `: ${shortened(why, 200)}`;
  if (state === 'armed') return `Armed until ${armedText(armedUntil)}`;
  if (state === 'cancelled') return `Cancelled${because}`;
  const words = { running: 'Running,', stopped: 'Stopped at', done: 'Done,' }[state];
  return `${words} ${countsText(job)}${because}`;
}
