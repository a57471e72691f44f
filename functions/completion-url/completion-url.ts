import * as z from 'zod/mini';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { type AnswerEffect, signLink } from './link.js';
import { checkSecret, fetchVersion, signingSecret } from './signing-secret.js';

/** Options of `completionUrl`. */
export interface CompletionUrlOptions {
  /**
   * The answers that the page offers: labels of 1 to 30 characters, at most five, each with the method of `BacklogClient` that it calls.
   * Default: `{ Complete: 'complete', Fail: 'fail' }`.
   *
   * The result of a record that is completed so is `{ answer, by?, note? }`. The error of a failure has the label as its name, for `deadOn`.
   */
  readonly answers?: Readonly<Record<string, 'complete' | 'fail' | 'heartbeat'>> | undefined;
  /** The question of the page, up to 200 characters. Default: the reason of the `Pending`. */
  readonly question?: string | undefined;
  /** The person or system that the link is for, up to 64 characters: each answer is noted with it. Default: none. */
  readonly by?: string | undefined;
  /**
   * The URL of the function. Default: the variable `BACKLOG_COMPLETION_URL`, which the construct's `completionUrl: true` sets. Another one
   * is of a domain of yours in front of it.
   */
  readonly url?: string | undefined;
}

/** A longer URL is cut by some mail programs and proxies. */
const MAX_CHARACTERS = 2_000;

/** The variable with the secret itself, for tests and for processes outside of AWS. */
const VALUE = 'BACKLOG_COMPLETION_SECRET_VALUE';
const MAX_ANSWERS = 5;
const MAX_LABEL_CHARACTERS = 30;

const text = (most: number) => {
  const expected = `expected 1 to ${most} characters`;
  return z.string().check(z.minLength(1, expected), z.maxLength(most, expected));
};
const effect = z.enum(['complete', 'fail', 'heartbeat']);
const optionsSchema = z.strictObject({
  answers: z._default(z.record(z.string(), effect), { Complete: 'complete', Fail: 'fail' }),
  question: z.optional(text(200)),
  by: z.optional(text(64)),
  url: z.optional(z.url({ protocol: /^https?$/, error: 'expected an https URL' })),
});

/**
 * A link by which a person or a system ends the attempt of this token, or prolongs its wait: to a page with a button for each answer. Only
 * a click ends anything, so a program that looks into links may open it. It lets anyone answer: treat it as a password.
 *
 * The secret that signs it is the one that the variable `BACKLOG_COMPLETION_SECRET` names, read once in five minutes, or the text of
 * `BACKLOG_COMPLETION_SECRET_VALUE`, at least 32 characters.
 *
 *     const url = await completionUrl(record.id, context.token, { answers: { Approve: 'complete', Reject: 'fail' } });
 *
 * @param id the record's id
 * @param token the token of the attempt: `context.token`
 * @throws ConfigurationError for an option that is invalid, a URL of more than 2,000 characters, and where the URL or the secret is not
 *   known. What Secrets Manager refuses is thrown as it is.
 */
export async function completionUrl(
  id: string,
  token: string,
  options: CompletionUrlOptions = {},
): Promise<string> {
  const { answers, question, by, url: given } = parseOptions(optionsSchema, options, 'completionUrl');
  const labels = Object.entries(answers) as [string, AnswerEffect][];
  checkLabels(Object.keys(answers));
  for (const [name, value] of Object.entries({ id, token })) {
    if (typeof value === 'string' && value !== '') continue;
    throw new ConfigurationError(`completionUrl: expected the ${name} as text, got ${show(value)}`);
  }
  const url = new URL(given ?? variable('BACKLOG_COMPLETION_URL', 'the option "url", or '));
  const { [VALUE]: value } = process.env;
  const secret = value === undefined ? await secretOfFunction() : checkSecret(value, VALUE);
  url.searchParams.set('link', signLink({ id, token, answers: new Map(labels), question, by }, secret));
  if (url.href.length <= MAX_CHARACTERS) return url.href;
  throw new ConfigurationError(
    `completionUrl: expected a URL of at most ${MAX_CHARACTERS} characters, got ${url.href.length}: shorten the question, the answers, or the id (${id.length} characters)`,
  );
}

function checkLabels(labels: readonly string[]): void {
  const unfit = labels.find((label) => label === '' || label.length > MAX_LABEL_CHARACTERS);
  const isMany = labels.length < 1 || labels.length > MAX_ANSWERS;
  if (!isMany && unfit === undefined) return;
  throw new ConfigurationError(
    `completionUrl.answers: expected 1 to ${MAX_ANSWERS} answers with labels of 1 to ${MAX_LABEL_CHARACTERS} characters, got ` +
      (isMany ? `${labels.length} answers` : show(unfit)),
  );
}

function variable(name: string, orElse = ''): string {
  const value = process.env[name];
  if (value) return value;
  throw new ConfigurationError(
    `completionUrl: expected ${orElse}the variable ${name}, which the construct sets with "completionUrl": true, got nothing`,
  );
}

const secrets = new Map<string, ReturnType<typeof signingSecret>>();

/** The secret of the function that this process runs in, read once in five minutes. */
async function secretOfFunction(): Promise<string> {
  const arn = variable('BACKLOG_COMPLETION_SECRET');
  // A link that an older secret has signed is valid until the next rotation.
  const deps = { fetch: fetchVersion, now: Date.now, onTrouble: () => {} };
  const read = secrets.get(arn) ?? signingSecret(arn, ['AWSCURRENT'], deps);
  secrets.set(arn, read);
  const [current] = await read();
  return current as string;
}
