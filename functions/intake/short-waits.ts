import { isExact, MAX_EXACT_SECONDS } from '../../src/policies/index.js';
import { ownValue } from '../../src/support/own-names.js';
import type { IntakeDeps } from './intake-batch.js';
import type { ShortWait } from './queue-event.js';
import type { StreamChange } from './stream-event.js';

/** The least delay: an index shows by then what was written. */
const MIN_DELAY_SECONDS = 1;
/** Clocks differ by less. */
const MAX_EARLY_MS = 1_000;
/** A run also takes what came due so long before: the run for it may have come too early, or been lost. */
const SLACK_MS = 5_000;
/** The most seconds that a sandbox remembers. */
const MAX_REMEMBERED = 1_000;

/**
 * Sends a message for each second in which records come due that wait for less than a tick. What cannot be sent is left to the
 * next rule.
 */
export async function sendShortWaits(settled: readonly StreamChange[], deps: IntakeDeps): Promise<void> {
  const { invoker, logger, sentWaits: sent = new Set<string>(), indexing } = deps;
  const { clock } = indexing;
  const waits = settled.flatMap(({ record }): ShortWait | [] => {
    const { queue = '', dueAt = '', exact } = record ?? {};
    if (!exact || !isExact(dueAt) || functionOf(queue, deps) === undefined) return [];
    const wait = { queue, dueAt: Date.parse(dueAt) };
    if (sent.has(keyOf(wait))) return [];
    if (sent.size >= MAX_REMEMBERED) sent.clear();
    sent.add(keyOf(wait));
    return wait;
  });
  const send = async (wait: ShortWait) => {
    const seconds = (wait.dueAt - clock.now()) / 1000;
    // In time that passes faster, a rest of a second counts.
    const { speed = 1 } = clock;
    const delay = speed === 1 ? Math.max(MIN_DELAY_SECONDS, Math.ceil(seconds)) : Math.floor(seconds / speed);
    try {
      await invoker.sendShortWait(wait, Math.min(Math.max(0, delay), MAX_EXACT_SECONDS));
    } catch (error) {
      sent.delete(keyOf(wait));
      logger.warn('a wait of less than a tick is left to the next rule', error as Error);
    }
  };
  await Promise.all(waits.map(send));
}

/** Starts a run for each queue in which records have come due. What is not started now is started by the next rule. */
export async function startShortWaits(waits: readonly ShortWait[], deps: IntakeDeps): Promise<void> {
  const { invoker, indexing, logger } = deps;
  const { clock } = indexing;
  const timesOf = new Map<string, number[]>();
  for (const { queue, dueAt } of waits) timesOf.set(queue, [...(timesOf.get(queue) ?? []), dueAt]);
  const start = async ([queue, times]: readonly [string, readonly number[]]) => {
    const functionName = functionOf(queue, deps);
    if (functionName === undefined) return;
    // One run is for all of them: it must not begin before the last one has come due.
    const earlyMs = (Math.max(...times) - clock.now()) / (clock.speed ?? 1);
    if (earlyMs > 0) await clock.sleep(Math.min(MAX_EARLY_MS, Math.ceil(earlyMs)));
    // The run looks through all that has come due since. What came due earlier than a short wait takes was the rule's.
    const earliest = clock.now() - MAX_EXACT_SECONDS * 1000 * (clock.speed ?? 1);
    const exactSince = Math.max(earliest, Math.min(...times) - SLACK_MS);
    const answer = await invoker.invoke({ functionName, event: { queue, exactSince } });
    if (answer !== 'accepted')
      logger.warn('a function could not be started for short waits', { functionName, answer });
  };
  await Promise.all([...timesOf].map(start));
}

function keyOf({ queue, dueAt }: ShortWait): string {
  return `${queue} ${dueAt}`;
}

/** Undefined: rules by age keep the queue's schedule, a process attempts it, or another region does. */
function functionOf(queue: string, { settings }: IntakeDeps): string | undefined {
  const { queues, functions = settings.arrivalFunctions, isPassive } = settings;
  const isPerRecord = ownValue(queues, queue)?.retryMode === 'perRecord';
  return isPassive || !isPerRecord ? undefined : functions.get(queue);
}
