import { age } from 'dynamo-backlog/engine';
import { signsText, units } from 'dynamo-backlog/overview';
import { cut, type Paint, padEnd, width } from '../paint.js';
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
  /** Number of queues above the screen. */
  readonly scrolled: number;
}

export interface PictureFacts {
  /** Name and place of the table, for the user. */
  readonly where: string;
  /** Interval between readings of the counts, in milliseconds. Undefined: they are read once. */
  readonly intervalMs: number | undefined;
  /** Real time, epoch milliseconds. */
  readonly wall: number;
}

const KEYS = 'q quit  p pause  r refresh now  s sort';
/** A store answers within this time; what takes longer is said. */
const SLOW_MS = 3_000;
const MAX_DETAILS = 6;
const ICONS = { ok: 'ok', unknown: 'new', amber: 'warn', dead: 'warn' } as const;

/** The whole screen: as many lines as fit, none longer than the terminal. */
export function topPicture(
  state: TopState,
  facts: PictureFacts,
  { columns, rows }: { columns: number; rows: number },
  paint: Paint,
): { readonly lines: string[]; readonly most: number } {
  const head = headLines(state.reading, { columns, isLow: rows < 16, paint });
  const foot = [...statusLines(state, facts, columns, paint), keyLine(state, columns, paint)];
  const room = Math.max(1, rows - head.length - foot.length - 2);
  const { lines: body, most } = bodyLines(state, { columns, room, paint });
  const lines = [...head, '', ...body, '', ...foot].slice(0, Math.max(1, rows));
  return { lines: lines.map((line) => cut(line, columns)), most };
}

/** The same without a screen: every queue, no keys. */
export function topText(reading: Reading, columns: number | undefined, paint: Paint): string[] {
  const size = columns ?? Number.POSITIVE_INFINITY;
  const state: TopState = { reading, isPaused: false, sort: 'worst', scrolled: 0 };
  const head = headLines(reading, { columns: size, isLow: false, paint });
  const { lines: body } = bodyLines(state, { columns: size, room: Number.POSITIVE_INFINITY, paint });
  return [...head, '', ...body];
}

/** Lines that say what is wrong, with details. */
function headLines(
  reading: Reading | undefined,
  { columns, isLow, paint }: { columns: number; isLow: boolean; paint: Paint },
): string[] {
  if (!reading) return [paint('bold', 'Reading the queues …')];
  const { tone, title, details } = reading.sentence;
  const icon = GLYPHS[ICONS[tone]];
  const sentence = wrapped(`${icon} ${oneColumnEach(title)}`, columns, 2);
  const more = details.slice(0, MAX_DETAILS).map(oneColumnEach).join(' ');
  const rest = more === '' || isLow ? [] : wrapped(more, columns - 2, 2).map((line) => `  ${line}`);
  return [
    ...sentence.map((line) =>
      paint(['bold', COLORS[tone === 'unknown' ? 'new' : tone]].flat() as Parameters<Paint>[0], line),
    ),
    ...rest.map((line) => paint('dim', line)),
  ];
}

function bodyLines(
  { reading, sort, scrolled }: TopState,
  { columns, room, paint }: { columns: number; room: number; paint: Paint },
): { lines: string[]; most: number } {
  const queues = reading?.snapshot.queues;
  if (reading?.readAt === undefined || queues === undefined) {
    const next = reading === undefined ? [] : [`Find out more: npx backlog doctor`];
    return { lines: next, most: 0 };
  }
  if (queues.length === 0) {
    return { lines: ['No run has served a queue, and no operator has paused one.'], most: 0 };
  }
  const times = { now: reading.countedAt ?? reading.snapshot.now, wall: reading.readAt };
  const [head = '', ...rows] = queueTable(sorted(queues, sort), times, { columns, sort, paint });
  if (rows.length < room) return { lines: [head, ...rows], most: 0 };
  const shown = Math.max(1, room - 2);
  const most = rows.length - shown;
  const first = Math.min(scrolled, most);
  const hidden = `… ${rows.length - shown} of ${rows.length} queues are not shown: ↑ ↓`;
  return { lines: [head, ...rows.slice(first, first + shown), paint('dim', hidden)], most };
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
  return [first, paint('dim', oneColumnEach(where))];
}

/** `read 3 s ago, 3.5 read units, ≈ counted by the monitor up to 2 min ago` */
export function countsText(reading: Reading | undefined, wall: number): string {
  if (reading?.readAt === undefined) return 'no counts';
  const { readAt, readUnits, error, snapshot } = reading;
  const read = `read ${age(Math.max(0, wall - readAt))} ago`;
  const signs = signsText(snapshot.queues ?? [], snapshot.now);
  return [error === undefined ? read : `the last counts, ${read}`, units(readUnits), ...signs].join(', ');
}

function keyLine({ sort, isPaused }: TopState, columns: number, paint: Paint): string {
  const keys = isPaused ? KEYS.replace('p pause', 'p go on') : KEYS;
  const text = `${keys}: ${sortText(sort)}`;
  return paint('dim', width(text) <= columns ? text : 'q quit');
}
