import { readFile } from 'node:fs/promises';
import { ConfigurationError } from 'dynamo-backlog';
import { DEFAULT_TIERS, maxAttemptsPerHour, QUEUE_DEFAULTS, systemClock } from 'dynamo-backlog/engine';
import { totalOf } from '../../cost/bill.js';
import { measuredBill, measuredWork } from '../../cost/measured-bill.js';
import { otherBills } from '../../cost/other-bills.js';
import { ownBill } from '../../cost/own-bill.js';
import { type Prices, pricesWith, US_EAST_1 } from '../../cost/prices.js';
import { MONTH_SECONDS, volumeOf, type Workload } from '../../cost/workload.js';
import { UsageError, usage } from '../operate/usage.js';
import { EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { painter } from '../paint.js';
import { type Bill, costText } from './cost-text.js';
import { hoursText, type MeasuredStack, measureStack } from './measure.js';

export interface CostFlags {
  /** Records per second. */
  readonly rate?: number | undefined;
  readonly stack?: string | undefined;
  /** Seconds. */
  readonly over?: number | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
  readonly failing?: number | undefined;
  /** Milliseconds. */
  readonly attempt?: number | undefined;
  readonly policy: 'fibonacci' | 'progressive';
  readonly queues?: number | undefined;
  readonly concurrency?: number | undefined;
  /** Seconds. */
  readonly window?: number | undefined;
  readonly memory?: number | undefined;
  /** Seconds. */
  readonly retention?: number | undefined;
  readonly minimal?: boolean | undefined;
  readonly prices?: string | undefined;
  readonly json?: boolean | undefined;
}

const DEFAULT_OVER_SECONDS = 7 * 86_400;

/** `backlog cost`: the bill of a month. */
export async function cost(given: CostFlags, output: Output): Promise<ExitCode> {
  const prices = await usage(() => pricesOf(given.prices));
  if (given.stack === undefined) {
    if (given.rate === undefined) throw new UsageError('expected --rate, or a deployed stack with --stack');
    if (given.over !== undefined) throw new UsageError('--over is the time that is read of a --stack');
    const work = workloadOf(given, given.rate);
    warnOfConcurrency(work, output);
    report({ work, items: ownBill(work, prices), prices }, given, output);
    return EXIT.ok;
  }
  const over = given.over ?? DEFAULT_OVER_SECONDS;
  const found = await measureStack(given.stack, over, systemClock.wall());
  const { measured, notes } = found;
  for (const note of notes) output.message(printable(note));
  if (!measured.attempts && given.rate === undefined)
    throw new UsageError(
      'the attempts of the stack could not be read: say with --rate how many records come in',
    );
  if (measured.attempts && given.rate !== undefined)
    output.message('--rate is not used: attempts were measured');
  if (measured.stored?.perRecord !== undefined && given.size !== undefined)
    output.message('--size is not used: records were measured');
  const work = measuredWork({ ...workloadOf(given, given.rate ?? 0), ...ofTemplate(found) }, measured);
  report({ work, items: measuredBill(work, measured, prices), prices, stack: found }, given, output);
  return notes.length === 0 ? EXIT.ok : EXIT.problems;
}

/** Warns of a bill for more work than the queues can do. */
function warnOfConcurrency(work: Workload, output: Output): void {
  const { concurrency, queues, isProgressive, attemptMs } = work;
  const perHour = (3_600 * volumeOf(work).attempts) / MONTH_SECONDS / queues;
  const tiers = isProgressive ? DEFAULT_TIERS.length : 1;
  const numbers = { concurrency, shards: 1, tiers, runsOnArrival: QUEUE_DEFAULTS.onInsertConcurrency };
  const most = maxAttemptsPerHour(numbers, attemptMs / 1000);
  if (perHour <= most) return;
  const [needed, possible] = [perHour, most].map((count) => Math.round(count).toLocaleString('en-US'));
  output.message(
    `a queue needs ${needed} attempts an hour, and makes at most ${possible} with a concurrency of ${concurrency}: ` +
      'more records come in than are attempted. Raise --concurrency, or --queues',
  );
}

interface Reported extends Omit<Bill, 'volume' | 'others' | 'measured'> {
  readonly stack?: MeasuredStack | undefined;
}

function report({ stack, ...bill }: Reported, given: CostFlags, output: Output): void {
  const volume = volumeOf(bill.work);
  const others = otherBills(bill.work, bill.prices);
  const { hours, notes } = stack ?? {};
  if (given.json) {
    const { work, prices, items } = bill;
    const span = hours && { from: new Date(hours.from).toISOString(), to: new Date(hours.to).toISOString() };
    const ofStack = span && { stack: { name: given.stack, ...span, notes } };
    output.data(JSON.stringify({ work, volume, prices, dollars: totalOf(items), items, others, ...ofStack }));
    return;
  }
  const measured = hours && `stack ${given.stack}, ${hoursText(hours)}`;
  output.data(costText({ ...bill, volume, others, measured }, painter(hasColors(process.stdout))));
}

/** The work as the template says it. */
function ofTemplate({ parts: { records, isProgressive } }: MeasuredStack) {
  return { isProgressive, queues: Math.max(1, [...records.values()].flat().length) };
}

function workloadOf(given: CostFlags, perSecond: number): Workload {
  return {
    perSecond,
    bytes: given.size ?? 1_024,
    failing: given.failing ?? 0.01,
    attemptMs: given.attempt ?? 200,
    isProgressive: given.policy === 'progressive',
    queues: given.queues ?? 1,
    concurrency: given.concurrency ?? 10,
    windowSeconds: given.window ?? 0,
    memoryMb: given.memory ?? 512,
    retentionSeconds: given.retention ?? 30 * 86_400,
    isMinimal: given.minimal === true,
  };
}

async function pricesOf(file: string | undefined): Promise<Prices> {
  if (file === undefined) return US_EAST_1;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`--prices: expected a file that can be read: ${(error as Error).message}`);
  }
  return pricesWith(text, '--prices');
}
