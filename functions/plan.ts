import * as z from 'zod/mini';
import { ConfigurationError } from '../src/errors.js';
import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import {
  type BreakerChoice,
  type DeadOn,
  type DestinationOf,
  limitsShape,
  type Process,
  type RetryFunction,
  type RunOptions,
  resolveBreaker,
} from '../src/processor/index.js';
import { laneOf } from '../src/record/index.js';
import type { TaskWork } from '../src/tasks/work.js';
import { parseOptions } from '../src/validation.js';
import type { parseEvent } from './event.js';
import { checkPolicy, type KeepSuccess, type QueueSettings } from './settings.js';

/** What the handler's own code says; it comes before what the CDK app says. */
export interface HandlerChoices {
  readonly retry?: RetryPolicy | RetryFunction | undefined;
  readonly retryQueue?: string | undefined;
  readonly deadOn?: DeadOn | undefined;
  readonly concurrency?: number | undefined;
  readonly attemptsPerSecond?: number | undefined;
  readonly attemptTimeoutSeconds?: number | undefined;
  readonly maxRecords?: number | undefined;
  readonly keepSuccessSeconds?: KeepSuccess | undefined;
  readonly breaker?: BreakerChoice | undefined;
  readonly destination?: DestinationOf | undefined;
  /** Of its tasks. */
  readonly work?: TaskWork | undefined;
}

/** Fills in the defaults; what else is in the settings is dropped. */
const limitsSchema = z.object(limitsShape);
const KEEP_SUCCESS_SECONDS = 30 * 86_400;
const TICK_SECONDS = 60;

/** Puts a run together from the event, the queue's settings and the handler's choices. */
export function planRun(
  event: ReturnType<typeof parseEvent>,
  choices: HandlerChoices,
  given: { process: Process; functionTimeoutSeconds: number; deadline: number },
): RunOptions {
  const { queue, tier, catchUp, arrivals, settings } = event;
  const keep = choices.keepSuccessSeconds ?? settings.keepSuccessSeconds ?? KEEP_SUCCESS_SECONDS;
  const limits = parseOptions(limitsSchema, { ...settings, ...definedOf(choices) }, `queue "${queue}"`);
  const { work } = choices;
  checkTaskTimeouts(work, limits.attemptTimeoutSeconds);
  return {
    ...given,
    ...(work ? { knows: work.knows, decisionsFor: work.decisionsFor } : {}),
    target: {
      queue,
      lane: laneOf(queue),
      way: settings.way,
      band: tier,
      catchUp,
      ...(arrivals ? { arrivals } : {}),
    },
    policy: policyFor(queue, settings, typeof choices.retry === 'function' ? undefined : choices.retry),
    ...(typeof choices.retry === 'function' ? { retryFunction: choices.retry } : {}),
    breaker: resolveBreaker(choices.breaker ?? settings.breaker),
    destination: choices.destination,
    retryQueue: choices.retryQueue ?? settings.retryQueue,
    deadOn: choices.deadOn ?? settings.deadOn,
    limits,
    tickSeconds: tier?.everySeconds ?? settings.tickSeconds ?? TICK_SECONDS,
    keepSuccessSeconds: keep === 'forever' ? undefined : keep,
  };
}

/** A lease covers the longest attempt of its queue: none may take longer. */
export function checkTaskTimeouts(work: TaskWork | undefined, mostSeconds: number): void {
  for (const { name, timeoutSeconds } of work?.timeouts ?? []) {
    if (timeoutSeconds <= mostSeconds) continue;
    throw new ConfigurationError(
      `task "${name}": timeoutSeconds: expected at most the attemptTimeoutSeconds of its queue (${mostSeconds}), ` +
        `got ${timeoutSeconds}`,
    );
  }
}

function policyFor(queue: string, { way, retry }: QueueSettings, chosen: RetryPolicy | undefined) {
  if (chosen) checkPolicy(chosen, way, 'backlogHandler.retry');
  const fallback: RetryPolicy = { type: way === 'progressive' ? 'progressive' : 'fibonacci' };
  return resolvePolicy(chosen ?? retry ?? fallback, `retry of the queue "${queue}"`);
}

function definedOf(choices: HandlerChoices): HandlerChoices {
  return Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
}
