import type { IncomingHttpHeaders } from 'node:http';
import { Dead, RetryAfter, Snooze } from '../record/index.js';
import type { Verdict } from './answers.js';
import { EXCERPT_BYTES, excerpt, type Received } from './body.js';
import { HttpError } from './errors.js';
import { parseRetryAfter } from './headers.js';
import type { HiddenSecrets } from './hidden-secrets.js';

/** An answer, or the part of it that is about one record. */
export interface Answer {
  readonly verdict: Verdict;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly received: Received;
  readonly hidden: HiddenSecrets | undefined;
  readonly origin: string;
  /** The time at which it came, epoch milliseconds. */
  readonly now: number;
}

/** The error or the outcome that an answer means; undefined: success. */
export function outcomeOfAnswer({
  verdict,
  status,
  headers,
  received,
  hidden,
  origin,
  now,
}: Answer): Error | undefined {
  if (verdict === 'success') return undefined;
  const text = excerpt(received, EXCERPT_BYTES, hidden);
  const answer = `HTTP ${status} from ${origin}`;
  const message = isRedirect(status)
    ? `${answer}${redirectTarget(headers, origin, hidden)}: redirects are not followed`
    : withText(answer, text);
  const error = new HttpError(status, message);
  // Reasons are kept short: the answer is worth more there than the host, which the error names as well.
  const reason = isRedirect(status) ? message : withText(`HTTP ${status}`, text);
  if (verdict === 'notReady') return new Snooze({ reason });
  if (verdict === 'dead') return new Dead(reason, { cause: error });
  const seconds = parseRetryAfter(headers['retry-after'], now);
  if (seconds === undefined) return error;
  return new RetryAfter(seconds, message, { cause: error });
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
