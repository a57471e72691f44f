import type { BacklogRecord, RecordLine } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import { adviceOn, isStuck, LINE_STATES, waitingText } from '../../line-words.js';
import { plain } from '../failures/lines.js';
import { shellWord } from '../key-counts/hints.js';
import { dueText, paintStatus } from '../list-table.js';
import { clock, counted, printable } from '../output.js';
import { cut, type Paint, padEnd } from '../paint.js';
import { plainTable } from '../plain-table.js';

/** A line with its head as it is now, and some of the records behind it. */
export interface SeenLine extends RecordLine {
  /** Undefined: it is the turn of none, or the record is gone. */
  readonly record: BacklogRecord | undefined;
  readonly followers: readonly { readonly id: string; readonly seq: number }[];
}

const LABEL = 12;
/** Columns of an error in the table. */
const MAX_ERROR = 60;

const COLUMNS = [
  ['KEY', 'left'],
  ['STATE', 'left'],
  ['HEAD', 'left'],
  ['NUMBER', 'right'],
  ['WAITING', 'right'],
  ['BECAUSE', 'left'],
] as const;

/** Lines as a table. */
export function linesTable(lines: readonly RecordLine[], now: number, paint: Paint): string {
  return plainTable(
    COLUMNS,
    lines.map((line) => [
      printable(line.key),
      stateText(line, paint),
      printable(line.head?.id ?? '-'),
      String(line.head?.seq ?? '-'),
      waitingText(line),
      cut(missingText(line, now) ?? printable(line.head?.error ?? ''), MAX_ERROR),
    ]),
    paint,
  );
}

/** One line in full: its head, the records behind it, and what to do about it. */
export function lineText(line: SeenLine, now: number, paint: Paint): string {
  const { key, queue, head, record, leftOut, followers } = line;
  const row = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`${paint('dim', padEnd(label, LABEL))}${text}`];
  const missing = missingText(line, now);
  const numbers =
    leftOut && (leftOut.from === leftOut.to ? `${leftOut.from}` : `${leftOut.from} to ${leftOut.to}`);
  return [
    `${paint('bold', printable(key))} in ${queue}: ${stateText(line, paint)}`,
    ...row('head', head && `${printable(head.id)}  number ${head.seq}, ${headText(record, now, paint)}`),
    ...row('error', head?.error && printable(head.error)),
    ...row('waiting', `${waitingText(line)}${head ? ' behind it' : ''}`),
    ...row('missing', missing),
    ...row('left out', leftOut && `${numbers}, not there at ${clock(leftOut.at)} UTC`),
    ...todoOf(line).flatMap((todo, at) => row(at === 0 ? 'to do' : '', todo)),
    ...(followers.length === 0 ? [] : ['', paint('dim', 'those that wait, by number')]),
    ...followers.map(({ id, seq }) => `  ${padEnd(String(seq), LABEL - 2)}${printable(id)}`),
  ].join('\n');
}

function stateText(line: RecordLine, paint: Paint): string {
  const text = LINE_STATES[line.state];
  return isStuck(line) ? paint('red', text) : text;
}

function missingText({ missing }: RecordLine, now: number): string | undefined {
  if (missing === undefined) return undefined;
  const { seq, since } = missing;
  return `${seq}, since ${clock(since)} UTC (${age(Math.max(0, now - Date.parse(since)))})`;
}

function headText(record: BacklogRecord | undefined, now: number, paint: Paint): string {
  if (record === undefined) return 'removed';
  const { status, attempts } = record;
  const due = dueText(record, now);
  const isAsItCame = record.lane === undefined && attempts === 0;
  const next = due === '-' ? '' : isAsItCame ? ', attempted as it has come' : `, next attempt: ${due}`;
  return `${paintStatus(status, paint)}, ${counted(attempts, 'attempt')}${next}`;
}

/** The things that an operator can do. Empty: none is needed. */
function todoOf(line: RecordLine): string[] {
  const on = (command: string) => commandOn(command, line.head?.id);
  switch (line.state) {
    case 'dead':
      return [
        `${on('redrive')}   # it is attempted again`,
        `${on('discard')}   # it is given up, and the next one has its turn`,
      ];
    case 'retrying':
      return [
        `${on('run-now')}   # it does not wait for its time`,
        `${on('discard')}   # it is given up, and the next one has its turn`,
      ];
    default:
      return [adviceOn(line) ?? []].flat();
  }
}

/** A command for one record. An id that cannot be typed, or cannot be seen as it is, is left to the reader. */
function commandOn(command: string, id = ''): string {
  const isTyped = plain(id) === id && printable(id) === id && !id.startsWith('-');
  return `npx backlog ${command} ${isTyped ? shellWord(id) : 'ID'}`;
}
