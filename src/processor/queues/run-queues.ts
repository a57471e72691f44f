import type { RunDeps } from '../deps.js';
import type { OnePage, RunOptions } from '../options.js';
import type { Bookmark } from '../pages.js';
import { run as runQueue } from '../run.js';
import type { RunSummary, StopReason } from '../summary.js';
import { Upcoming } from '../upcoming.js';
import { areEqual, drawQueue, type QueueWeights } from './weights.js';

/** One queue of several that a run serves. */
export interface QueueRun {
  readonly options: RunOptions;
  readonly weight: number;
}

/**
 * Drains several queues in one invocation. With equal weights all at the same time; with different ones page by page,
 * each page's queue drawn by its weight from those that have anything left. An empty queue takes no
 * part of the others' shares.
 *
 * @returns a summary for each queue, in their order
 */
export async function runQueues(
  queues: readonly QueueRun[],
  deps: RunDeps,
  run: typeof runQueue = runQueue,
): Promise<RunSummary[]> {
  const weights = new Map(queues.map(({ options, weight }) => [options.target.queue, weight]));
  if (areEqual(weights)) return Promise.all(queues.map(({ options }) => run(options, deps)));
  return runByWeight(queues, weights, deps, run);
}

async function runByWeight(
  queues: readonly QueueRun[],
  weights: QueueWeights,
  deps: RunDeps,
  run: typeof runQueue,
): Promise<RunSummary[]> {
  const optionsOf = new Map(queues.map(({ options }) => [options.target.queue, options]));
  const summaries = new Map<string, RunSummary>();
  const left = new Map(weights);
  /** Other runs are at work on them: waited for, if they must end soon, when nothing else is left. */
  const leasedElsewhere = new Map<string, number>();
  const draw = () => drawQueue(left, deps.random) ?? drawQueue(leasedElsewhere, deps.random);
  const pagesOf = new Map<string, Pick<OnePage, 'bookmarks' | 'upcoming'>>();
  for (let queue = draw(); queue !== undefined; queue = draw()) {
    const mayWait = left.size === 0;
    const options = optionsOf.get(queue) as RunOptions;
    const before = summaries.get(queue);
    const pages = pagesOf.get(queue) ?? { bookmarks: new Map<string, Bookmark>(), upcoming: new Upcoming() };
    pagesOf.set(queue, pages);
    const page = await run(limitedBy(options, before?.attempted ?? 0, { ...pages, mayWait }), deps);
    const summary = before ? added(before, page) : page;
    summaries.set(queue, summary);
    const isAtLimit = summary.attempted >= (options.limits.maxRecords ?? Number.POSITIVE_INFINITY);
    if (page.ended === 'onePage' && !isAtLimit) continue;
    left.delete(queue);
    leasedElsewhere.delete(queue);
    if (page.ended === 'onePage') summaries.set(queue, { ...summary, ended: 'maxRecords' });
    if (page.ended === 'leaseHeld' && !mayWait) leasedElsewhere.set(queue, weights.get(queue) ?? 1);
  }
  // Weights are for queues that have work: those whose records come due before the next tick are stayed for together.
  const staying = queues.map(async ({ options }) => {
    const { queue } = options.target;
    const before = summaries.get(queue);
    const mayCome = pagesOf.get(queue)?.upcoming.lanes(deps.clock.now() + options.tickSeconds * 1000) ?? [];
    if (before?.ended !== 'drained' || mayCome.length === 0) return;
    summaries.set(queue, added(before, await run(limitedBy(options, before.attempted), deps)));
  });
  await Promise.all(staying);
  return queues.flatMap(({ options }) => summaries.get(options.target.queue) ?? []);
}

function limitedBy(options: RunOptions, attempted: number, onePage?: OnePage): RunOptions {
  const { target, limits } = options;
  const { maxRecords } = limits;
  const left = maxRecords === undefined ? {} : { maxRecords: maxRecords - attempted };
  return { ...options, target: { ...target, onePage }, limits: { ...limits, ...left } };
}

const COUNTS = [
  'attempted',
  'succeeded',
  'failed',
  'dead',
  'snoozed',
  'cancelled',
  'skipped',
  'unsettled',
  'leftOver',
] as const;

function added(before: RunSummary, page: RunSummary): RunSummary {
  const counts = COUNTS.map((name) => [name, before[name] + page[name]]);
  const unknownTask = (before.unknownTask ?? 0) + (page.unknownTask ?? 0);
  const refused = (before.refused ?? 0) + (page.refused ?? 0);
  return {
    ...page,
    ...(Object.fromEntries(counts) as Pick<RunSummary, (typeof COUNTS)[number]>),
    ...(unknownTask === 0 ? {} : { unknownTask }),
    ...(refused === 0 ? {} : { refused }),
    lagSeconds: Math.max(before.lagSeconds, page.lagSeconds),
    durationMs: before.durationMs + page.durationMs,
  };
}

/** Ends, first what says most about the whole. */
const BY_WEIGHT: readonly StopReason[] = ['storeError', 'stopped', 'deadline', 'maxRecords'];

/** Several queues' summaries as one, under all their names; theirs are in `queues`. */
export function together(summaries: readonly RunSummary[]): RunSummary {
  const [first, ...others] = summaries;
  if (!first) throw new TypeError('there are no queues without a summary');
  if (others.length === 0) return first;
  const queue = summaries.map((summary) => summary.queue).join(',');
  const ends = summaries.map(({ ended }) => ended);
  const ended =
    BY_WEIGHT.find((end) => ends.includes(end)) ?? (ends.includes('drained') ? 'drained' : first.ended);
  const trouble = summaries.find((summary) => summary.trouble)?.trouble;
  const durationMs = Math.max(...summaries.map((summary) => summary.durationMs));
  const sum = others.reduce(added, first);
  return {
    ...sum,
    queue,
    lane: queue,
    durationMs,
    ended,
    ...(trouble === undefined ? {} : { trouble }),
    queues: summaries,
  };
}
