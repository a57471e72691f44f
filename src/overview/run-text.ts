import type { RunTrouble } from './runtime.js';
import type { Snapshot } from './snapshot.js';

/** Losses in succession from which on they are trouble: after one, the next run goes on with its records. */
const MIN_LOST = 2;

/**
 * Finds the runs that are known to be wrong: those that a local runtime names, and those that were lost again and again, where records
 * wait and no run has ended well since. A queue is named once.
 */
export function runTroubles({ queues = [], troubles = [] }: Snapshot): RunTrouble[] {
  const named = troubles.flatMap((one) => one.queues);
  const lost = queues.flatMap(({ lostRuns, stats: { queue, pending } }): RunTrouble[] => {
    const count = lostRuns?.count ?? 0;
    if (count < MIN_LOST || pending === 0 || named.includes(queue)) return [];
    const text = `${queue}: its last ${count} runs were lost: the process ended, or ran out of time.`;
    return [{ text, isRepeated: true, queues: [queue] }];
  });
  return [...troubles, ...lost];
}
