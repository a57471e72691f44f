import { hasColors, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { type Change, SEVERITIES, type Severity } from './change.js';

const HEADINGS: Readonly<Record<Severity, string>> = {
  leftBehind: 'LEAVES RECORDS BEHIND',
  attention: 'NEEDS ATTENTION',
  safe: 'SAFE',
};
const COLORS = { leftBehind: 'red', attention: 'yellow', safe: 'green' } as const;
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 40;
const INDENT = 2;

/**
 * The changes by severity: what changes, what happens to records, and what to do. No line but a command is longer than
 * the terminal.
 *
 * @param several whether there are several Backlogs, so that a queue's alone would be no name
 */
export function changesText(changes: readonly Change[], several: boolean, columns = 80): string {
  const paint = painter(hasColors(process.stdout));
  const width = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns));
  const groups = SEVERITIES.map((severity) => {
    const ofIt = changes.filter((change) => change.severity === severity);
    if (ofIt.length === 0) return [];
    const heading = paint(['bold', COLORS[severity]], HEADINGS[severity]);
    return [[heading, ...ofIt.flatMap((change) => block(change, several, width, paint))].join('\n')];
  });
  return groups.flat().join('\n\n');
}

/** Formats a change. A safe one is a single paragraph. */
function block(change: Change, several: boolean, width: number, paint: Paint): string[] {
  const { backlog, queue, severity, effect, todo, command } = change;
  const subject = printable(several && queue !== undefined ? `${backlog}/${queue}` : (queue ?? backlog));
  const head = `${subject}: ${headline(change)}`;
  const texts = severity === 'safe' ? [`${head}. ${effect}`] : [head, effect];
  const [first = '', ...rest] = wrap(texts[0] ?? '', width, INDENT, 3 * INDENT);
  const bold = first.replace(`${subject}:`, () => `${paint('bold', subject)}:`);
  return [
    bold,
    ...rest,
    ...texts.slice(1).flatMap((text) => wrap(text, width, 2 * INDENT)),
    ...(todo === undefined ? [] : wrap(`-> ${todo}`, width, 2 * INDENT, 2 * INDENT + 3)),
    // Not wrapped, so that it can be copied.
    ...(command === undefined ? [] : [`${' '.repeat(2 * INDENT + 3)}${printable(command)}`]),
  ];
}

function headline({ what, waiting }: Change): string {
  const text = printable(what);
  return waiting === undefined ? text : `${text} (${waitingText(waiting)})`;
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'none waits';
  return waiting === 1 ? '1 record waits' : `${waiting.toLocaleString('en-US')} records wait`;
}

/** @param hanging how far lines but the first are indented */
function wrap(text: string, width: number, indent: number, hanging = indent): string[] {
  const lines: string[] = [];
  // A number stays with its unit.
  for (const word of printable(text).split(/ (?!(?:d|h|min|s)\b)/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(`${' '.repeat(last === undefined ? indent : hanging)}${word}`);
  }
  return lines;
}

/** One line: how much there is of each severity. */
export function changesSummary(changes: readonly Change[]): string {
  if (changes.length === 0) return 'nothing changes for records';
  const count = (severity: Severity) => changes.filter((change) => change.severity === severity).length;
  const [left, attention, safe] = SEVERITIES.map(count) as [number, number, number];
  return [
    ...(left > 0 ? [`${left} ${left === 1 ? 'leaves' : 'leave'} records behind`] : []),
    ...(attention > 0 ? [`${attention} ${attention === 1 ? 'needs' : 'need'} attention`] : []),
    ...(safe > 0 ? [`${safe} safe`] : []),
  ].join(', ');
}
