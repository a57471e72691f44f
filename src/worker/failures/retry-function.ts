import * as z from 'zod/mini';
import { type ResolvedPolicy, type RetryPolicy, resolvePolicy } from '../../policies/index.js';
import {
  type AttemptOutcome,
  type BacklogRecord,
  copyForHandler,
  hasOwnSchedule,
  outcomeOfThrow,
} from '../../record/index.js';
import { type Duration, parseDuration } from '../../support/duration.js';
import { parseOptions } from '../../support/validation.js';
import { retryQueueName } from './decision-options.js';
import type { Asked, RetryDecider } from './decisions.js';
import { ignoreRejection } from './redaction.js';

/**
 * Decides after every failure, by the error and the record. It answers at once: a promise is no answer.
 *
 * @param error what `process` threw; an error of that name and message where it threw none
 * @param record with this failure counted in `failures` and `attempts`
 * @param retryCount retries so far: 0 at the first failure
 */
export type RetryFunction<Payload = unknown> = {
  /** Decides after one failure. */
  of(error: Error, record: BacklogRecord<Payload>, retryCount: number): RetryAnswer;
}['of'];

/**
 * A wait in seconds, a policy or its name; `false` for dead at once; or an object: `{ wait, queue }`, `{ dead: 'why' }`.
 */
export type RetryAnswer = RetryWait | false | RetryTo | GiveUp;

/** A duration (`30`, `'2h'`), a policy, or the name of one that has its defaults: `'exponential'`. */
export type RetryWait = Duration | RetryPolicy | RetryPolicy['type'];

/**
 * The answer to try again: after this wait, in that queue.
 *
 * @inline
 */
export interface RetryTo {
  /** The wait. Default: as the policy behind the function says. */
  readonly wait?: RetryWait | undefined;
  /** Another queue of the same backlog. Default: `retryQueue`, and without one the queue it is in. */
  readonly queue?: string | undefined;
}

/**
 * The answer to give up at once, for this reason.
 *
 * @inline
 */
export interface GiveUp {
  /** The reason; kept on the record as its `deadReason`. */
  readonly dead: string;
}

type Failure = Extract<AttemptOutcome, { type: 'failure' }>;

const MAX_PROBLEM_CHARACTERS = 400;

/**
 * Makes the `retryDecider` of `RunOptions` of a retry function. Whatever the function does, the record is settled: a bad
 * answer leaves the decision to the run's policy.
 */
export function retryDecider(retry: RetryFunction): RetryDecider {
  return (failure, record, fallback) => {
    const counted = {
      ...copyForHandler(record),
      failures: record.failures + 1,
      attempts: record.attempts + 1,
    };
    try {
      const answer = retry(errorOf(failure), counted, record.failures);
      ignoreRejection(answer);
      return read(answer, fallback);
    } catch (thrown) {
      const said = outcomeOfThrow(thrown);
      const why = said.type === 'failure' ? said.error.message : `threw ${said.type}: expected it to answer`;
      return { problem: `retry function: ${why}`.slice(0, MAX_PROBLEM_CHARACTERS) };
    }
  };
}

const ANSWER = 'its answer';
const retryToSchema = z.strictObject({ wait: z.optional(z.unknown()), queue: z.optional(retryQueueName) });
const giveUpSchema = z.strictObject({ dead: z.string().check(z.minLength(1)) });

/** @throws ConfigurationError that says what is wrong with it */
function read(answer: RetryAnswer, fallback: ResolvedPolicy): Asked {
  if (answer === false) return { dead: 'the retry function gave it up' };
  if (!isObject(answer) || 'type' in answer || answer instanceof Promise) return waitFor(answer, fallback);
  if ('dead' in answer) return parseOptions(giveUpSchema, answer, ANSWER);
  const { wait, queue } = parseOptions(retryToSchema, answer, ANSWER);
  return { ...(wait === undefined ? {} : waitFor(wait, fallback, `${ANSWER}.wait`)), queue };
}

function isObject(answer: unknown): answer is object {
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer);
}

/** The limits of the policy behind the function hold, except for a count of attempts that the answer names itself. */
function waitFor(wait: unknown, fallback: ResolvedPolicy, name = ANSWER) {
  const given = policyOf(wait, name);
  const policy = resolvePolicy(given, name);
  const maxAttempts = Number.isFinite(policy.maxAttempts) ? policy.maxAttempts : fallback.maxAttempts;
  const maxAge = Math.min(policy.maxAge, fallback.maxAge);
  return { policy: { ...policy, maxAttempts, maxAge }, chosen: hasOwnSchedule(given as RetryPolicy) };
}

function policyOf(wait: unknown, name: string): unknown {
  const isDuration = typeof wait === 'number' || (typeof wait === 'string' && /^[\dP]/.test(wait));
  if (typeof wait === 'string' && !isDuration) return { type: wait };
  if (!isDuration) return wait;
  // A wait of nothing is the next tick.
  const interval = parseDuration(wait, name) || Number.MIN_VALUE;
  return { type: 'constant', interval, jitter: 'none' };
}

function errorOf({ thrown, error: { name, message } }: Failure): Error {
  return thrown instanceof Error ? thrown : Object.assign(new Error(message), { name });
}
