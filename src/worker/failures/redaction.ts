import * as z from 'zod/mini';
import type { AttemptOutcome, ErrorText } from '../../record/index.js';
import { type HistoryOptions, historyShape, type Kept, type Redaction } from './history.js';
import { stackOf } from './stack.js';

/** Options of a handler's code about its history. */
export const historyChoices = {
  history: z.optional(
    z.strictObject({
      ...historyShape,
      redact: z.optional(
        z.custom<NonNullable<HistoryOptions['redact']>>(
          (value) => typeof value === 'function',
          'expected a function',
        ),
      ),
    }),
  ),
};

const NAMES = { snooze: 'Snooze', pending: 'Pending' } as const;

/**
 * Makes the `redaction` of `RunOptions`, which keeps what the options allow: redacted texts, and the stacks where they
 * are asked for.
 */
export function redactionOf({ stacks = false, redact }: HistoryOptions): Redaction | undefined {
  if (!stacks && !redact) return undefined;
  return (outcome) => keptOf(outcome, stacks, redact);
}

function keptOf(outcome: AttemptOutcome, stacks: boolean, redact: HistoryOptions['redact']): Kept {
  let problem: string | undefined;
  const clean = (text: ErrorText): ErrorText => {
    if (!redact) return text;
    let what = 'expected { name, message, stack? }, got something else';
    try {
      const answer = checked(redact({ ...text }));
      if (answer) return answer;
    } catch {
      // Whatever else it says may be what it was to keep out.
      what = 'threw';
    }
    problem = `history.redact: ${what}; only names are kept`;
    return { name: text.name, message: '' };
  };
  const said = (name: string, reason: string) => clean({ name, message: reason }).message;
  switch (outcome.type) {
    case 'success':
      return { outcome };
    case 'failure':
    case 'dead': {
      const { error: given, thrown } = outcome;
      const error = clean(stacks ? { ...given, stack: stackOf(thrown) } : given);
      if (outcome.type === 'failure') return { outcome: { ...outcome, error }, problem };
      const reason = outcome.reason === given.message ? error.message : said('Dead', outcome.reason);
      return { outcome: { ...outcome, error, reason: reason || error.name }, problem };
    }
    case 'snooze':
    case 'pending': {
      const { reason } = outcome;
      const kept = reason === undefined ? {} : { reason: said(NAMES[outcome.type], reason) };
      return { outcome: { ...outcome, ...kept }, problem };
    }
    case 'cancel': {
      const reason = said('Cancel', outcome.reason);
      return { outcome: { ...outcome, reason }, problem };
    }
    default:
      return outcome satisfies never;
  }
}

function checked(answer: unknown): ErrorText | undefined {
  ignoreRejection(answer);
  if (typeof answer === 'object' && answer !== null) {
    const { name, message, stack } = answer as Record<string, unknown>;
    if (typeof name === 'string' && typeof message === 'string') {
      return { name, message, ...(typeof stack === 'string' ? { stack } : {}) };
    }
  }
  return undefined;
}

/** A promise is no answer; left alone, it would end the process when it is rejected. */
export function ignoreRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {});
}
