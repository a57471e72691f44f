import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import type { Process, RunLimits, RunOptions } from '../src/processor/index.js';
import { laneOf } from '../src/record/index.js';
import type { parseEvent } from './event.js';
import { checkPolicy, type KeepSuccess, type QueueSettings } from './settings.js';

/** What the handler's own code says; it comes before what the CDK app says. */
export interface HandlerChoices {
  readonly retry?: RetryPolicy | undefined;
  readonly concurrency?: number | undefined;
  readonly attemptsPerSecond?: number | undefined;
  readonly attemptTimeoutSeconds?: number | undefined;
  readonly maxRecords?: number | undefined;
  readonly keepSuccessSeconds?: KeepSuccess | undefined;
}

const KEEP_SUCCESS_SECONDS = 30 * 86_400;
const TICK_SECONDS = 60;

/** Puts a run together from the event, the queue's settings and the handler's choices. */
export function planRun(
  event: ReturnType<typeof parseEvent>,
  choices: HandlerChoices,
  given: { process: Process; functionTimeoutSeconds: number; deadline: number },
): RunOptions {
  const { queue, tier, catchUp, settings } = event;
  const keep = choices.keepSuccessSeconds ?? settings.keepSuccessSeconds ?? KEEP_SUCCESS_SECONDS;
  return {
    ...given,
    target: { queue, lane: laneOf(queue), band: tier, catchUp },
    policy: policyFor(queue, settings, choices.retry),
    limits: limitsFor({ ...settings, ...definedOf(choices) }),
    tickSeconds: tier?.everySeconds ?? settings.tickSeconds ?? TICK_SECONDS,
    keepSuccessSeconds: keep === 'forever' ? undefined : keep,
  };
}

function policyFor(queue: string, { way, retry }: QueueSettings, chosen: RetryPolicy | undefined) {
  if (chosen) checkPolicy(chosen, way, 'backlogHandler.retry');
  const fallback: RetryPolicy = { type: way === 'progressive' ? 'progressive' : 'fibonacci' };
  return resolvePolicy(chosen ?? retry ?? fallback, `retry of the queue "${queue}"`);
}

function limitsFor(settings: HandlerChoices): RunLimits {
  const { concurrency = 10, attemptsPerSecond, attemptTimeoutSeconds = 30, maxRecords } = settings;
  return { concurrency, attemptsPerSecond, attemptTimeoutSeconds, maxRecords };
}

function definedOf(choices: HandlerChoices): HandlerChoices {
  return Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
}
