import type { ActionResult } from 'dynamo-backlog';
import type { SkipReason } from 'dynamo-backlog/engine';
import { counted, printable } from '../output.js';

/** Words for an action. */
export interface Verbs {
  /** `Redrive` 12 records? */
  readonly ask: string;
  /** 12 records `redriven` */
  readonly done: string;
  /** The records that it is not for, and the command that is: `waiting records: run-now`. */
  readonly others?: string | undefined;
}

const SHOWN_FAILURES = 20;

const LEFT: Readonly<Record<SkipReason, string>> = {
  asWanted: 'nothing to change',
  otherStatus: 'of another status',
  inFlight: 'may be under attempt just now: the same command again in a minute',
  cancelRequested:
    'under a long attempt, which is told to end within 30 seconds: then cancelled, unless it succeeds',
  changedMeanwhile: 'changed by others meanwhile',
  numbered: 'numbered by key (seq): in another queue, it would leave its line',
  notFound: 'not there',
  newer: 'written by a newer version of dynamo-backlog',
};

/** Reasons that leave something undone which was asked for. */
const OPEN: readonly SkipReason[] = [
  'inFlight',
  'cancelRequested',
  'changedMeanwhile',
  'numbered',
  'notFound',
  'newer',
];

/** The number of records that an action changes, or whose long attempts it asks to end. */
export function concernedBy({ changed, skipped }: Pick<ActionResult, 'changed' | 'skipped'>): number {
  return changed + (skipped.cancelRequested ?? 0);
}

/** @param named whether ids were given: then one of another status is a mistake, too */
export function hasProblems({ failed, skipped }: ActionResult, named: boolean): boolean {
  const open = named ? [...OPEN, 'otherStatus' as const] : OPEN;
  return failed > 0 || open.some((reason) => (skipped[reason] ?? 0) > 0);
}

/** One line each: what was done, and what was left. */
export function resultText(result: ActionResult, { done, others }: Verbs, dryRun: boolean): string {
  const { changed, delayed, skipped, failed, failures, examples, ended } = result;
  const such =
    examples.length > 0
      ? `: ${examples.map(printable).join(', ')}${changed > examples.length ? ', …' : ''}`
      : '';
  const verb = dryRun ? `would be ${done}` : done;
  const lines = [
    `${counted(changed, 'record')} ${verb}${such}`,
    ...(delayed > 0
      ? [`${delayed} due in 15 minutes: a run may be attempting ${delayed === 1 ? 'it' : 'them'}`]
      : []),
    ...Object.entries(skipped).map(
      ([reason, count]) =>
        `${count} left alone: ${LEFT[reason as SkipReason]}${reason === 'otherStatus' && others ? ` (${others})` : ''}`,
    ),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...failures.slice(0, SHOWN_FAILURES).map(({ id, reason }) => `  ${printable(id)}: ${printable(reason)}`),
    ...(failed > SHOWN_FAILURES ? [`  … (--json has the first 1000)`] : []),
    ...(ended === 'limit' ? ['the limit is reached: the same command goes on with what is left'] : []),
    ...(ended === 'aborted' ? ['interrupted: the same command goes on with what is left'] : []),
  ];
  return lines.join('\n');
}

export function unitsText({ readUnits, writeUnits }: Pick<ActionResult, 'readUnits' | 'writeUnits'>): string {
  return `${counted(round(readUnits), 'read unit')}, ${counted(round(writeUnits), 'write unit')}`;
}

function round(units: number): number {
  return Math.round(units * 10) / 10;
}
