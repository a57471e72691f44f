import { type Invocation, sortChanges } from './arrivals.js';
import type { IntakeBatch, IntakeDeps } from './intake-batch.js';
import type { StreamChange } from './stream-event.js';

/**
 * Handles records that were put: has them attempted at once, or indexes them.
 *
 * What DynamoDB or SQS do not answer to comes again, and with it, as a stream has it, all that was written after it. So
 * of that no run is started. All may be done again.
 *
 * @returns the first change that must come again; undefined: none
 */
export async function dispatchInserts(
  changes: readonly StreamChange[],
  run: IntakeBatch,
  { settings, invoker, indexing, logger, keys }: IntakeDeps,
): Promise<StreamChange | undefined> {
  keys?.meter(changes);
  const sort = (some: readonly StreamChange[]) =>
    sortChanges(some, settings.arrivalFunctions, { ...indexing, keys }, indexing.clock.now());
  const start = async (invocation: Invocation) => {
    const { functionName, event } = invocation;
    const { ids } = event.arrivals;
    const answer = await invoker.invoke(invocation);
    if (answer === 'accepted') {
      run.counts.started += ids.length;
      return [];
    }
    logger.warn('a function could not be started for arrivals', { functionName, answer, count: ids.length });
    return answer === 'refused' ? run.index(ids, { previousQueues: [event.queue] }) : run.lookLater(ids);
  };
  const { place, later, alreadyIndexed, invocations } = sort(changes);
  run.counts.skipped += alreadyIndexed.length;
  const undone = new Set([
    ...(await run.index(place, { previousQueues: previousQueuesOf(changes) })),
    ...(await run.lookLater(later)),
  ]);
  const isUndone = ({ id }: StreamChange) => undone.has(id);
  const seen = undone.size === 0 ? changes : changes.slice(0, changes.findIndex(isUndone));
  const toStart = seen === changes ? invocations : sort(seen).invocations;
  for (const ids of await Promise.all(toStart.map(start))) for (const id of ids) undone.add(id);
  run.withoutPayload(seen.filter(({ record }) => record && record.payload === undefined));
  return changes.find(isUndone);
}

/**
 * Queues whose runs may have them, started when this batch came before. Undefined: what was changed may come from any.
 */
function previousQueuesOf(changes: readonly StreamChange[]): string[] | undefined {
  if (changes.some(({ kind }) => kind === 'changed')) return undefined;
  return [...new Set(changes.flatMap(({ record }) => record?.queue ?? []))];
}
