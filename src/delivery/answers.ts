import * as z from 'zod/mini';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

/** The meaning of an answer for its record. */
export type Verdict = keyof Answers;

/**
 * A status from 200 to 599, or all of a class.
 *
 * @inline
 */
export type Answer = number | '2xx' | '3xx' | '4xx' | '5xx';

/** Answers that mean something else than they do by themselves. A status comes before its class. */
export interface Answers {
  /** Answers that are a success. Default: 2xx. */
  readonly success?: readonly Answer[] | undefined;
  /**
   * Answers that say "not yet", which is no failure: the record is attempted again when the policy says so, as after a `Snooze`
   * without a delay. A `Retry-After` is not read. Default: none.
   */
  readonly notReady?: readonly Answer[] | undefined;
  /** Answers that are a failure, and retried. Default: 408, 425, 429 and 5xx; with a secret 401 and 403 as well. */
  readonly retry?: readonly Answer[] | undefined;
  /** Answers after which the record is dead at once. Default: 3xx and all other 4xx. */
  readonly dead?: readonly Answer[] | undefined;
}

const CLASSES: readonly unknown[] = ['2xx', '3xx', '4xx', '5xx'];

function isAnswer(value: unknown): boolean {
  return CLASSES.includes(value) || (Number.isInteger(value) && Number(value) >= 200 && Number(value) < 600);
}

const answer = z.custom<Answer>(
  isAnswer,
  'expected a status from 200 to 599, or "2xx", "3xx", "4xx" or "5xx"',
);
const answers = z.optional(z.array(answer));

const lists: Record<Verdict, typeof answers> = {
  success: answers,
  notReady: answers,
  retry: answers,
  dead: answers,
};
const VERDICTS = Object.keys(lists) as readonly Verdict[];

export const answersSchema = z.strictObject(lists);

/** @throws ConfigurationError for an answer that is listed twice */
export function checkAnswers(lists: Answers, name: string): void {
  const seen = new Map<Answer, string>();
  for (const [list, entries] of Object.entries(lists) as [string, readonly Answer[] | undefined][]) {
    for (const entry of entries ?? []) {
      const previous = seen.get(entry);
      if (previous !== undefined) {
        const got = previous === list ? `twice in "${list}"` : `in "${previous}" and in "${list}"`;
        throw new ConfigurationError(`${name}: expected each answer once, got ${show(entry)} ${got}`);
      }
      seen.set(entry, list);
    }
  }
}

/**
 * Tells what a status means: as the lists have it, and otherwise by itself.
 *
 * @param authenticated whether a secret went with the request: a refusal may be over with its next rotation
 */
export function verdicts(lists: Answers, authenticated: boolean): (status: number) => Verdict {
  const listed = new Map<Answer, Verdict>();
  for (const verdict of VERDICTS) {
    for (const entry of lists[verdict] ?? []) listed.set(entry, verdict);
  }
  return (status) =>
    listed.get(status) ??
    listed.get(`${Math.floor(status / 100)}xx` as Answer) ??
    verdictByItself(status, authenticated);
}

const RETRYABLE = new Set([408, 425, 429]);
const REFUSALS = new Set([401, 403]);

function verdictByItself(status: number, authenticated: boolean): Verdict {
  if (status >= 200 && status < 300) return 'success';
  if (status >= 300 && status < 400) return 'dead';
  if (status < 400 || status >= 500 || RETRYABLE.has(status)) return 'retry';
  return authenticated && REFUSALS.has(status) ? 'retry' : 'dead';
}
