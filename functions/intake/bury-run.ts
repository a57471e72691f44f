import { endLostRun, type LostQueue } from '../../src/leases/lost-run.js';
import { type DeadRun, type RuleEvent, ruleEventOf } from './dead-run.js';
import type { IntakeDeps } from './intake-batch.js';

/**
 * Most runs that are lost in succession and have another one started at once. Above, the next rule starts it: a
 * function that dies whatever it does is not started again and again. Lambda takes sixteen for a loop without an end.
 */
const MAX_RESTARTS = 8;
/** Time after which an index shows what was written. */
const INDEX_LAG_MS = 1_000;

/** Ends what a dead run held, so that the next run need not wait for it, and starts that run at once. */
export async function buryRun(dead: DeadRun, deps: IntakeDeps): Promise<void> {
  const { indexing, logger, settings } = deps;
  if (settings.isPassive) return;
  const { functionArn, invocation } = dead;
  const ended = await endLostRun(invocation, queuesOf(dead, deps), indexing);
  if (ended.leases + ended.claims + ended.slots + ended.keySlots === 0) return;
  logger.warn('a run has died: what it held ends now', { functionArn, requestId: invocation, ...ended });
  const event = ruleEventOf(dead);
  if (event && ended.leases > 0 && ended.losses <= MAX_RESTARTS) await startRun(functionArn, event, deps);
}

/** Has the queue of a dead run on arrival looked at, once its records are indexed. Tiers keep their schedule. */
export async function lookAtIndexed({ event, functionArn }: DeadRun, deps: IntakeDeps): Promise<void> {
  const { queue = '' } = event;
  const { isPassive, queues } = deps.settings;
  if (isPassive || !Object.hasOwn(queues, queue) || queues[queue]?.retryMode !== 'perRecord') return;
  await deps.indexing.clock.sleep(INDEX_LAG_MS);
  await startRun(functionArn, { queue }, deps);
}

/** Starts a run. If that fails, the next rule starts it. */
async function startRun(
  functionName: string,
  event: RuleEvent,
  { invoker, logger }: IntakeDeps,
): Promise<void> {
  const answer = await invoker.invoke({ functionName, event });
  if (answer !== 'accepted') logger.warn('a function could not be started again', { functionName, answer });
}

function queuesOf({ event }: DeadRun, { settings }: IntakeDeps): LostQueue[] {
  const { queue, queues = {}, tier, catchUp = [], arrivals } = event;
  const names = queue === undefined ? Object.keys(queues) : [queue];
  const onArrival = arrivals !== undefined;
  return names.map((name) => {
    const known = Object.hasOwn(settings.queues, name) ? settings.queues[name] : undefined;
    const retryMode = tier ? 'progressive' : (known?.retryMode ?? 'perRecord');
    // A run on arrival may have gone on to the first tier.
    const tiers = onArrival ? [1] : [...(tier ? [tier] : []), ...catchUp].map(({ number }) => number);
    return { queue: name, retryMode, shards: known?.shards, fairness: known?.fairness, tiers, onArrival };
  });
}
