import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { Hono } from 'hono/tiny';
import {
  type CompletionDeps,
  type CompletionResult,
  endOutside,
  stateForToken,
} from '../../src/client/complete.js';
import { outsideWaitOf } from '../../src/record/completion.js';
import { InvalidRecordError } from '../../src/support/errors.js';
import { type GivenAnswer, readAnswer } from './answer.js';
import { type CompletionLink, readLink } from './link.js';
import { answeredPage, linkPage, messagePage, type ShownWait } from './page.js';
import { STYLE_HASH } from './style.js';

export interface CompletionAppDeps extends CompletionDeps {
  /** The secrets that may have signed a link, not older than this. */
  readonly secrets: (maxAgeMs?: number) => Promise<readonly string[]>;
  readonly logger: Logger;
}

/** A result of 1 KB and a note, with room for the form's encoding. */
const MAX_BODY_BYTES = 16 * 1024;
/** The secrets are read again for a link that none has signed, once in this time: it may be of one that was made just now. */
const FRESH_ENOUGH_MS = 60_000;

const INVALID = ['This link is not valid', 'A part of it may be missing: copy it as a whole.'] as const;
const TROUBLE = [
  'Not known',
  'Something failed here, and it is not known whether your answer was noted. Try again: it is noted once.',
] as const;

/** The pages and the JSON of links. GET and HEAD change nothing, as programs open links that are in mails; POST gives an answer. */
export function completionApp(deps: CompletionAppDeps): Hono {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_HASH],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
      xFrameOptions: 'DENY',
      referrerPolicy: 'no-referrer',
      // Lambda's URLs are HTTPS only, and a domain in front says that for itself.
      strictTransportSecurity: false,
    }),
    async (context, next) => {
      await next();
      context.header('cache-control', 'no-store');
      context.header('x-robots-tag', 'noindex');
    },
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (context) => say(context, 413, 'Too large', `An answer has at most ${MAX_BODY_BYTES} bytes.`),
    }),
  );
  // A domain in front may have a path of its own.
  app.get('*', async (context) => {
    const link = await linkOf(context, deps);
    return link ? stateAnswer(context, link, deps) : say(context, 403, ...INVALID);
  });
  app.post('*', async (context) => {
    const link = await linkOf(context, deps);
    return link ? noted(context, link, deps) : say(context, 403, ...INVALID);
  });
  app.all('*', (context) => say(context, 405, 'Not possible', 'Expected GET or POST.'));
  app.onError((error, context) => {
    if (error instanceof InvalidRecordError) return say(context, 400, 'Not noted', error.message);
    deps.logger.error('a link could not be answered', error);
    return say(context, 503, ...TROUBLE);
  });
  return app;
}

async function linkOf(context: Context, { secrets }: CompletionAppDeps): Promise<CompletionLink | undefined> {
  const text = context.req.query('link') ?? '';
  if (text === '') return undefined;
  return readLink(text, await secrets()) ?? readLink(text, await secrets(FRESH_ENOUGH_MS));
}

async function stateAnswer(context: Context, link: CompletionLink, { records, clock }: CompletionAppDeps) {
  const record = await records.get(link.id);
  const now = clock.now();
  const state = stateForToken(record, link.token, now);
  const { queue } = record ?? {};
  const { reason, until } = (record && outsideWaitOf(record)) ?? {};
  if (wantsJson(context)) {
    const open = state === 'open' ? { reason, until, answers: [...link.answers.keys()] } : {};
    return context.json({ id: link.id, state, ...open }, statusOf(state));
  }
  const wait: ShownWait = { queue, reason, ...(until !== undefined && { until: Date.parse(until) }) };
  return context.html(linkPage(link, state, wait, now), statusOf(state));
}

async function noted(context: Context, link: CompletionLink, deps: CompletionAppDeps) {
  const answer = readAnswer(link, await givenAnswer(context));
  const result = await endOutside(link.id, link.token, answer.end, deps);
  const { id, accepted, reason } = result;
  const effect = link.answers.get(answer.label);
  deps.logger.info('a link was answered', { id, effect, accepted, reason });
  const status = accepted ? 200 : statusOf(reason);
  return wantsJson(context)
    ? context.json(result, status)
    : context.html(answeredPage(link, answer.label, result), status);
}

async function givenAnswer(context: Context): Promise<GivenAnswer> {
  const { req } = context;
  const read = isJson(req.header('content-type')) ? req.json() : req.parseBody();
  const body: unknown = await read.catch(() => undefined);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new InvalidRecordError('expected a form, or a JSON object such as {"answer": "Approve"}');
}

/** The status of what cannot have the answer. */
function statusOf(reason: CompletionResult['reason'] | 'open' | 'answered') {
  switch (reason) {
    case 'open':
    case 'answered':
      return 200;
    case 'notFound':
      return 404;
    case 'changedMeanwhile':
      return 503;
    case 'endedBefore':
      return 409;
    default:
      return 410;
  }
}

function say(context: Context, status: 400 | 403 | 405 | 413 | 503, title: string, text: string) {
  return wantsJson(context)
    ? context.json({ error: `${title}: ${text}` }, status)
    : context.html(messagePage(title, text), status);
}

/** A system sends JSON, or asks for it. */
function wantsJson(context: Context): boolean {
  return isJson(context.req.header('content-type')) || isJson(context.req.header('accept'));
}

function isJson(type = ''): boolean {
  return /^application\/json\b/i.test(type);
}
