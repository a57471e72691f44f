import { age } from 'dynamo-backlog/engine';
import {
  endedIncidents,
  endedText,
  type QueueView,
  SENTENCE_ICONS,
  signsText,
  units,
} from 'dynamo-backlog/overview';
import { cut, type Paint, padEnd, width } from '../paint.js';
import { withDialog } from './dialog-picture.js';
import { marked, windowed } from './list-parts.js';
import { listLines } from './list-picture.js';
import { jobLines } from './overview-lists.js';
import type { Dialog, ListScreen } from './screens.js';
import { type SortOrder, sorted, sortText } from './sort.js';
import type { Reading } from './source.js';
import { COLORS, GLYPHS, queueTable } from './table.js';
import { oneColumnEach, wrapped } from './text.js';

/** State of the screen. */
export interface TopState {
  /** Last reading. Undefined: nothing has been read yet. */
  readonly reading: Reading | undefined;
  /** Start of the request under way, real time in epoch milliseconds. */
  readonly askedAt?: number | undefined;
  /**
   * Time of the next reading, real time in epoch milliseconds. Undefined: it is being read, or the refresh is paused.
   */
  readonly nextAt?: number | undefined;
  /** True if an operator has stopped the refresh. */
  readonly isPaused: boolean;
  readonly sort: SortOrder;
  /** Place of the selected queue. Undefined: no line is marked. */
  readonly selected?: number | undefined;
  /** Part of the names of the queues that are shown. */
  readonly filter?: string | undefined;
  /** The filter is being typed. */
  readonly isFiltering?: boolean | undefined;
  /** A list that lies over the queues. */
  readonly screen?: ListScreen | undefined;
  readonly dialog?: Dialog | undefined;
  /** The result of the last key. */
  readonly notice?: string | undefined;
}

export interface PictureFacts {
  /** Name and place of the table, for the user. */
  readonly where: string;
  /** Interval between readings of the counts, in milliseconds. Undefined: they are read once. */
  readonly intervalMs: number | undefined;
  /** Real time, epoch milliseconds. */
  readonly wall: number;
}

/** The keys over the queues, and over a list: the first line that fits. */
const KEYS = [
  'q quit  enter causes  i incidents  j jobs  p pause queue  m mute alarms  / filter  r read now  space hold  s sort',
  'q quit  enter causes  i incidents  j jobs  p pause  m mute  / filter  space hold  s sort',
  'q quit  enter causes  i incidents  j jobs  p pause  m mute  s sort',
  'q quit  enter causes  i incidents  j jobs  s sort',
];
const LIST_KEYS = {
  incidents: ['esc back  enter causes of its queues  j jobs  r read now  q quit'],
  jobs: [
    'esc back  x stop  g go on with what is left  u undo  i incidents  r read now  q quit',
    'esc back  x stop  g go on  u undo  i incidents  q quit',
  ],
  causes: [
    'esc back  enter records  R retry or redrive all  j jobs  p pause queue  m mute alarms  r read now  q quit',
    'esc back  enter records  R retry or redrive  j jobs  p pause  m mute  q quit',
  ],
  records: [
    'esc back  R retry or redrive all  j jobs  p pause queue  m mute alarms  r read now  q quit',
    'esc back  R retry or redrive  j jobs  p pause  m mute  r read now  q quit',
  ],
} as const satisfies Record<ListScreen['name'], readonly string[]>;
/** A store answers within this time; what takes longer is said. */
const SLOW_MS = 3_000;
const MAX_DETAILS = 6;

/** The whole screen: as many lines as fit, none longer than the terminal. */
export function topPicture(
  state: TopState,
  facts: PictureFacts,
  { columns, rows }: { columns: number; rows: number },
  paint: Paint,
): string[] {
  const { reading, screen, dialog } = state;
  const foot = [...statusLines(state, facts, columns, paint), keyLine(state, columns, paint)];
  const head = screen ? [] : [...headLines(reading, { columns, isLow: rows < 16, paint }), ''];
  const room = Math.max(1, rows - head.length - foot.length - 1);
  const now = reading?.snapshot.now ?? facts.wall;
  const body = screen
    ? listLines(screen, reading, { now, wall: facts.wall, columns, room, paint })
    : bodyLines(state, { columns, room, paint });
  const lines = [...head, ...body, '', ...foot].slice(0, Math.max(1, rows));
  const all = dialog ? withDialog(filled(lines, foot.length, rows), dialog, { columns, paint }) : lines;
  return all.map((line) => cut(line, columns));
}

/** Lines down to the end of the screen, with the last ones there: a dialog needs room. */
function filled(lines: readonly string[], last: number, rows: number): string[] {
  const foot = lines.slice(lines.length - last);
  const empty = Array.from({ length: Math.max(0, rows - lines.length) }, () => '');
  return [...lines.slice(0, lines.length - last), ...empty, ...foot];
}

/** The queues that the screen shows, in its order. */
export function shownQueues({ reading, sort, filter = '' }: TopState): readonly QueueView[] {
  const wanted = filter.toLowerCase();
  const queues = reading?.readAt === undefined ? [] : (reading.snapshot.queues ?? []);
  return sorted(queues, sort).filter(({ stats }) => stats.queue.toLowerCase().includes(wanted));
}

/** The same without a screen: every queue, no keys. */
export function topText(reading: Reading, columns: number | undefined, paint: Paint): string[] {
  const size = columns ?? Number.POSITIVE_INFINITY;
  const state: TopState = { reading, isPaused: false, sort: 'worst' };
  const head = headLines(reading, { columns: size, isLow: false, paint });
  const body = bodyLines(state, { columns: size, room: Number.POSITIVE_INFINITY, paint });
  return [...head, '', ...body];
}

/** Lines that say what is wrong, with details. */
function headLines(
  reading: Reading | undefined,
  { columns, isLow, paint }: { columns: number; isLow: boolean; paint: Paint },
): string[] {
  if (!reading) return [paint('bold', 'Reading the queues …')];
  const { tone, title, details } = reading.sentence;
  const icon = GLYPHS[SENTENCE_ICONS[tone]];
  const sentence = wrapped(`${icon} ${oneColumnEach(title)}`, columns, 2);
  const more = details.slice(0, MAX_DETAILS).map(oneColumnEach).join(' ');
  const rest = more === '' || isLow ? [] : wrapped(more, columns - 2, 2).map((line) => `  ${line}`);
  const said = isLow || reading.alarmLine === undefined ? '' : oneColumnEach(reading.alarmLine);
  const alarms = said === '' ? [] : wrapped(said, columns - 2, 2).map((line) => `  ${line}`);
  return [
    ...sentence.map((line) =>
      paint(['bold', COLORS[tone === 'unknown' ? 'new' : tone]].flat() as Parameters<Paint>[0], line),
    ),
    ...rest.map((line) => paint('dim', line)),
    ...alarms,
    ...(isLow ? [] : endedLines(reading, columns).map((line) => paint('dim', line))),
  ];
}

/** `ended: erp.example.com (HttpError 503) of orders and bulk: 14:05 to 14:41 UTC, 36 min; and 2 more in 24 h` */
function endedLines({ snapshot: { queues = [], now } }: Reading, columns: number): string[] {
  const [last, ...others] = endedIncidents(queues);
  if (!last) return [];
  const more = others.length === 0 ? '' : `; and ${others.length} more in 24 h`;
  return wrapped(oneColumnEach(`ended: ${endedText(last, now)}${more}`), columns - 2, 1).map(
    (line) => `  ${line}`,
  );
}

function bodyLines(
  state: TopState,
  { columns, room, paint }: { columns: number; room: number; paint: Paint },
): string[] {
  const { reading, sort, selected, filter = '', isFiltering = false } = state;
  const queues = reading?.snapshot.queues;
  if (reading?.readAt === undefined || queues === undefined) {
    return reading === undefined ? [] : [`Find out more: npx backlog doctor`];
  }
  if (queues.length === 0) return ['No run has served a queue, and no operator has paused one.'];
  const typed = oneColumnEach(filter);
  const filterLine =
    filter === '' && !isFiltering ? [] : [`Queues with "${typed}"${isFiltering ? '▏' : ''} in their names:`];
  const shown = shownQueues(state);
  if (shown.length === 0) return [...filterLine, 'None.'];
  const times = { now: reading.countedAt ?? reading.snapshot.now, wall: reading.readAt };
  if (selected === undefined) return queueTable(shown, times, { columns, sort, paint });
  const [head = '', ...rows] = queueTable(shown, times, { columns: columns - 2, sort, paint });
  const place = Math.min(selected, rows.length - 1);
  const space = room - filterLine.length - 1;
  const visible = windowed(rows, place, rows.length <= space ? rows.length : space - 1);
  const left = rows.length - visible.length;
  const more = left > 0 ? [paint('dim', `… ${left} of ${rows.length} queues are not shown: ↑ ↓`)] : [];
  return [
    ...filterLine,
    `  ${head}`,
    ...visible.map((row) => marked(row.line, row.place === place, columns, paint)),
    ...more,
  ];
}

/** Lines with the age and the cost of the numbers, and with what keeps newer ones away. */
function statusLines(state: TopState, facts: PictureFacts, columns: number, paint: Paint): string[] {
  const { reading, askedAt, nextAt, isPaused } = state;
  const { wall, intervalMs, where } = facts;
  const isSlow = askedAt !== undefined && wall - askedAt >= SLOW_MS;
  const now = askedAt === undefined ? undefined : age(wall - askedAt);
  const refresh = isSlow
    ? paint('yellow', `no answer for ${now}`)
    : isPaused
      ? paint('yellow', '‖ refresh paused')
      : reading?.error !== undefined
        ? paint('yellow', nextAt === undefined ? 'trying again' : `trying again in ${age(nextAt - wall)}`)
        : paint('dim', intervalMs === undefined ? '' : `every ${age(intervalMs)}`);
  const parts = [paint('dim', countsText(reading, wall)), refresh].filter((part) => part !== '');
  const line = parts.join(paint('dim', '; '));
  const time = reading && new Date(reading.snapshot.now).toISOString().slice(11, 19);
  const clock = paint('dim', time === undefined ? '' : `${time} UTC`);
  const gap = columns - width(line) - width(clock);
  const first = gap >= 2 ? `${padEnd(line, columns - width(clock))}${clock}` : line;
  const notice = state.notice === undefined ? [] : [paint('yellow', oneColumnEach(state.notice))];
  const jobs = reading && state.screen?.name !== 'jobs' ? jobLines(reading, wall) : [];
  return [...notice, ...jobs.map((text) => paint('cyan', text)), first, paint('dim', oneColumnEach(where))];
}

/** `read 3 s ago, 3.5 read units, ≈ counted by the monitor up to 2 min ago` */
export function countsText(reading: Reading | undefined, wall: number): string {
  if (reading?.readAt === undefined) return 'no counts';
  const { readAt, readUnits, error, snapshot } = reading;
  const read = `read ${age(Math.max(0, wall - readAt))} ago`;
  const signs = signsText(snapshot.queues ?? [], snapshot.now);
  return [error === undefined ? read : `the last counts, ${read}`, units(readUnits), ...signs].join(', ');
}

/** The keys while the refresh is held: the one that ends it is always named. */
function heldKeys(keys: string): string {
  return keys.replace('  space hold', '').replace('q quit', 'q quit  space go on');
}

function keyLine({ sort, isPaused, screen, isFiltering }: TopState, columns: number, paint: Paint): string {
  const all = isFiltering
    ? ['enter done  esc all queues']
    : screen
      ? LIST_KEYS[screen.name]
      : KEYS.map((keys) => `${isPaused ? heldKeys(keys) : keys}: ${sortText(sort)}`);
  return paint('dim', all.find((text) => width(text) <= columns) ?? 'q quit');
}
