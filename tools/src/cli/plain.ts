import { age } from 'dynamo-backlog/engine';
import { type RunReport, shortened } from 'dynamo-backlog/overview';
import type { AlarmEpisode } from '../local/alarms/alarm-watch.js';
import type { ReloadNews } from '../local/reload/news.js';
import type { Notice } from '../local/sandbox/function-logs.js';
import type { OutputLine } from '../local/sandbox/handler-output.js';
import { ownFrames } from '../local/status/error-log.js';
import type { RuntimeStatus } from '../local/status/status.js';
import { clock, counted, printable } from './output.js';

const MAX_DESCRIPTION = 200;

/** `2026-11-20 09:30:00  default, every minute: attempted 12: 12 ok, 0 failed, 0 dead - drained (40 ms)` */
export function plainRun(run: RunReport): string {
  const late = run.coalesced > 0 ? ` (stands for ${run.coalesced} more)` : '';
  const took = `${Math.round(run.durationMs)} ms`;
  return `${clock(run.at)}  ${run.label}: ${printable(run.text)} (${took})${late}`;
}

/** `ERROR Orders: TypeError: no such thing`, with where it was thrown. */
export function plainNotice({ level, functionName, text, stack = [] }: Notice): string {
  const where = ownFrames(stack)
    .slice(0, 1)
    .map((place) => `\n  ${printable(place)}`);
  return `${level} ${functionName}: ${printable(text)}${where.join('')}`;
}

/** `2026-11-20 09:30:00  ALARM Failing-orders: …`, or `… OK Failing-orders, after 22 min` */
export function plainAlarm({ name, description, from, until }: AlarmEpisode): string {
  if (until === undefined)
    return `${clock(from)}  ALARM ${printable(name)}: ${printable(shortened(description, MAX_DESCRIPTION))}`;
  return `${clock(until)}  OK ${printable(name)}, after ${age(Date.parse(until) - Date.parse(from))}`;
}

/** `orders order-7: sent` */
export function plainOutput({ where, record, text }: OutputLine): string {
  return printable(`${where}${record === undefined ? '' : ` ${record}`}: ${text}`);
}

/** A line for what came of a save, and those that explain it. */
export function plainReload({ ok, text, lines }: ReloadNews): string[] {
  return [`${ok ? 'reload' : 'ERROR'}: ${printable(text)}`, ...lines.map((line) => `  ${printable(line)}`)];
}

/** One line with all counts. */
export function plainCounts({ now, paused, queues, sample }: RuntimeStatus): string {
  const counts = queues.map(
    ({ name, NEW, ERROR, SUCCESS, DEAD }) =>
      `${printable(name)}: ${NEW} NEW, ${ERROR} ERROR, ${SUCCESS} SUCCESS, ${DEAD} DEAD`,
  );
  const erp = sample?.erp ? [`ERP ${sample.erp.up ? 'up' : 'down'}`] : [];
  return `${clock(now)}  ${[...counts, ...erp, ...(paused ? ['paused'] : [])].join(' | ')}`;
}

/** Summary of all runs and queues, for the end. */
export function summary(status: RuntimeStatus): string[] {
  const { totals, queues, dataDir } = status;
  const extras = [
    totals.broken > 0 ? `${totals.broken} ended badly` : '',
    totals.late > 0 ? `${totals.late} late and made up for` : '',
    totals.givenUp > 0 ? `${totals.givenUp} given up` : '',
  ].filter(Boolean);
  const others = [
    totals.snoozed > 0 ? `, ${totals.snoozed} snoozed` : '',
    totals.pending > 0 ? `, ${totals.pending} pending` : '',
    totals.cancelled > 0 ? `, ${totals.cancelled} cancelled` : '',
  ].join('');
  return [
    `${counted(totals.runs, 'run')}${extras.length > 0 ? ` (${extras.join(', ')})` : ''}; attempted ${totals.attempted}: ` +
      `${totals.succeeded} ok, ${totals.failed} failed, ${totals.dead} dead${others}`,
    ...queues.map(
      ({ name, NEW, ERROR, SUCCESS, DEAD }) =>
        `${printable(name)}: ${NEW} NEW, ${ERROR} ERROR, ${SUCCESS} SUCCESS, ${DEAD} DEAD`,
    ),
    ...(dataDir === undefined ? [] : [`kept in ${dataDir}`]),
  ];
}
