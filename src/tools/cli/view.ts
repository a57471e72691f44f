import { age } from '../../duration.js';
import type { RuntimeStatus } from '../local/status/status.js';
import { printable } from './output.js';
import { cut, type Paint, padEnd, padStart } from './paint.js';

export interface ViewSize {
  readonly columns: number;
  readonly rows: number;
}

const LABEL = 13;
const COUNTS = ['NEW', 'ERROR', 'SUCCESS', 'DEAD'] as const;
const MIN_RUNS = 3;
const MAX_RUNS = 8;
const CLOCK = 19;
/** Narrower terminals see the time of a run without its date, and its rule without its schedule. */
const WIDE_COLUMNS = 110;

const EXPLANATION = 'Rules start runs, runs attempt what is due; what fails waits longer each time.';

/** What the terminal shows of a runtime that is at work: as many lines as fit, none longer than the terminal. */
export function renderView(status: RuntimeStatus, { columns, rows }: ViewSize, paint: Paint): string[] {
  const head = [title(status, paint), paint('dim', EXPLANATION), '', ...banner(status, paint), ''];
  const table = queueTable(status, paint);
  const tail = ['', ...reloaded(status, paint), ...notices(status, paint), ...hints(status, paint)];
  const room = rows - 1 - head.length - table.length - tail.length - 2;
  const most = Math.min(MAX_RUNS, Math.max(MIN_RUNS, room));
  const runs = lastRuns(status, most, columns < WIDE_COLUMNS, paint);
  const lines = [...head, ...table, '', ...runs, ...tail];
  return lines.slice(0, Math.max(1, rows - 1)).map((line) => cut(line, columns));
}

function title({ now, startedAt, paused }: RuntimeStatus, paint: Paint): string {
  const elapsed = age(Date.parse(now) - Date.parse(startedAt));
  const state = paused ? `   ${paint(['bold', 'yellow'], 'paused')}` : '';
  return `${paint(['bold', 'cyan'], 'dynamo-backlog')}   ${paint('dim', `${clock(now)} UTC, ${elapsed} since the start`)}${state}`;
}

/** Aligned lines: where everything is. */
export function banner(status: RuntimeStatus, paint: Paint): string[] {
  const line = (label: string, text: string) => `${paint('dim', padEnd(label, LABEL))}${text}`;
  return [
    line('DynamoDB', `${status.endpoint}  table ${status.tables.join(', ')}`),
    line('Console', status.statusPage),
    line('App', status.app),
    line('Data', status.dataDir ?? 'in memory, gone at the end (--data-dir DIR keeps them)'),
    line('Speed', speedText(status, paint)),
    ...delivery(status, paint).map(([label, text]) => line(label, text)),
  ];
}

function speedText({ speed, paused }: RuntimeStatus, paint: Paint): string {
  if (paused)
    return `${paint('yellow', 'paused')}: no rule fires until the console lets time go on (at ${speed})`;
  if (speed === 1) return 'real time (--speed N lets it pass N times as fast)';
  return `${speed}: 1 second here is ${age(speed * 1000)} of the backlog`;
}

function delivery({ deliverTo, sample, rules }: RuntimeStatus, paint: Paint): [string, string][] {
  const runs = rules.filter(({ queues }) => queues.length > 0);
  if (runs.length > 0 && runs.every(({ enabled }) => !enabled)) {
    const why = deliverTo === undefined ? 'no --deliver-to and no sample: ' : '';
    return [
      ['Delivers', paint('yellow', `nothing: ${why}the app's rules are disabled; records can be imported`)],
    ];
  }
  if (!sample) return deliverTo === undefined ? [] : [['Delivers', `to ${deliverTo}`]];
  const shop: [string, string] = [
    'Sample',
    `a small shop; its orders (default) and products (bulk) go to ${sample.erp ? 'an ERP' : deliverTo}`,
  ];
  if (!sample.erp) return [shop];
  const { up, changesInSeconds, taken, rejected } = sample.erp;
  const state = up
    ? `${paint('green', 'up')}${changesInSeconds === undefined ? '' : `, goes down in ${changesInSeconds} s`}`
    : `${paint(['bold', 'red'], 'DOWN')}, answers 503 ${changesInSeconds === undefined ? 'until the console takes it up' : `for another ${changesInSeconds} s`}`;
  return [shop, ['ERP', `${state}; took ${taken}, rejected ${rejected} permanently`]];
}

function queueTable({ queues, now }: RuntimeStatus, paint: Paint): string[] {
  const names = Math.max(5, ...queues.map(({ name }) => name.length)) + 2;
  const header = [
    padEnd('QUEUE', names),
    padEnd('RETRIES', 15),
    ...COUNTS.map((status) => padStart(status, 9)),
    '   NEXT RUN',
  ].join('');
  const rows = queues.map((queue) =>
    [
      padEnd(printable(queue.name), names),
      padEnd(queue.policy ?? 'no such queue', 15),
      ...COUNTS.map((status) => paintCount(status, queue[status], paint)),
      `   ${queue.nextRunAt ? `in ${age(Date.parse(queue.nextRunAt) - Date.parse(now))}` : '-'}`,
    ].join(''),
  );
  return [paint('dim', header), ...rows];
}

function paintCount(status: (typeof COUNTS)[number], count: number, paint: Paint): string {
  const text = padStart(String(count), 9);
  if (count === 0) return paint('dim', text);
  if (status === 'SUCCESS') return paint('green', text);
  if (status === 'ERROR') return paint('yellow', text);
  return status === 'DEAD' ? paint('red', text) : text;
}

function lastRuns({ runs, rules }: RuntimeStatus, most: number, narrow: boolean, paint: Paint): string[] {
  const time = (at: string) => (narrow ? clock(at).slice(11) : clock(at));
  const name = (label: string) => (narrow ? (label.split(',')[0] ?? label) : label);
  const names = Math.max(9, ...rules.map(({ label }) => name(label).length)) + 2;
  const shown = runs.slice(-most).reverse();
  const lines = shown.map(({ at, label, text, outcome }) => {
    const what = outcome === 'ok' ? printable(text) : paint('red', printable(text));
    return `${paint('dim', time(at))}  ${padEnd(printable(name(label)), names)}${what}`;
  });
  const empty = Array.from({ length: most - shown.length }, () => '');
  const none = shown.length === 0 ? [paint('dim', 'none yet'), ...empty.slice(1)] : [...lines, ...empty];
  return [paint('dim', 'LAST RUNS of the rules that found something to do'), ...none];
}

function notices({ notices: all, logs }: RuntimeStatus, paint: Paint): string[] {
  const last = all.at(-1);
  if (!last) return [];
  const text = `${last.level === 'ERROR' ? 'error' : 'warning'} in ${last.functionName}: ${printable(last.text)}`;
  return [paint(last.level === 'ERROR' ? 'red' : 'yellow', text), paint('dim', `logs: ${logs}`), ''];
}

/** What came of the last save. */
function reloaded({ reload }: RuntimeStatus, paint: Paint): string[] {
  if (!reload) return [];
  const { ok, text, lines, at } = reload;
  const more = ok && lines.length > 0 ? `: ${lines.join('; ')}` : '';
  const time = at.slice(11, 19);
  return [`${paint('dim', `${time} UTC`)}  ${paint(ok ? 'green' : 'red', printable(`${text}${more}`))}`];
}

function hints({ queues }: RuntimeStatus, paint: Paint): string[] {
  const dead = queues.some(({ DEAD }) => DEAD > 0);
  const command = (text: string) => paint('cyan', text);
  const list = `npx backlog list --status ${dead ? 'DEAD' : 'ERROR'}`;
  return [
    `${paint('bold', 'Ctrl-C')} stops it. In another terminal:`,
    `  ${[list, 'npx backlog show ID', 'npx backlog import FILE'].map(command).join('  ')}`,
  ];
}

/** `2026-11-20 09:30:00` */
export function clock(iso: string): string {
  return iso.slice(0, CLOCK).replace('T', ' ');
}
