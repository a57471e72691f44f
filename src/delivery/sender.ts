import type { IncomingMessage } from 'node:http';
import type * as z from 'zod/mini';
import { Snooze } from '../record/index.js';
import { VERSION } from '../support/version.js';
import type { AttemptContext } from '../worker/index.js';
import { checkAnswers, verdicts } from './answers.js';
import { BODY_SECONDS, bytesForExcerpt, EXCERPT_BYTES, readBody } from './body.js';
import { type Answer, outcomeOfAnswer } from './conclude.js';
import { Connections } from './connections.js';
import { checkHeaders, headerReader } from './custom-headers.js';
import { NetworkError, networkError } from './errors.js';
import type { optionsSchema } from './options.js';
import { addressCheck, checkAddress, checkedLookup, checkNetworks, isInLambda } from './private-addresses.js';
import { type SecretsSource, signing } from './signing.js';
import { namesLoopback, parseDeliveryUrl, secretsInUrl } from './url.js';

const SECRET_WAIT_SECONDS = 60;

/** One request, beside what all requests of a delivery have. */
export interface DeliveryRequest {
  readonly body: string;
  readonly contentType: string;
  /** The idempotency key, as a header has it. */
  readonly key: string;
  /** Further headers of the delivery's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly traceparent?: string | undefined;
  /** Bytes of the answer to keep, which is waited for as long as the attempt may take. Default: an excerpt. */
  readonly keepBytes?: number | undefined;
}

/** The answer to a request. */
export interface Answered extends Pick<Answer, 'status' | 'origin' | 'received' | 'hidden'> {
  /** The error or the outcome that it means. Undefined: success. */
  readonly outcome: Error | undefined;
  /** Returns the same for a part of it that is about one record: its status, its text, its `Retry-After`. */
  outcomeOf(status: number, text: Uint8Array, retryAfter: string | undefined): Error | undefined;
}

export interface Sender {
  /** Gets the secrets, and throws if one cannot be read. */
  ready(): Promise<unknown>;
  /**
   * @throws NetworkError without an answer; Snooze where a secret cannot be read; the reason of the signal once that is aborted
   */
  send(request: DeliveryRequest, context: Pick<AttemptContext, 'signal' | 'logger'>): Promise<Answered>;
}

/**
 * The sender of a delivery's requests, with their headers, secrets and connections.
 *
 * @param name what errors call the options
 * @throws ConfigurationError naming the option that is invalid
 */
export function senderOf(options: z.output<typeof optionsSchema>, name: string): Sender {
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

  return {
    ready: readAll,
    async send({ body, key, traceparent, contentType, headers: own, keepBytes }, context) {
      const { signal } = context;
      const {
        headers: custom,
        hidden,
        sign,
      } = await readAll().catch((error: unknown) => withoutSecret(error, context));
      const timeout = requestTimeout === undefined ? undefined : AbortSignal.timeout(requestTimeout * 1000);
      const ending = timeout ? AbortSignal.any([signal, timeout]) : signal;
      const trace = traceparent === undefined ? {} : { traceparent };
      const always = alwaysSent(key, contentType);
      // A header that was configured comes before the record's trace.
      const headers = { accept: '*/*', ...trace, ...custom, ...always, ...own, ...sign?.(key, body, now()) };

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
      const { statusCode: status = 0, headers: answered } = response;
      // Only what is kept is worth a wait: otherwise the status says what happened.
      const isRead = keepBytes !== undefined && verdictOf(status) === 'success';
      const received = await readBody(response, {
        keepBytes: keepBytes ?? bytesForExcerpt(EXCERPT_BYTES, hidden),
        maxBytes: maxResponseBytes ?? keepBytes ?? MAX_RESPONSE_BYTES,
        maxSeconds: isRead ? undefined : BODY_SECONDS,
        signal: ending,
      });
      const answer = { received, hidden, origin, now: now() };
      const outcomeOf = (part: Pick<Answer, 'status' | 'headers' | 'received'>) =>
        outcomeOfAnswer({ ...answer, ...part, verdict: verdictOf(part.status) });
      return {
        ...answer,
        status,
        outcome: outcomeOf({ status, headers: answered, received }),
        outcomeOf(status, bytes, retryAfter) {
          const headers = { 'retry-after': retryAfter };
          return outcomeOf({ status, headers, received: { bytes, isComplete: true } });
        },
      };
    },
  };
}

/** The longest answer that is read, unless the options say otherwise. */
const MAX_RESPONSE_BYTES = 65_536;

/** Puts the attempt off: a secret that cannot be read is no failure of the record. */
function withoutSecret(error: unknown, { logger }: Pick<AttemptContext, 'logger'>): never {
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

function alwaysSent(key: string, contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    // Answers are bounded in bytes: a compressed one would grow after it was counted.
    'accept-encoding': 'identity',
    'user-agent': `dynamo-backlog/${VERSION}`,
    'idempotency-key': key,
  };
}
