import type { QueueStats } from 'dynamo-backlog';
import { age, toIso } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  endedIncidents,
  type Incident,
  incidentsOf,
  type QueueView,
} from 'dynamo-backlog/overview';
import type { Target } from '../connect.js';
import { endedJson, incidentsJson } from '../incidents-json.js';
import { counted, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { checked } from '../top/check.js';
import { type Reading, type Source, sourceAt } from '../top/source.js';
import { refuseUnknownQueues } from './known-queue.js';
import { stateText } from './queue-state.js';
import { type OperateTargetFlags, tablesAt } from './target.js';
import { usage } from './usage.js';

export interface StatsFlags extends OperateTargetFlags {
  readonly queues?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly check?: boolean | undefined;
}

const COLUMNS = [
  ['QUEUE', 'left'],
  ['RETRIES', 'left'],
  ['WAITING', 'right'],
  ['DUE NOW', 'right'],
  ['1 MIN', 'right'],
  ['1 H', 'right'],
  ['1 D', 'right'],
  ['LAG', 'right'],
  ['OLDEST', 'right'],
  ['RETRY', 'right'],
  ['DEAD', 'right'],
  ['STATE', 'left'],
] as const;

/** `backlog stats`: how the queues are doing. */
export async function stats(flags: StatsFlags, output: Output): Promise<ExitCode> {
  const at = await tablesAt(flags);
  const { target } = at;
  let source: Source | undefined;
  try {
    await refuseUnknownQueues(flags.queues ?? [], at);
    source = await usage(async () => sourceAt(at, { patient: true, exact: { queues: flags.queues } }));
    const reading = await source.read();
    if (reading.error !== undefined) throw reading.error;
    report(reading, { json: flags.json, target }, output);
    return flags.check ? checked(reading, output, flags.queues) : EXIT.ok;
  } finally {
    source?.close();
    target.client.destroy();
  }
}

function report(
  { snapshot, jobs, alarmLine, countedAt, readUnits }: Reading,
  { json, target: { where, runbookUrl } }: { readonly json: boolean | undefined; readonly target: Target },
  output: Output,
): void {
  const at = toIso(countedAt ?? snapshot.now);
  const queues = [...(snapshot.queues ?? [])];
  queues.sort((one, other) => (one.stats.queue < other.stats.queue ? -1 : 1));
  const incidents = incidentsOf(queues, snapshot.alarms);
  if (json) {
    output.data(
      JSON.stringify({
        readUnits,
        at,
        incidents: incidentsJson(incidents, { runbookUrl, jobs, now: snapshot.now }),
        ended: endedJson(endedIncidents(queues)),
        queues: queues.map(jsonOf),
      }),
    );
    return;
  }
  const now = Date.parse(at);
  const paint = painter(hasColors(process.stdout));
  const rows = queues.map((view) => row(view, { incidents, now, paint }));
  if (rows.length > 0) output.data(plainTable(COLUMNS, rows, paint));
  const progressive = queues.map(({ stats }) => stats).filter(({ ages, pending }) => ages && pending > 0);
  if (progressive.length > 0) output.data(`\n${agesTable(progressive, paint)}`);
  if (alarmLine !== undefined) output.message(printable(alarmLine));
  output.message(`${where}, ${at}; only indexed records are counted; ${counted(readUnits, 'read unit')}`);
}

/** The figures of a queue for programs. */
function jsonOf({ stats, condition, unserved, inRetry }: QueueView) {
  const {
    counted,
    countedAt,
    lanes,
    beginnings,
    busyKeys,
    reading,
    queue,
    pending: waiting,
    ...others
  } = stats;
  const served = unserved ? { unserved: true, didYouMean: unserved.meant } : {};
  return { queue, condition, waiting, ...others, inRetry, ...served };
}

function row(
  view: QueueView,
  context: { readonly incidents: readonly Incident[]; readonly now: number; readonly paint: Paint },
): string[] {
  const { now, paint } = context;
  const { stats, inRetry, retryCounted } = view;
  const { due, lagSeconds, oldestDueAt, dead } = stats;
  // A producer may have written the due time: one that cannot be read has no age.
  const oldestMs = now - Date.parse(oldestDueAt ?? '');
  return [
    printable(stats.queue),
    stats.retryMode === 'progressive' ? 'by age' : stats.retryMode === 'perRecord' ? 'per record' : '-',
    String(stats.pending),
    ...[due?.now, due?.minute, due?.hour, due?.day].map((count) =>
      count === undefined ? '-' : String(count),
    ),
    lagSeconds === undefined ? '-' : age(lagSeconds * 1000),
    !Number.isFinite(oldestMs) ? '-' : oldestMs >= 0 ? age(oldestMs) : `in ${age(-oldestMs)}`,
    inRetry === undefined ? '-' : `${COUNT_SIGNS[retryCounted].trim()}${inRetry}`,
    dead > 0 ? paint('red', String(dead)) : '0',
    stateText(view, context),
  ];
}

function agesTable(queues: readonly QueueStats[], paint: Paint): string {
  const bands = queues[0]?.ages ?? [];
  const columns = [
    ['AGE', 'left'],
    ...bands.map(({ fromAgeSeconds, untilAgeSeconds }) => [
      untilAgeSeconds === undefined ? `> ${age(fromAgeSeconds * 1000)}` : `≤ ${age(untilAgeSeconds * 1000)}`,
      'right',
    ]),
    ['DELAYED', 'right'],
  ] as [string, 'left' | 'right'][];
  const rows = queues.map(({ queue, ages = [], delayed = 0 }) => [
    printable(queue),
    ...ages.map(({ count }) => String(count)),
    String(delayed),
  ]);
  return plainTable(columns, rows, paint);
}
