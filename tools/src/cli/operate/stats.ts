import type { QueueStats } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import { pauseNote, queuesWithRecords, Serving } from 'dynamo-backlog/overview';
import type { Target } from '../connect.js';
import { counted, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { checked } from '../top/check.js';
import { RemoteRuntime } from '../top/remote-runtime.js';
import { openSource } from '../top/source.js';
import { meantText } from '../unserved.js';
import { refuseUnknownQueues } from './known-queue.js';
import { type OperateTargetFlags, operatorAt } from './target.js';
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
  const at = await operatorAt(flags);
  const { operator, target } = at;
  try {
    await refuseUnknownQueues(flags.queues ?? [], at);
    const alsoQueues = flags.queues === undefined ? await queuesAt(target) : undefined;
    const all = await usage(() => operator.stats({ queues: flags.queues, alsoQueues }));
    const result = { ...all, queues: all.queues.map((queue) => withServing(queue, target)) };
    if (flags.json) {
      output.data(JSON.stringify(result));
      return flags.check ? await check(flags, output) : EXIT.ok;
    }
    const now = Date.parse(result.at);
    const paint = painter(hasColors(process.stdout));
    if (result.queues.length > 0) {
      output.data(
        plainTable(
          COLUMNS,
          result.queues.map((queue) => row(queue, now, paint)),
          paint,
        ),
      );
    }
    const progressive = result.queues.filter(({ ages, pending }) => ages && pending > 0);
    if (progressive.length > 0) output.data(`\n${agesTable(progressive, paint)}`);
    output.message(
      `${target.where}, ${result.at}; only indexed records are counted; ${counted(result.readUnits, 'read unit')}`,
    );
    return flags.check ? await check(flags, output) : EXIT.ok;
  } finally {
    target.client.destroy();
  }
}

/** Reads the overview beside the counts, which knows what fails. */
async function check(flags: StatsFlags, output: Output): Promise<ExitCode> {
  const source = await openSource(flags, { patient: true });
  try {
    const reading = await source.read();
    if (reading.error !== undefined) throw reading.error;
    return checked(reading, output, flags.queues);
  } finally {
    source.close();
  }
}

/** The app's queues, and those that its records name though the app has none of that name. */
async function queuesAt({ queues, statusPage, table }: Target): Promise<readonly string[] | undefined> {
  const runtime = statusPage === undefined ? undefined : await new RemoteRuntime(statusPage, table).refresh();
  const named = queuesWithRecords({ runtime, backlog: { table } });
  return queues && [...queues, ...named];
}

/** The app of a local runtime knows more than the registry, where functions come one after the other. */
function withServing({ unserved: byRegistry, ...stats }: QueueStats, { queues: app }: Target): ServedStats {
  if (!app) return byRegistry ? { ...stats, unserved: true } : stats;
  const serving = new Serving({ app });
  if (stats.pending === 0 || !serving.isUnserved(stats.queue)) return stats;
  return { ...stats, unserved: true, didYouMean: serving.meant(stats.queue) };
}

function row(queue: ServedStats, now: number, paint: Paint): string[] {
  const { unserved, didYouMean } = queue;
  const { due, lagSeconds, oldestDueAt, dead, pausedAt } = queue;
  const since = pausedAt === undefined ? 'paused' : `paused ${age(now - Date.parse(pausedAt))}`;
  const paused = `${since}${pauseNote(queue, now)}`;
  const oldestMs = oldestDueAt === undefined ? undefined : now - Date.parse(oldestDueAt);
  return [
    printable(queue.queue),
    queue.retryMode === 'progressive' ? 'by age' : queue.retryMode === 'perRecord' ? 'per record' : '-',
    String(queue.pending),
    ...[due?.now, due?.minute, due?.hour, due?.day].map((count) =>
      count === undefined ? '-' : String(count),
    ),
    lagSeconds === undefined ? '-' : age(lagSeconds * 1000),
    oldestMs === undefined ? '-' : oldestMs >= 0 ? age(oldestMs) : `in ${age(-oldestMs)}`,
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
