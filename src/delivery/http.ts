import * as z from 'zod/mini';
import type { Process } from '../processor/index.js';
import { Dead, RetryAfter } from '../record/index.js';
import { parseOptions } from '../validation.js';
import { VERSION } from '../version.js';
import { excerpt, jsonOf, readBody } from './body.js';
import { HttpError, NetworkError, networkError } from './errors.js';
import { idempotencyKey, parseRetryAfter } from './headers.js';
import { parseDeliveryUrl } from './url.js';

export interface HttpDeliveryOptions {
  /** https, or http to this very machine. */
  readonly url: string;
  /** Time for connecting and the answer's headers. Default: the attempt's own time alone. */
  readonly timeoutSeconds?: number | undefined;
  /** An answer longer than this is cut off. Default 65,536. */
  readonly maxResponseBytes?: number | undefined;
  /** Default: Node's own. */
  readonly fetch?: typeof fetch | undefined;
  /** Real time, epoch milliseconds, that a `Retry-After` with a date counts from. Default: the system's. */
  readonly now?: (() => number) | undefined;
}

const optionsSchema = z.strictObject({
  url: z.string(),
  timeoutSeconds: z.optional(z.number().check(z.positive(), z.maximum(900))),
  maxResponseBytes: z._default(z.int().check(z.minimum(1)), 65_536),
  fetch: z.optional(z.custom<typeof fetch>((value) => typeof value === 'function', 'expected a function')),
  now: z.optional(z.custom<() => number>((value) => typeof value === 'function', 'expected a function')),
});

/** Of the answer, kept with the record. */
const EXCERPT_BYTES = 200;

/**
 * A `process` that POSTs each record's payload as JSON to one URL, with the id as `Idempotency-Key`.
 *
 *     2xx                                     success
 *     408, 425, 429, 5xx, no answer at all    failure; a Retry-After is honoured
 *     3xx                                     dead: redirects are not followed
 *     other 4xx                               dead, with the status and first bytes of the answer
 *
 * @throws ConfigurationError naming the option that makes no sense
 */
export function deliverByHttp(input: HttpDeliveryOptions): Process {
  const options = parseOptions(optionsSchema, input, 'deliverByHttp');
  const url = parseDeliveryUrl(options.url, 'deliverByHttp.url');
  const { origin } = new URL(url);
  const { timeoutSeconds, maxResponseBytes, fetch = globalThis.fetch, now = Date.now } = options;

  return async (record, { signal, attempt }) => {
    const timeout = timeoutSeconds === undefined ? undefined : AbortSignal.timeout(timeoutSeconds * 1000);
    const ending = timeout ? AbortSignal.any([signal, timeout]) : signal;
    const request = {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        // What comes is shown as text and bounded in bytes: nothing may grow on arrival.
        'accept-encoding': 'identity',
        'user-agent': `dynamo-backlog/${VERSION}`,
        'idempotency-key': idempotencyKey(record.id),
        'backlog-attempt': String(attempt),
      },
      body: jsonOf(record.payload),
      signal: ending,
    } as const;

    let response: Response;
    try {
      response = await fetch(url, request);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout?.aborted) {
        throw new NetworkError(`no answer from ${origin} within ${timeoutSeconds} s`, 'ETIMEDOUT');
      }
      throw networkError(error, origin);
    }
    const bytes = await readBody(response, {
      keepBytes: EXCERPT_BYTES,
      maxBytes: maxResponseBytes,
      signal: ending,
    });
    judgeAnswer(response, excerpt(bytes), origin, now());
  };
}

const RETRYABLE = new Set([408, 425, 429]);

function judgeAnswer({ status, headers }: Response, text: string, origin: string, now: number): void {
  if (status >= 200 && status < 300) return;
  const answer = `HTTP ${status} from ${origin}`;
  if (status >= 300 && status < 400) {
    const message = `${answer}${redirectTarget(headers, origin)}: redirects are not followed`;
    throw new Dead(message, { cause: new HttpError(status, message) });
  }
  const message = text === '' ? answer : `${answer}: ${text}`;
  const error = new HttpError(status, message);
  const given = status >= 400 && status < 500 && !RETRYABLE.has(status);
  if (given) throw new Dead(deadReason(status, text), { cause: error });
  const seconds = parseRetryAfter(headers.get('retry-after'), now);
  if (seconds === undefined) throw error;
  throw new RetryAfter(seconds, message, { cause: error });
}

/** Reasons are kept short: the answer is worth more there than the host, which the error names as well. */
function deadReason(status: number, text: string): string {
  return text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`;
}

/** The origin only: paths and queries hold secrets. */
function redirectTarget(headers: Headers, origin: string): string {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, origin)) return '';
  return ` to ${new URL(location, origin).origin}`;
}
