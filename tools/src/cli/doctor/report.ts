import { age } from 'dynamo-backlog/engine';
import { counted, hasColors, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import type { CountedFinding } from './findings.js';
import type { Repaired } from './repair.js';

const COLUMNS = [
  ['#', 'right'],
  ['SEVERITY', 'left'],
  ['COUNT', 'right'],
  ['OLDEST', 'right'],
  ['WHAT', 'left'],
  ['SUCH AS', 'left'],
] as const;
const MAX_WHAT_CHARS = 110;
const MAX_IDS_CHARS = 50;

/** The findings as a table, and below it what to do about each. */
export function findingsText(findings: readonly CountedFinding[], now: number): string {
  const paint = painter(hasColors(process.stdout));
  const rows = findings.map(({ severity, count, what, ids, oldest }, i) => [
    String(i + 1),
    paintSeverity(severity, paint),
    String(count),
    oldest === undefined ? '-' : age(now - Date.parse(oldest)),
    shorten(printable(what), MAX_WHAT_CHARS),
    shorten(ids.map(printable).join(', '), MAX_IDS_CHARS),
  ]);
  const todo = findings.map(({ todo }, i) => `${String(i + 1).padStart(3)}  ${todo}`);
  return [plainTable(COLUMNS, rows, paint), '', paint('dim', 'WHAT TO DO'), ...todo].join('\n');
}

function paintSeverity(severity: CountedFinding['severity'], paint: Paint): string {
  const formats = { error: 'red', warning: 'yellow', note: 'white' } as const;
  return paint(formats[severity], severity);
}

function shorten(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
}

/** One line with the number of findings of each severity. */
export function findingsSummary(list: readonly CountedFinding[]): string {
  if (list.length === 0) return 'nothing found';
  const count = (severity: string) => list.filter((finding) => finding.severity === severity).length;
  const notes = count('note');
  const problems = `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}`;
  return notes > 0 ? `${problems}, ${notes} to note` : problems;
}

export function repairedText({ indexed, moved, left }: Repaired): string {
  const others = left > 0 ? `, ${left} left: changed by others meanwhile, or refused by DynamoDB` : '';
  return `indexed: ${indexed}; moved in the index, or out of it: ${moved}${others}`;
}
