import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type * as z from 'zod/mini';
import { type BacklogRecord, Dead, RetryAfter, Snooze } from '../record/index.js';
import { parseOptions } from '../support/validation.js';
import { VERSION } from '../support/version.js';
import type { AttemptContext } from '../worker/index.js';
import { checkAnswers, type Verdict, verdicts } from './answers.js';
import { bytesForExcerpt, excerpt, jsonOf, readBody } from './body.js';
import { Connections } from './connections.js';
import { checkHeaders, headerReader } from './custom-headers.js';
import { HttpError, NetworkError, networkError } from './errors.js';
import { idempotencyKey, parseRetryAfter } from './headers.js';
import type { HiddenSecrets } from './hidden-secrets.js';
import { type HttpDelivery, type HttpDeliveryOptions, optionsSchema } from './options.js';
import { addressCheck, checkAddress, checkedLookup, checkNetworks, isInLambda } from './private-addresses.js';
import { type SecretsSource, signing } from './signing.js';
import { namesLoopback, parseDeliveryUrl, secretsInUrl } from './url.js';

/** The size of the excerpt of an answer that a record keeps. */
const EXCERPT_BYTES = 200;
const SECRET_WAIT_SECONDS = 60;

/**
 * A `process` that sends each record's payload as JSON to one URL, with the id as `Idempotency-Key`.
 *
 *     2xx                                     success
 *     408, 425, 429, 5xx, no answer at all    failure; a Retry-After is honoured
 *     401, 403 to a request with a secret     failure: the secret may be about to change
 *     3xx                                     dead: redirects are not followed
 *     other 4xx                               dead, with the status and first bytes of the answer
 *
 * unless `answers` say otherwise.
 *
 * @throws ConfigurationError naming the option that is invalid
 */
export function deliverByHttp(input: HttpDeliveryOptions): HttpDelivery {
  return httpDelivery(input, 'deliverByHttp');
}

/** @param name what errors call the options */
export function httpDelivery(input: HttpDeliveryOptions, name: string): HttpDelivery {
  const options = parseOptions(optionsSchema, input, name);
  const url = parseDeliveryUrl(options.url, `${name}.url`);
  const { origin } = new URL(url);
  const { answers = {}, headers = {}, method = 'POST', secret } = options;
  checkAnswers(answers, `${name}.answers`);
  checkHeaders(headers, `${name}.headers`);
  const { requestTimeout, maxResponseBytes, now = Date.now } = options;
  const connections = connectionsTo(url, options, name);
  const customHeaders = headerReader(headers, `${name}.headers`, secretsInUrl(url));
  const readSecrets = secret === undefined ? undefined : signing(secret as SecretsSource, `${name}.secret`);
  const verdictOf = verdicts(answers, customHeaders.areSecret || readSecrets !== undefined);
  const readAll = async () => ({ ...(await customHeaders.read()), sign: await readSecrets?.() });

  const deliver = async (record: BacklogRecord, context: AttemptContext): Promise<void> => {
    const { signal, attempt, traceparent } = context;
    const custom = await readAll().catch((error: unknown) => withoutSecret(error, context));
    const timeout = requestTimeout === undefined ? undefined : AbortSignal.timeout(requestTimeout * 1000);
    const ending = timeout ? AbortSignal.any([signal, timeout]) : signal;
    const body = jsonOf(record.payload);
    const key = idempotencyKey(record.id);
    const signed = custom.sign?.(key, body, now());
    const trace = traceparent === undefined ? {} : { traceparent };
    // A header that was configured comes before the record's trace.
    const headers = { accept: '*/*', ...trace, ...custom.headers, ...ownHeaders(key, attempt), ...signed };

    let response: IncomingMessage;
    try {
      response = await connections.send({ method, headers, body, signal: ending });
    } catch (error) {
      signal.throwIfAborted();
      if (timeout?.aborted) {
        throw new NetworkError(`no answer from ${origin} within ${requestTimeout} s`, 'ETIMEDOUT');
      }
      throw networkError(error, origin);
    }
    const received = await readBody(response, {
      keepBytes: bytesForExcerpt(EXCERPT_BYTES, custom.hidden),
      maxBytes: maxResponseBytes,
      signal: ending,
    });
    const { statusCode: status = 0, headers: answered } = response;
    const verdict = verdictOf(status);
    if (verdict === 'success') return;
    const text = excerpt(received, EXCERPT_BYTES, custom.hidden);
    conclude(verdict, { status, headers: answered, text, origin, now: now(), hidden: custom.hidden });
  };
  return Object.assign(deliver, {
    prepare: async () => {
      await readAll();
    },
  });
}

/** Puts the attempt off: a secret that cannot be read is no failure of the record. */
function withoutSecret(error: unknown, { logger }: AttemptContext): never {
  const said = error instanceof Error ? error.message : `${typeof error} was thrown`;
  const reason = `a secret of the delivery cannot be had: ${said}`;
  logger.error('attempt put off', { reason });
  throw new Snooze(SECRET_WAIT_SECONDS, reason, { cause: error });
}

/** Connections to allowed addresses only, however the URL names them. */
function connectionsTo(
  url: string,
  { allowPrivateAddresses: allowed = false, lookup }: z.output<typeof optionsSchema>,
  name: string,
): Connections {
  checkNetworks(allowed, `${name}.allowPrivateAddresses`);
  const isAllowed = addressCheck(allowed, namesLoopback(url) && !isInLambda());
  checkAddress(url, isAllowed, `${name}.url`);
  return new Connections(url, checkedLookup(isAllowed, lookup));
}

function ownHeaders(key: string, attempt: number): Record<string, string> {
  return {
    'content-type': 'application/json',
    // What comes is shown as text and bounded in bytes: nothing may grow on arrival.
    'accept-encoding': 'identity',
    'user-agent': `dynamo-backlog/${VERSION}`,
    'idempotency-key': key,
    'backlog-attempt': String(attempt),
  };
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly origin: string;
  readonly now: number;
  readonly hidden: HiddenSecrets | undefined;
}

/** Throws the error or the outcome that the answer means. */
function conclude(
  verdict: Exclude<Verdict, 'success'>,
  { status, headers, text, origin, now, hidden }: Answered,
): never {
  const answer = `HTTP ${status} from ${origin}`;
  const message = isRedirect(status)
    ? `${answer}${redirectTarget(headers, origin, hidden)}: redirects are not followed`
    : withText(answer, text);
  const error = new HttpError(status, message);
  // Reasons are kept short: the answer is worth more there than the host, which the error names as well.
  const reason = isRedirect(status) ? message : withText(`HTTP ${status}`, text);
  if (verdict === 'notReady') throw new Snooze({ reason });
  if (verdict === 'dead') throw new Dead(reason, { cause: error });
  const seconds = parseRetryAfter(headers['retry-after'], now);
  if (seconds === undefined) throw error;
  throw new RetryAfter(seconds, message, { cause: error });
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function withText(answer: string, text: string): string {
  return text === '' ? answer : `${answer}: ${text}`;
}

/** Names the origin of a redirect only: paths and queries hold secrets. */
function redirectTarget(
  { location }: IncomingHttpHeaders,
  origin: string,
  hidden: HiddenSecrets | undefined,
): string {
  if (location === undefined || !URL.canParse(location, origin)) return '';
  const target = new URL(location, origin).origin;
  return ` to ${target === origin ? target : (hidden?.hide(target) ?? target)}`;
}
