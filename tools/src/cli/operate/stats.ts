import type { QueueStats, Stats } from 'dynamo-backlog';
import { age, toIso } from 'dynamo-backlog/engine';
import { pauseNote } from 'dynamo-backlog/overview';
import { counted, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { checked } from '../top/check.js';
import { type Reading, sourceAt } from '../top/source.js';
import { meantText } from '../unserved.js';
import { refuseUnknownQueues } from './known-queue.js';
import { type OperateTargetFlags, tablesAt } from './target.js';
import { usage } from './usage.js';

export interface StatsFlags extends OperateTargetFlags {
  readonly queues?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly check?: boolean | undefined;
}

interface ServedStats extends QueueStats {
  /** The queue that was probably meant, where no rule serves this one. */
  readonly didYouMean?: string | undefined;
}

const COLUMNS = [
  ['QUEUE', 'left'],
  ['RETRIES', 'left'],
  ['PENDING', 'right'],
  ['DUE NOW', 'right'],
  ['1 MIN', 'right'],
  ['1 H', 'right'],
  ['1 D', 'right'],
  ['LAG', 'right'],
  ['OLDEST', 'right'],
  ['DEAD', 'right'],
  ['STATE', 'left'],
] as const;

/** `backlog stats`: how the queues are doing. */
export async function stats(flags: StatsFlags, output: Output): Promise<ExitCode> {
  const at = await tablesAt(flags);
  const { target } = at;
  try {
    await refuseUnknownQueues(flags.queues ?? [], at);
    const source = await usage(async () => sourceAt(at, { patient: true, exact: { queues: flags.queues } }));
    const reading = await source.read();
    if (reading.error !== undefined) throw reading.error;
    report(statsOf(reading), { json: flags.json, where: target.where }, output);
    return flags.check ? checked(reading, output, flags.queues) : EXIT.ok;
  } finally {
    target.client.destroy();
  }
}

/** The counts of a reading, as `BacklogOperator.stats` gives them. */
function statsOf({ snapshot, countedAt, readUnits }: Reading): Stats & { queues: readonly ServedStats[] } {
  const queues = (snapshot.queues ?? []).map(({ stats, unserved }): ServedStats => {
    const { counted, countedAt, lanes, inRetry, reading, ...counts } = stats;
    return unserved ? { ...counts, unserved: true, didYouMean: unserved.meant } : counts;
  });
  queues.sort((one, other) => (one.queue < other.queue ? -1 : 1));
  return { at: toIso(countedAt ?? snapshot.now), queues, readUnits };
}

function report(
  { at, queues, readUnits }: ReturnType<typeof statsOf>,
  { json, where }: { readonly json: boolean | undefined; readonly where: string },
  output: Output,
): void {
  if (json) {
    output.data(JSON.stringify({ readUnits, at, queues }));
    return;
  }
  const now = Date.parse(at);
  const paint = painter(hasColors(process.stdout));
  const rows = queues.map((queue) => row(queue, now, paint));
  if (rows.length > 0) output.data(plainTable(COLUMNS, rows, paint));
  const progressive = queues.filter(({ ages, pending }) => ages && pending > 0);
  if (progressive.length > 0) output.data(`\n${agesTable(progressive, paint)}`);
  output.message(`${where}, ${at}; only indexed records are counted; ${counted(readUnits, 'read unit')}`);
}

function row(queue: ServedStats, now: number, paint: Paint): string[] {
  const { unserved, didYouMean } = queue;
  const { due, lagSeconds, oldestDueAt, dead, pausedAt } = queue;
  const since = pausedAt === undefined ? 'paused' : `paused ${age(now - Date.parse(pausedAt))}`;
  const paused = `${since}${pauseNote(queue, now)}`;
  // A producer may have written the due time: one that cannot be read has no age.
  const oldestMs = now - Date.parse(oldestDueAt ?? '');
  return [
    printable(queue.queue),
    queue.retryMode === 'progressive' ? 'by age' : queue.retryMode === 'perRecord' ? 'per record' : '-',
    String(queue.pending),
    ...[due?.now, due?.minute, due?.hour, due?.day].map((count) =>
      count === undefined ? '-' : String(count),
    ),
    lagSeconds === undefined ? '-' : age(lagSeconds * 1000),
    !Number.isFinite(oldestMs) ? '-' : oldestMs >= 0 ? age(oldestMs) : `in ${age(-oldestMs)}`,
    dead > 0 ? paint('red', String(dead)) : '0',
    [
      ...(unserved ? [paint('yellow', `no rule serves it${meantText(didYouMean)}`)] : []),
      ...(queue.paused ? [paint('yellow', paused)] : []),
      ...(queue.openBreakers > 0 ? [paint('yellow', `${counted(queue.openBreakers, 'breaker')} open`)] : []),
    ].join(', '),
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
