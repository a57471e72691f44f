import * as z from 'zod/mini';
import { backlogHandler } from '../../functions/backlog-handler.js';
import { deliveryHandler } from '../../functions/delivery-handler.js';
import type { LambdaFunction } from '../../functions/seams.js';
import { parseQueues, type QueueSettings, type QueuesSettings } from '../../functions/settings.js';
import { checkOrder } from '../lines/order-options.js';
import type { RetryMode } from '../record/index.js';
import { ConfigurationError } from '../support/errors.js';
import { didYouMean } from '../support/nearest.js';
import { parseOptions, show } from '../support/validation.js';
import { checkLanes } from '../worker/check-lanes.js';
import { keepingLogger } from './logs.js';
import { type TestQueue, workShape } from './options.js';

/** A queue under test, checked. */
export interface Queue {
  readonly name: string;
  readonly settings: QueueSettings;
  readonly isOnInsert: boolean;
  readonly weight: number;
  /** The function that serves it. Queues of one handler share it, as those of a worker do. */
  readonly handler: LambdaFunction;
}

const PATH = 'testBacklog.queues';
const workSchema = z.object(workShape);
const progressiveSchema = z.union(
  [
    z.literal(true),
    z.strictObject({ tiers: z.optional(z.array(z.unknown())), maxAttempts: z.optional(z.number()) }),
  ],
  { error: 'expected true, or { tiers, maxAttempts }' },
);
const CODE_ONLY = ['retry', 'deadOn', 'history'] as const;

/**
 * Reads the queues, with the parser that the functions read theirs with.
 *
 * @throws ConfigurationError naming the queue and the option
 */
export function readQueues(input: Readonly<Record<string, unknown>>): Queue[] {
  const parts = Object.entries(input).map(([name, queue]) => [name, partsOf(name, queue)] as const);
  const settings = parseQueues(Object.fromEntries(parts.map(([name, one]) => [name, one.settings])), PATH);
  for (const [name, { retryQueue }] of Object.entries(settings)) checkRetryQueue(name, retryQueue, settings);
  for (const [name, own] of Object.entries(settings)) {
    checkLanes(own, `${PATH}.${name}`);
    checkOrder(own, `${PATH}.${name}`);
  }
  return parts.map(([name, { work, choices }]) => {
    const own = settings[name] as QueueSettings;
    const handler = handlerOf(name, own, { ...work, ...choices });
    const { firstAttempt, weight = 1 } = work;
    return { name, settings: own, isOnInsert: firstAttempt !== 'scheduled', weight, handler };
  });
}

/** Splits a queue into the settings of the functions, the code of one, and what does the work. */
function partsOf(name: string, input: unknown) {
  const path = `${PATH}.${name}`;
  if (typeof input !== 'object' || input === null)
    throw new ConfigurationError(`${path}: expected a queue such as { handler }, got ${show(input)}`);
  const { progressive, ...given } = input as TestQueue;
  const work = parseOptions(workSchema, given, path) as Pick<TestQueue, keyof typeof workShape>;
  checkWork(given, path);
  if (work.handler && work.destination)
    throw new ConfigurationError(`${path}.destination: expected nothing beside "handler", which has its own`);
  const choices: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  for (const [option, value] of Object.entries(given)) {
    if (option in workShape || value === undefined) continue;
    const isCode = CODE_ONLY.some((one) => one === option) && holdsCode(value);
    if (isCode && work.handler)
      throw new ConfigurationError(`${path}.${option}: expected no code beside "handler", which has its own`);
    (isCode ? choices : settings)[option] = value;
  }
  if (progressive === undefined) return { work, choices, settings: { ...settings, retryMode: 'perRecord' } };
  if (given.retry !== undefined)
    throw new ConfigurationError(`${path}: expected either "retry" or "progressive", got both`);
  const retry = progressiveRetry(progressive, `${path}.progressive`);
  return { work, choices, settings: { ...settings, retryMode: 'progressive', ...retry } };
}

/** The policy of a progressive queue, as the CDK app has it: the last tier says how old a record may become. */
function progressiveRetry(input: unknown, path: string): { retry?: object } {
  const given = parseOptions(progressiveSchema, input, path);
  if (given === true) return {};
  const last = given.tiers?.at(-1) as { readonly untilAge?: unknown } | undefined;
  const end = last?.untilAge === undefined ? {} : { maxAge: last.untilAge };
  return { retry: { type: 'progressive', ...given, ...end } };
}

/** Tells whether a value is or holds code: a function, a list with classes, or the hook of a history. */
function holdsCode(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsCode);
}

function checkWork({ handler, process, tasks, deliverTo }: TestQueue, path: string): void {
  const given = Object.entries({ handler, 'process or tasks': process ?? tasks, deliverTo })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none of them' : given.join(' and ');
    throw new ConfigurationError(
      `${path}: expected one of "handler", "process" or "tasks", and "deliverTo", got ${got}`,
    );
  }
}

function checkRetryQueue(name: string, retryQueue: string | undefined, queues: QueuesSettings): void {
  if (retryQueue === undefined || Object.hasOwn(queues, retryQueue)) return;
  const known = Object.keys(queues);
  const hint = didYouMean(retryQueue, known, show);
  throw new ConfigurationError(
    `${PATH}.${name}.retryQueue: expected one of the queues (${known.map(show).join(', ')}), got ${show(retryQueue)}${hint}`,
  );
}

function handlerOf(
  name: string,
  { deliverTo, retryMode }: { readonly deliverTo?: unknown; readonly retryMode: RetryMode },
  { handler, firstAttempt: _, weight: __, ...code }: TestQueue,
): LambdaFunction {
  // Its own logger would print.
  if (deliverTo !== undefined) return deliveryHandler(retryMode, { logger: keepingLogger([], undefined) });
  return handler ?? backlogHandler({ queue: name, ...code });
}
