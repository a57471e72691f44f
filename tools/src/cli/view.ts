import { age } from 'dynamo-backlog/engine';
import type { RuntimeStatus } from '../local/status/status.js';
import { clock, printable } from './output.js';
import { cut, type Paint, padEnd, padStart } from './paint.js';
import { reloadLines } from './reload-lines.js';
import { bannerLines, bannerText } from './start-banner.js';
import { hasOutageKey, helpLines, keyLine } from './start-help.js';
import { outputLines, problemLines, runLines } from './start-runs.js';

export interface ViewSize {
  readonly columns: number;
  readonly rows: number;
}

/** Facts that the view shows beside the status. */
export interface ViewExtras {
  /** Keys are read. */
  readonly hasKeys?: boolean | undefined;
  /** The list of the keys, in place of the runs. */
  readonly isHelp?: boolean | undefined;
  /** Result of the last key. */
  readonly said?: string | undefined;
  /** Step that the start is at. Absent: the start is over. */
  readonly step?: string | undefined;
}

const COUNTS = ['NEW', 'ERROR', 'SUCCESS', 'DEAD'] as const;
/** Lines of a higher terminal would say no more. */
const MAX_LINES = 40;
const MIN_RUNS = 3;
/** Queues and runs. With less room, the head is shorter; and where that does not help, there is one run without a title. */
const MIN_BODY = 10;
/** Narrower terminals see the time of a run without its date, and its rule without its schedule. */
const WIDE_COLUMNS = 110;
/** Narrower ones see no policies. */
const POLICY_COLUMNS = 76;

const EXPLANATION = 'Rules start runs, runs attempt what is due; what fails waits longer each time.';

/**
 * Returns the lines that the terminal shows of a runtime: always as many as fit, none longer than the terminal. What is
 * there stays where it is: the runs take the room that the rest leaves.
 */
export function renderView(
  status: RuntimeStatus,
  { columns, rows }: ViewSize,
  paint: Paint,
  extras: ViewExtras = {},
): string[] {
  const height = Math.max(1, Math.min(rows - 1, MAX_LINES));
  const foot = footer(status, height, columns, paint, extras);
  const heads = [4, 3, 2, 1].map((detail) => header(status, detail, paint, extras));
  // How many queues there are is known late, and problems come and go: neither changes the head.
  const head = heads.find((one) => one.length + MIN_BODY + foot.length <= height) ?? heads.at(-1) ?? [];
  const room = Math.max(0, height - head.length - foot.length);
  const body = bodyLines(status, room, columns, paint, extras);
  return [...fill([...head, ...body], height - foot.length), ...foot]
    .slice(0, height)
    .map((line) => cut(line, columns));
}

function bodyLines(
  status: RuntimeStatus,
  room: number,
  columns: number,
  paint: Paint,
  { step, isHelp }: ViewExtras,
): string[] {
  if (step !== undefined) return [tableHeader(status, columns, paint), paint('cyan', `${step} …`)];
  if (isHelp) return helpLines(status, paint).slice(0, room);
  const isLow = room < MIN_BODY;
  const title = isLow ? [] : [paint('dim', 'RUNS that found something to do, by their start')];
  const left = room - 1 - title.length;
  const leastRuns = isLow ? 1 : MIN_RUNS;
  const table = queueTable(status, Math.max(2, left - leastRuns), columns, paint);
  const roomBelow = left - table.length - leastRuns;
  const problems = problemLines(status, roomBelow, paint);
  // They share the room: a good save does not hide what a handler throws.
  const leastReload = Math.ceil(roomBelow / 2);
  const reloaded = reloadLines(status, Math.max(leastReload, roomBelow - problems.length), paint);
  const news = [...problemLines(status, roomBelow - reloaded.length, paint), ...reloaded];
  const below = [...news, ...outputLines(status, roomBelow - news.length, paint)];
  const runsRoom = Math.max(1, left - table.length - below.length);
  const runs = runLines(status, runsRoom, columns < WIDE_COLUMNS, paint);
  return [...table, countsNote(status, paint), ...title, ...fill(runs, runsRoom), ...below].slice(0, room);
}

/** @param detail the ranks of lines that are shown; 4: with an explanation */
function header(status: RuntimeStatus, detail: number, paint: Paint, extras: ViewExtras): string[] {
  const lines = bannerLines(status, paint, extras.hasKeys === true)
    .filter(({ rank }) => rank <= detail)
    .map((line) => bannerText(line, paint));
  const first = title(status, paint, extras);
  if (detail === 1) return [first, ...lines];
  return [first, ...(detail === 4 ? [paint('dim', EXPLANATION), ''] : []), ...lines, ''];
}

function title({ now, startedAt, paused }: RuntimeStatus, paint: Paint, { step }: ViewExtras): string {
  const name = paint(['bold', 'cyan'], 'dynamo-backlog');
  if (step !== undefined) return `${name}   ${paint('dim', 'starting; the clock begins when all is ready')}`;
  const elapsed = age(Date.parse(now) - Date.parse(startedAt));
  const state = paused ? `   ${paint(['bold', 'yellow'], 'paused')}` : '';
  return `${name}   ${paint('dim', `${clock(now)} UTC, ${elapsed} since the start`)}${state}`;
}

const nameColumn = ({ queues }: RuntimeStatus) =>
  Math.min(30, Math.max(7, ...queues.map(({ name }) => name.length))) + 2;

function tableHeader(status: RuntimeStatus, columns: number, paint: Paint): string {
  const counts = COUNTS.map((name) => padStart(name, 9)).join('');
  return paint(
    'dim',
    `${padEnd('QUEUE', nameColumn(status))}${policyCell('RETRIES', columns)}${counts}   NEXT RUN`,
  );
}

/** @param most lines, the header included */
function queueTable(status: RuntimeStatus, most: number, columns: number, paint: Paint): string[] {
  const { queues, now } = status;
  const names = nameColumn(status);
  const shown = queues.length < most ? queues : queues.slice(0, most - 2);
  const rows = shown.map((queue) =>
    [
      padEnd(cut(printable(queue.name), names - 1), names),
      policyCell(queue.policy ?? 'no such queue', columns),
      ...COUNTS.map((name) => paintCount(name, queue[name], paint)),
      `   ${queue.nextRunAt ? `in ${age(Date.parse(queue.nextRunAt) - Date.parse(now))}` : '-'}`,
    ].join(''),
  );
  const left = queues.length - shown.length;
  const more = left > 0 ? [paint('dim', `… and ${left} more, in the console`)] : [];
  return [tableHeader(status, columns, paint), ...rows, ...more];
}

/** Narrow terminals have no room for it. */
function policyCell(text: string, columns: number): string {
  return columns < POLICY_COLUMNS ? '' : padEnd(text, 15);
}

function paintCount(name: (typeof COUNTS)[number], count: number, paint: Paint): string {
  const text = padStart(String(count), 9);
  if (count === 0) return paint('dim', text);
  if (name === 'SUCCESS') return paint('green', text);
  if (name === 'ERROR') return paint('yellow', text);
  return name === 'DEAD' ? paint('red', text) : text;
}

/** The line below the queues is empty, unless their counts are older than the runs. */
function countsNote({ countsBehind, countedAt }: RuntimeStatus, paint: Paint): string {
  if (!countsBehind || countedAt === undefined) return '';
  return paint('yellow', `counts as of ${clock(countedAt).slice(11)}: later runs are not in them yet`);
}

function footer(
  status: RuntimeStatus,
  height: number,
  columns: number,
  paint: Paint,
  { hasKeys, said }: ViewExtras,
): string[] {
  const spoken = said === undefined ? '' : paint('cyan', `› ${printable(said)}`);
  const keys = hasKeys
    ? keyLine(columns, hasOutageKey(status), paint)
    : `${paint('bold', 'Ctrl-C')} stops it.`;
  if (height < 20) return [spoken, keys];
  const dead = status.queues.some(({ DEAD }) => DEAD > 0);
  const commands = [`npx backlog list --status ${dead ? 'DEAD' : 'ERROR'}`, 'npx backlog show ID'];
  const texts = commands.map((text) => paint('cyan', text)).join('  ');
  return [spoken, keys, `${paint('dim', 'In another terminal:')} ${texts}`];
}

function fill(lines: readonly string[], count: number): string[] {
  const missing = Math.max(0, count - lines.length);
  return [...lines.slice(0, Math.max(0, count)), ...Array.from({ length: missing }, () => '')];
}
