import type { RunDeps } from './deps.js';
import { limitCode } from './guards/queue-guards.js';
import type { RunOptions } from './options.js';
import type { PageTurns } from './page-turns.js';
import { run as runQueue } from './run.js';
import { ofQueues } from './stop-reason.js';
import type { RunSummary } from './summary.js';
import { areEqual } from './weights.js';

/** One queue of several that a run serves. */
export interface WeightedQueue {
  readonly options: RunOptions;
  readonly weight: number;
}

/**
 * Drains several queues in one invocation, all at the same time. With different weights they take turns page by page,
 * each as often as its weight says among those that have anything left. A queue whose run fails stops no other one.
 *
 * @returns how the run of each queue has ended, in their order
 */
export async function runQueues(
  queues: readonly WeightedQueue[],
  deps: RunDeps,
  run: typeof runQueue = runQueue,
): Promise<PromiseSettledResult<RunSummary>[]> {
  const allTurns = queues.length > 1 ? await turnsOf(queues, deps) : undefined;
  const runs = queues.map(async ({ options }) => {
    const turns = allTurns?.of(options.target.queue);
    // A queue whose run fails must not keep the others from their turns.
    return run(options, turns ? { ...deps, turns } : deps).finally(() => turns?.rest());
  });
  return Promise.allSettled(runs);
}

/** Turns by weight. Undefined: all weigh the same, and no queue waits for its turn. */
async function turnsOf(
  queues: readonly WeightedQueue[],
  { random }: RunDeps,
): Promise<PageTurns | undefined> {
  const weights = new Map(queues.map(({ options, weight }) => [options.target.queue, weight]));
  if (areEqual(weights)) return undefined;
  const { PageTurns } = await limitCode();
  return new PageTurns(weights, random);
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

/** Counts that are absent where there are none. */
const OPTIONAL_COUNTS = ['unknownTask', 'pending', 'probes', 'refused'] as const;

function added(one: RunSummary, other: RunSummary): RunSummary {
  const counts = COUNTS.map((name) => [name, one[name] + other[name]]);
  const optional = OPTIONAL_COUNTS.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]).filter(
    ([, count]) => count !== 0,
  );
  const failing = [one.failingSeconds, other.failingSeconds].filter((seconds) => seconds !== undefined);
  return {
    ...other,
    ...(Object.fromEntries(counts) as Pick<RunSummary, (typeof COUNTS)[number]>),
    ...Object.fromEntries(optional),
    ...(failing.length === 0 ? {} : { failingSeconds: Math.max(...failing) }),
    lagSeconds: Math.max(one.lagSeconds, other.lagSeconds),
    durationMs: Math.max(one.durationMs, other.durationMs),
  };
}

/** Several queues' summaries as one, under all their names; theirs are in `queues`. */
export function together(summaries: readonly RunSummary[]): RunSummary {
  const [first, ...others] = summaries;
  if (!first) throw new TypeError('there are no queues without a summary');
  if (others.length === 0) return first;
  const queue = summaries.map((summary) => summary.queue).join(',');
  const trouble = summaries.find((summary) => summary.trouble)?.trouble;
  return {
    ...others.reduce(added, first),
    queue,
    lane: queue,
    ended: ofQueues(summaries.map(({ ended }) => ended)),
    ...(trouble === undefined ? {} : { trouble }),
    queues: summaries,
  };
}
