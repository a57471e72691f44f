import { DEFAULT_TIERS, type RetryPolicy, resolvePolicy, tierBands } from '../src/policies/index.js';
import { laneOf, lanesOf } from '../src/record/index.js';
import { ConfigurationError } from '../src/support/errors.js';
import { hash32 } from '../src/support/hash.js';
import { parseOptions } from '../src/support/validation.js';
import type { TaskWork } from '../src/tasks/work.js';
import {
  type DeadOn,
  type DestinationOf,
  type HistoryOptions,
  historyLimits,
  limitsSchema,
  QUEUE_DEFAULTS,
  type QueueOptions,
  type QueueWeights,
  type Redaction,
  type RetryDecider,
  type RunLimits,
  type RunOptions,
  resolveBreaker,
} from '../src/worker/index.js';
import type { ParsedEvent } from './event.js';
import { checkPolicy, type QueueSettings } from './settings.js';

/** The options in the handler's own code; they come before those of the CDK app. */
export interface HandlerChoices extends QueueOptions {
  readonly retry?: RetryPolicy | RetryDecider | undefined;
  readonly deadOn?: DeadOn | undefined;
  readonly history?: HistoryOptions | undefined;
  /** The queues that the handler serves, with their weights. Default: all that its settings name. */
  readonly serves?: QueueWeights | undefined;
  /** The weights of the queues that the handler serves together; they take precedence over the rule's. */
  readonly weights?: QueueWeights | undefined;
  /** Makes the redaction of texts from the history's options. The built-in handlers have none: they keep all. */
  readonly redactionOf?: ((history: HistoryOptions) => Redaction | undefined) | undefined;
  readonly destination?: DestinationOf | undefined;
  /** The work of the handler's tasks. */
  readonly work?: TaskWork | undefined;
}

const TICK_SECONDS = 60;

/** The options of a queue from its settings and its handler's code, whatever the event. Made once per sandbox. */
export type QueuePlan = Omit<RunOptions, keyof Given | 'target'> & {
  /** The limits of one run, if no others share the shards of the queue. */
  readonly limits: RunLimits;
};

/** The options that are known when a run begins. */
type Given = Pick<RunOptions, 'process' | 'functionTimeoutSeconds' | 'deadline' | 'invocation'> & {
  readonly now: number;
};

/** The choices for all queues of a function. */
export interface LogChoices {
  readonly logsStacks?: boolean | undefined;
  readonly logsErrorTexts?: boolean | undefined;
  readonly isDebugged?: boolean | undefined;
}

/** @throws ConfigurationError if they do not fit each other */
export function planQueue(
  queue: string,
  settings: QueueSettings,
  choices: HandlerChoices,
  { logsStacks, logsErrorTexts, isDebugged }: LogChoices,
): QueuePlan {
  const { work, retry } = choices;
  const keep = choices.retention ?? settings.retention ?? QUEUE_DEFAULTS.retention;
  const history = { ...settings.history, ...definedOf(choices.history ?? {}) };
  const limits = parseOptions(limitsSchema, { ...settings, ...definedOf(choices) }, `queue "${queue}"`);
  checkTaskTimeouts(work, limits.attemptTimeout);
  return {
    logsStacks,
    isDebugged,
    ...(work ? { knows: work.knows, taskNames: work.taskNames, decisionsFor: work.decisionsFor } : {}),
    policy: policyFor(queue, settings, typeof retry === 'function' ? undefined : retry),
    breaker: resolveBreaker(choices.breaker ?? settings.breaker),
    destination: choices.destination ?? hostOf(settings.deliverTo),
    limits,
    tickSeconds: settings.tickSeconds ?? TICK_SECONDS,
    ...(typeof retry === 'function' ? { retryDecider: retry } : {}),
    retryQueue: choices.retryQueue ?? settings.retryQueue,
    deadOn: choices.deadOn ?? settings.deadOn,
    history: historyLimits(history),
    redaction: choices.redactionOf?.(history),
    // What the user's hook has passed may be read by those who read the log.
    logsErrorTexts: logsErrorTexts === true || choices.history?.redact !== undefined,
    retention: keep === 'forever' ? undefined : keep,
  };
}

/** The host that the built-in handlers deliver to: queues with the same one fail and recover together. */
function hostOf(deliverTo: QueueSettings['deliverTo']): DestinationOf | undefined {
  if (deliverTo === undefined) return undefined;
  const { host } = new URL(typeof deliverTo === 'string' ? deliverTo : deliverTo.url);
  return () => host;
}

/** Puts a run together from the plan of its queue and an event. */
export function planRun(event: ParsedEvent, plan: QueuePlan, { now, ...given }: Given): RunOptions {
  const { queue, tier, catchUp, arrivals, exactSince, settings } = event;
  const tickSeconds = tier?.every ?? plan.tickSeconds;
  const { retryMode, shards, fairness, order } = settings;
  const run = { ...plan, ...given, tickSeconds };
  const target = {
    queue,
    lane: laneOf(queue),
    shards,
    fairness,
    order,
    retryMode,
    band: tier,
    catchUp,
    exactSince,
  };
  if (arrivals) {
    const firstBand = firstBandOf(event, given.functionTimeoutSeconds);
    return { ...run, target: { ...target, arrivals, firstBand } };
  }
  const lanes = lanesFor(event, now, tickSeconds);
  const limits = limitsFor(event, plan.limits, lanes.own.length);
  return { ...run, limits, target: { ...target, ...lanes.target } };
}

/** The first band as the CDK app computes it: from the settings of the rules, whatever the handler's own code says. */
function firstBandOf({ settings: { retryMode, retry } }: ParsedEvent, functionTimeoutSeconds: number) {
  if (retryMode !== 'progressive') return undefined;
  const { tiers = DEFAULT_TIERS } = retry ? resolvePolicy(retry) : {};
  return tierBands(tiers, functionTimeoutSeconds)[0];
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/**
 * The lanes of an event's run. About once an hour, at a tick of the queue's own, its first run also looks into lanes that the
 * queue had before: of more shards, or of busy keys. Where neither `shards` nor `fairness` is given, it does so about once a
 * day. (A rule that skips that tick does it at the next one.)
 */
function lanesFor(
  { queue, part = { number: 0, of: 1 }, settings }: ParsedEvent,
  now: number,
  tickSeconds: number,
) {
  const { shards = 1, fairness } = settings;
  const own = lanesOf(queue, 0, shards).filter((_, shard) => shard % part.of === part.number);
  const every = settings.shards === undefined && fairness === undefined ? DAY_SECONDS : HOUR_SECONDS;
  const turns = Math.max(1, Math.floor(every / tickSeconds));
  const isItsTurn = Math.floor(now / 1000 / tickSeconds) % turns === hash32(`hourly:${queue}`) % turns;
  const lanes = part.number === 0 && isItsTurn ? [...own, ...lanesOf(queue, shards)] : own;
  return { own, target: { lanes, shards, part: part.number } };
}

/** The runs that share a queue's shards share its attempts at once, too, each by its number of lanes. */
function limitsFor({ settings }: ParsedEvent, limits: RunLimits, lanes: number): RunLimits {
  const { shards = 1 } = settings;
  if (shards === 1) return limits;
  return { ...limits, concurrency: Math.max(1, Math.floor((limits.concurrency * lanes) / shards)) };
}

/** A lease covers the longest attempt of its queue: none may take longer. */
export function checkTaskTimeouts(work: TaskWork | undefined, mostSeconds: number): void {
  for (const { name, attemptTimeout: own } of work?.timeouts ?? []) {
    if (own <= mostSeconds) continue;
    throw new ConfigurationError(
      `task "${name}": attemptTimeout: expected at most the attemptTimeout of its queue (${mostSeconds}), ` +
        `got ${own}`,
    );
  }
}

function policyFor(queue: string, { retryMode, retry }: QueueSettings, chosen: RetryPolicy | undefined) {
  if (chosen) checkPolicy(chosen, retryMode, 'backlogHandler.retry');
  const fallback: RetryPolicy = { type: retryMode === 'progressive' ? 'progressive' : 'fibonacci' };
  return resolvePolicy(chosen ?? retry ?? fallback, `retry of the queue "${queue}"`);
}

function definedOf<Choices extends object>(choices: Choices): Choices {
  return Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined)) as Choices;
}
