import * as z from 'zod/mini';
import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import {
  type DeadOn,
  type HistoryOptions,
  historyLimits,
  type KeepTexts,
  limitsShape,
  type Process,
  type RetryDecider,
  type RunOptions,
} from '../src/processor/index.js';
import { laneOf } from '../src/record/index.js';
import { parseOptions } from '../src/validation.js';
import type { parseEvent } from './event.js';
import { checkPolicy, type KeepSuccess, type QueueSettings } from './settings.js';

/** What the handler's own code says; it comes before what the CDK app says. */
export interface HandlerChoices {
  readonly retry?: RetryPolicy | RetryDecider | undefined;
  readonly retryQueue?: string | undefined;
  readonly deadOn?: DeadOn | undefined;
  readonly history?: HistoryOptions | undefined;
  /** What makes of the history's options what is kept of texts: the built-in handlers, which keep all, have none. */
  readonly keptTexts?: ((history: HistoryOptions) => KeepTexts | undefined) | undefined;
  readonly concurrency?: number | undefined;
  readonly attemptsPerSecond?: number | undefined;
  readonly attemptTimeoutSeconds?: number | undefined;
  readonly maxRecords?: number | undefined;
  readonly keepSuccessSeconds?: KeepSuccess | undefined;
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
  const history = { ...settings.history, ...definedOf(choices.history ?? {}) };
  return {
    ...given,
    target: {
      queue,
      lane: laneOf(queue),
      way: settings.way,
      band: tier,
      catchUp,
      ...(arrivals ? { arrivals } : {}),
    },
    policy: policyFor(queue, settings, typeof choices.retry === 'function' ? undefined : choices.retry),
    ...(typeof choices.retry === 'function' ? { retryDecider: choices.retry } : {}),
    retryQueue: choices.retryQueue ?? settings.retryQueue,
    deadOn: choices.deadOn ?? settings.deadOn,
    history: historyLimits(history),
    keepTexts: choices.keptTexts?.(history),
    limits: parseOptions(limitsSchema, { ...settings, ...definedOf(choices) }, `queue "${queue}"`),
    tickSeconds: tier?.everySeconds ?? settings.tickSeconds ?? TICK_SECONDS,
    keepSuccessSeconds: keep === 'forever' ? undefined : keep,
  };
}

function policyFor(queue: string, { way, retry }: QueueSettings, chosen: RetryPolicy | undefined) {
  if (chosen) checkPolicy(chosen, way, 'backlogHandler.retry');
  const fallback: RetryPolicy = { type: way === 'progressive' ? 'progressive' : 'fibonacci' };
  return resolvePolicy(chosen ?? retry ?? fallback, `retry of the queue "${queue}"`);
}

function definedOf<Choices extends object>(choices: Choices): Choices {
  return Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined)) as Choices;
}
