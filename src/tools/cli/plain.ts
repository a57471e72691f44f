import type { ReloadNews } from '../local/reload/news.js';
import type { RunReport } from '../local/status/run-report.js';
import type { RuntimeStatus } from '../local/status/status.js';
import { counted, printable } from './output.js';
import { clock } from './view.js';

/** `2026-11-20 09:30:00  default, every minute: attempted 12: ...` */
export function plainRun(run: RunReport): string {
  const late = run.coalesced > 0 ? ` (stands for ${run.coalesced} more)` : '';
  return `${clock(run.at)}  ${run.label}: ${printable(run.text)}${late}`;
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

/** What is left to say at the end. */
export function summary(status: RuntimeStatus): string[] {
  const { totals, queues, dataDir } = status;
  const extras = [
    totals.broken > 0 ? `${totals.broken} ended badly` : '',
    totals.late > 0 ? `${totals.late} late and made up for` : '',
    totals.givenUp > 0 ? `${totals.givenUp} given up` : '',
  ].filter(Boolean);
  const others = [
    totals.snoozed > 0 ? `, ${totals.snoozed} snoozed` : '',
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
