import Table from 'cli-table3';
import type { Paint } from './paint.js';

type Align = 'left' | 'right';

/** Columns told apart by space alone: such a table can be cut and searched by other programs. */
export function plainTable(
  columns: readonly (readonly [head: string, align: Align])[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string {
  const table = new Table({
    head: columns.map(([head]) => paint('dim', head)),
    colAligns: columns.map(([, align]) => align),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const NO_LINES = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((place) => [place, '']),
);
