import { COUNT_SIGNS, causeText, count } from 'dynamo-backlog/overview';
import { causeLines } from '../failures/lines.js';
import { recordTable } from '../list-table.js';
import { cut } from '../paint.js';
import { type Look, MARK, marked, NO_MARK, windowed } from './list-parts.js';
import { overviewLines } from './overview-lists.js';
import type { CausesScreen, ListScreen, RecordsScreen } from './screens.js';
import type { Reading } from './source.js';
import { oneColumnEach, wrapped } from './text.js';

/** A list that lies over the overview: its path, its lines, and what is known of the selected one. */
export function listLines(screen: ListScreen, reading: Reading | undefined, look: Look): string[] {
  const title = oneColumnEach(screen.path.join(' › '));
  const lines = linesOf(screen, reading, look);
  return [look.paint('bold', title), '', ...lines].map((line) => cut(line, look.columns));
}

function linesOf(screen: ListScreen, reading: Reading | undefined, look: Look): string[] {
  if (screen.name === 'causes') return causesLines(screen, look);
  return screen.name === 'records' ? recordsLines(screen, look) : overviewLines(screen, reading, look);
}

/** A line for each cause; the selected one opens into its patterns. */
function causesLines(
  { queues, read, selected }: CausesScreen,
  { now, columns, room, paint }: Look,
): string[] {
  if (!read) return ['Reading the failures …'];
  const { causes, examined, total, counted, isSampled } = read;
  if (causes.length === 0) return [isSampled ? 'No record that was read fails.' : 'No record fails.'];
  const own = { now, columns: columns - MARK.length, paint, isOfOneQueue: queues.length === 1 };
  const lines = causes.map((cause) => causeLines([cause], own));
  const all = causeLines(causes, own);
  const rows = lines.map(([, row = '']) => row);
  const opened = lines[selected]?.slice(2) ?? [];
  const of = `${COUNT_SIGNS[counted]}${count(total)}`;
  const note = isSampled
    ? `Estimated from ${count(examined)} of ${of} records that are not finished.`
    : `All ${of} records that are not finished were read.`;
  const shown = windowed(rows, selected, room - opened.length - 5);
  return [
    NO_MARK + (all[0] ?? ''),
    ...shown.flatMap(({ line, place }) => [
      marked(line, place === selected, columns, paint),
      ...(place === selected ? opened.map((pattern) => NO_MARK + pattern) : []),
    ]),
    '',
    paint('dim', note),
  ];
}

function recordsLines({ cause, records, selected }: RecordsScreen, look: Look): string[] {
  const { now, columns, room, paint } = look;
  const title = oneColumnEach(causeText(cause.cause));
  if (!records) return [title, 'Reading its records …'];
  if (records.length === 0)
    return [title, 'No record has failed with it last: it may have been attempted since.'];
  const [head = '', ...rows] = recordTable(records, { now, columns: columns - MARK.length, paint });
  const message = records[selected]?.lastError?.message ?? '';
  const error = wrapped(oneColumnEach(message.slice(0, 400)), columns, 3);
  return [
    `${title}: ${count(records.length)} of ${COUNT_SIGNS[cause.counted]}${count(Math.round(cause.retry + cause.dead))} shown`,
    NO_MARK + head,
    ...windowed(rows, selected, room - error.length - 6).map(({ line, place }) =>
      marked(line, place === selected, columns, paint),
    ),
    '',
    ...error.map((line) => paint('dim', line)),
  ];
}
