import { type Invocation, sortChanges } from './arrivals.js';
import type { StreamChange } from './stream-event.js';
import type { IntakeParts, IntakeRun } from './taking.js';

/**
 * Sees to records that somebody has put: has them attempted at once, or gives them their place.
 *
 * If it throws, all of it may be done again.
 */
export async function takeIn(
  changes: readonly StreamChange[],
  run: IntakeRun,
  { settings, remote, placing, logger }: IntakeParts,
): Promise<void> {
  const sorted = sortChanges(changes, settings.arrivalFunctions, placing.clock.now());
  const start = async (invocation: Invocation) => {
    const { functionName, event } = invocation;
    const { ids } = event.arrivals;
    const answer = await remote.invoke(invocation);
    if (answer === 'accepted') return run.startedRun(ids.length);
    logger.warn('a function could not be started for arrivals', { functionName, answer, count: ids.length });
    if (answer === 'refused') await run.place(ids, [event.queue]);
    else await run.lookLater(ids);
  };
  await run.place(sorted.place, formerQueuesOf(changes));
  await run.lookLater(sorted.later);
  // Last: if anything before it fails, the batch comes again, and no run has been started for it.
  await Promise.all(sorted.invocations.map(start));
  run.withoutPayload(changes.filter(({ record }) => record && record.payload === undefined));
}

/**
 * Queues whose runs may have them, started when this batch came before. Undefined: what was changed may come from any.
 */
function formerQueuesOf(changes: readonly StreamChange[]): string[] | undefined {
  if (changes.some(({ kind }) => kind === 'changed')) return undefined;
  return [...new Set(changes.flatMap(({ record }) => record?.queue ?? []))];
}
